"""Answers as people write them in a reply, without a block: which text of it counts.

`29: red`, `red` alone on top, or the two-line form edited in the quotation count when nothing else that somebody has
written stands beside them. `layout` tells what is quoted, `parts` sorts the lines, `judging` decides.
"""

from pbem.orders.codes import Tag, tags_in
from pbem.orders.replies.judging import Judge, Judged, beside, judged
from pbem.orders.replies.layout import Marks, Ours, Unseen

__all__ = ["Judge", "Judged", "Marks", "Ours", "Tag", "Unseen", "beside", "judged", "tags_in"]
