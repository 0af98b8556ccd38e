"""Order text and answers: reading what a player wrote, applying it to a referee, and the receipt.

`parser.read` finds the order blocks of an email or move file, and `apply` executes one. `offline_check`
checks a text against a player file. `reply_form.form` writes the reply form. Imports the kernel only: no
mail, files or clock.
"""
