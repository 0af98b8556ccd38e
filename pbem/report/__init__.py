"""Reports: what one seat may read, as letter, text, Markdown, HTML, JSON, and as a file for its own programs.

`build` makes a `Report` out of a referee; every format draws that and nothing else.

    from pbem.report.build import build
    from pbem.report.model import Frame
    from pbem.report.text import as_text

    report = build(referee, "spain", "en", lines=lines, frame=Frame(name="vq-07", due="2031-03-06T18:00:00Z"))
    print(as_text(report))

Formats: `text`, `markdown`, `html`, `data` (JSON). Letters: `brief`, `brief_page`, `receipt`. A file for a player's own
programs: `viewfile`. Words: `catalogue`. Each is a module of its own, for a letter needs few of them.
"""
