"""Royals (21) and rulers (23): weddings, age, deaths; Mary, Queen of Scots, and the Virgin Queen (23.3)."""
