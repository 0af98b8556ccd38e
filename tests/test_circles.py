"""The counter of import circles and of reaches into privates, tried on planted ones."""

import runpy
from pathlib import Path

import pytest

MAIN = runpy.run_path(str(Path(__file__).parents[1] / ".ci" / "circles.py"))["main"]


def run(folder, capsys, **modules):
    """The counter over a package `pbem` of these modules: its exit status and what it says."""
    home = folder / "pbem"
    home.mkdir()
    (home / "__init__.py").touch()
    for name, text in modules.items():
        (home / f"{name}.py").write_text(text, "utf-8")
    return MAIN([str(folder)]), capsys.readouterr().out


@pytest.mark.parametrize(
    "back",
    [
        "from pbem.one import X",
        "import pbem.one",
        "def f():\n    from pbem import one",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from pbem.one import X",
        "from .one import X",
    ],
)
def test_a_circle_of_three_is_found_however_it_is_closed(tmp_path, capsys, back):
    status, said = run(tmp_path, capsys, one="from pbem import two", two="from pbem.three import Y", three=back)
    assert status == 1
    assert "circle: pbem.one / pbem.three / pbem.two" in said


@pytest.mark.parametrize(
    "text", ["from pbem.one import _x", "from pbem import one\none._x()", "def f(thing):\n    thing.part._x = 1"]
)
def test_a_reach_is_found(tmp_path, capsys, text):
    status, said = run(tmp_path, capsys, one="_x = print", two=text)
    assert status == 1
    assert "reach: pbem.two:" in said


def test_own_and_inherited_privates_are_no_reach(tmp_path, capsys):
    own = "class A:\n    def f(self, other):\n        self._x = other._x\n"
    heir = "from pbem.one import A\nclass B(A):\n    def f(self):\n        return self._x, super()._y\n"
    status, said = run(tmp_path, capsys, one=own, two=heir, three="def f(t):\n    return t._replace(x=1)\n")
    assert (status, said) == (0, "4 modules, 0 import circles, 0 reaches into privates\n")
