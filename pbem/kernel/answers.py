"""Answer domains: what a question takes. The public face of the modules below.

One part: `Choice` (one of), `Pick` (some of), `Amount` (a number), `Arrange` (a number shared out over places), `Text`.
Several parts: `Series` (an ordered list), `Form` (named fields, each may depend on those before), `Menu` (a word, then
its own domain), `Optional` (a field that may be left out), `Reply` (an answer or a conditional plan). `Tried` and
`TriedMenu` are choices and menus of which it costs too much to know every option beforehand.
"""

from pbem.kernel.compound import PASS, Entry, Menu, Reply, Series
from pbem.kernel.described import domain_from
from pbem.kernel.domain import Below, Budget, Domain, Unknown, Value
from pbem.kernel.form import Form, Optional, Values
from pbem.kernel.lazy_choices import Tried, TriedMenu, tried, tried_menu
from pbem.kernel.simple import Amount, Arrange, Choice, Pick, Text

__all__ = [
    "PASS",
    "Amount",
    "Arrange",
    "Below",
    "Budget",
    "Choice",
    "Domain",
    "Entry",
    "Form",
    "Menu",
    "Optional",
    "Pick",
    "Reply",
    "Series",
    "Text",
    "Tried",
    "TriedMenu",
    "Unknown",
    "Value",
    "Values",
    "domain_from",
    "tried",
    "tried_menu",
]
