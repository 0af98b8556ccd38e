"""Answer domains: what a question takes. The public face of the modules below.

One part: `Choice` (one of), `Pick` (some of), `Amount` (a number), `Arrange` (a number shared out over places), `Text`.
Several parts: `Series` (an ordered list), `Form` (named fields, each may depend on those before), `Menu` (a word, then
its own domain), `Optional` (a field that may be left out), `Reply` (an answer or a conditional plan), `Early` (as
`Reply`, or `wait`). `LazyChoice` and `LazyMenu` test their options only when they are chosen.
"""

from pbem.kernel.compound import PASS, BehindWord, Menu, Reply, Series
from pbem.kernel.described import WAIT, Early, domain_from
from pbem.kernel.domain import Below, Budget, Domain, Unknown, Value
from pbem.kernel.form import Form, Optional, Values
from pbem.kernel.lazy_choices import LazyChoice, LazyMenu, lazy_choice, lazy_menu
from pbem.kernel.simple import Amount, Arrange, Choice, Pick, Text

__all__ = [
    "PASS",
    "WAIT",
    "Amount",
    "Arrange",
    "BehindWord",
    "Below",
    "Budget",
    "Choice",
    "Domain",
    "Early",
    "Form",
    "LazyChoice",
    "LazyMenu",
    "Menu",
    "Optional",
    "Pick",
    "Reply",
    "Series",
    "Text",
    "Unknown",
    "Value",
    "Values",
    "domain_from",
    "lazy_choice",
    "lazy_menu",
]
