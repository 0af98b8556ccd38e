"""Reports: what one seat may read, as email, text, HTML, JSON, and as a player file.

`build.build` makes a `Report` from a referee; every format draws only that. Formats: `text`, `html`, `model`
(JSON). Emails: `short_email`, `receipt`. Player file: `viewfile`. Texts: `messages`. Import only the modules
you need.
"""
