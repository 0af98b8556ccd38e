"""The scheduler: outages, expired delegations and deadlines, reminders."""
