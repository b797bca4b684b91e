"""What an executable imports before it does anything, and what it leaves for later."""

from __future__ import annotations

import subprocess
import sys

from waiting import patience

PROGRAM = """
import gc, sys
from gbs_irl_ros.starting.quick_imports import quick_imports
with quick_imports():
    from gbs_irl_ros.core import Learner
    from gbs_irl_ros.tasks import load_task
    assert not gc.isenabled()
assert gc.isenabled() and gc.get_freeze_count() > 10_000
Learner(load_task('room'))
print([name for name in ('importlib.metadata', 'numpy.f2py', 'numpy.polynomial', 'numpy.testing',
                         'scipy.ndimage', 'scipy.optimize', 'scipy.special', 'unittest')
       if name in sys.modules])
import numpy
assert {'ma', 'f2py', 'testing'} <= set(numpy.__all__) & set(dir(numpy))
numpy.testing.assert_equal(numpy.ma.masked_equal([1, 2], 2).sum(), 1)
from scipy import ndimage, optimize, stats
print(optimize.brentq(lambda x: x - 2.0, 0.0, 4.0), stats.norm.cdf(0.0),
      ndimage.label(numpy.eye(2))[1])
"""


def test_a_lesson_begins_without_what_is_slow_to_import_and_everything_is_still_there():
    ran = subprocess.run([sys.executable, '-c', PROGRAM], capture_output=True, text=True,
                         timeout=patience(60))
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split('\n')[:2] == ['[]', '2.0 0.5 2']
