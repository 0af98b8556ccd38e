"""Order text and answers: what a player writes, what the referee takes, and the receipt that tells him.

`grammar.read` finds the blocks of a letter or move file; `apply` carries one out on a referee; `check` judges a text
offline against a player's view file; `reply.form` writes the reply form of a letter. Knows the kernel only: no mail,
no files, no clock. The grammar, for players, is in `orders.md`.
"""
