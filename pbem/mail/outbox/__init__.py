"""Outgoing mail: news for each seat, receipts, press, calendars, the outbox."""
