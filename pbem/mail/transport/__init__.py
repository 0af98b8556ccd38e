"""Mail servers: accounts, IMAP, SMTP and sendmail, bounces."""
