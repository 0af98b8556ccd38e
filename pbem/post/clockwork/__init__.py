"""What time alone brings about: outages, helpers who go home, time that is up, reminders."""
