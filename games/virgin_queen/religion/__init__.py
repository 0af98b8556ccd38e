"""The religious struggle (18): attempts at conversion, sermons and suppression, rebellions."""
