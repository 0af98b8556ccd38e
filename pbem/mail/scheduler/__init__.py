"""What time alone brings about: outages, delegates whose time is over, time that is up, reminders."""
