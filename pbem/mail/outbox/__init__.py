"""Mail out: what each seat is told, receipts, press, calendars, the outbox."""
