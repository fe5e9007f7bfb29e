"""The .par files of SYMORO+ and of OpenSYMORO.

Both hold `key = value` lines and `key = {entry, ...}` arrays between comments `(* ... *)`: sizes, then an array a
column of the geometric table (NF entries), of the links' parameters (NL; NL + 1 with link 0 first if the base moves)
and of the joints' motion (NJ), then the motion of the base, the matrix Z and gravity. SYMORO+ writes `Ant`, `B`, `Pi`,
`x^2` and wraps after ten values; OpenSYMORO writes `ant`, `b`, `pi`, `x**2`, and adds `eta`, `k`, `GAM`, `is_floating`
and `is_mobile`. One reader takes both.
"""

from __future__ import annotations

from robosym.formats.par_reader import read_par
from robosym.formats.par_writer import write_opensymoro, write_symoro

__all__ = ["read_par", "write_opensymoro", "write_symoro"]
