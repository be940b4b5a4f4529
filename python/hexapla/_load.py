"""Loads the module in C++, with the settings of the program."""

from __future__ import annotations

import os

# How OpenMP's idle threads wait; GNU's runtime reads it once, when loaded
# (docs/adr/0005-idle-threads-sleep.md). The environment is restored afterwards, for programs
# started later.
_WAITING = {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "1000"}

if any(name in os.environ for name in _WAITING):
    from . import _core
else:
    os.environ.update(_WAITING)
    try:
        from . import _core
    finally:
        for _name in _WAITING:
            del os.environ[_name]

__all__ = ["_core"]
