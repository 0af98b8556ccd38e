"""Answer domains: the public names of the modules below.

One part: `Choice`, `Subset` (several), `Amount`, `Distribution` (an amount divided among places), `FreeText`. Several
parts: `Series` (ordered), `Form` (named fields), `Menu` (a word and its domain), `Optional`, `Reply` (to a window),
`EarlyAnswer` (or `wait`). `LazyChoice` and `LazyMenu` test options only when chosen.
"""

from pbem.kernel.basic_domains import Amount, Choice, Distribution, FreeText, Subset
from pbem.kernel.composite_domains import PASS, BehindWord, Menu, Reply, Series
from pbem.kernel.domain import AnyText, Below, Budget, Domain, Value
from pbem.kernel.domain_schema import WAIT, EarlyAnswer, domain_from
from pbem.kernel.form import Form, Optional, Values
from pbem.kernel.lazy_domains import LazyChoice, LazyMenu, lazy_choice, lazy_menu

Arrange, Pick = Distribution, Subset
"""Names before 0.2, for one release."""

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
    "Distribution",
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
    "Subset",
    "Value",
    "Values",
    "domain_from",
    "lazy_choice",
    "lazy_menu",
]
