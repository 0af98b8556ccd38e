"""Answer domains: what a question takes. The public face of the modules below.

One part: `Choice` (one of), `Pick` (some of), `Amount` (a number), `Arrange` (a number shared out over places),
`FreeText`.
Several parts: `Series` (an ordered list), `Form` (named fields, each may depend on those before), `Menu` (a word, then
its own domain), `Optional` (a field that may be left out), `Reply` (an answer or a conditional plan), `EarlyAnswer`
(as `Reply`, or `wait`). `LazyChoice` and `LazyMenu` test their options only when they are chosen.
"""

from pbem.kernel.basic_domains import Amount, Arrange, Choice, FreeText, Pick
from pbem.kernel.composite_domains import PASS, BehindWord, Menu, Reply, Series
from pbem.kernel.domain import AnyText, Below, Budget, Domain, Value
from pbem.kernel.domain_schema import WAIT, EarlyAnswer, domain_from
from pbem.kernel.form import Form, Optional, Values
from pbem.kernel.lazy_domains import LazyChoice, LazyMenu, lazy_choice, lazy_menu

__all__ = [
    "PASS",
    "WAIT",
    "Amount",
    "AnyText",
    "Arrange",
    "BehindWord",
    "Below",
    "Budget",
    "Choice",
    "Domain",
    "EarlyAnswer",
    "Form",
    "FreeText",
    "LazyChoice",
    "LazyMenu",
    "Menu",
    "Optional",
    "Pick",
    "Reply",
    "Series",
    "Value",
    "Values",
    "domain_from",
    "lazy_choice",
    "lazy_menu",
]
