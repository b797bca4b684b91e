"""The kernel's C under a critical compiler: all warnings, and checks of every access at work."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from kernel_help import need_compiler
from waiting import patience

from gbs_irl_ros.core.planning import kernel

SOURCES = sorted((Path(__file__).parents[3] / 'src').glob('*.c'))
WORKOUT = Path(__file__).parent / 'kernel_workout.py'


def unable(reason):
    """Skip, or fail where nothing may be left out."""
    if os.environ.get('CI'):
        pytest.fail(reason)
    pytest.skip(reason)


def run(*command, **environment):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          timeout=patience(300), check=False, env={**os.environ, **environment})


@pytest.mark.slow
def test_the_compiler_finds_nothing_to_warn_of(tmp_path):
    compiler = need_compiler()
    assert [path.stem for path in SOURCES] == ['components', 'goals', 'mass', 'plan', 'rewards']
    for source in SOURCES:
        made = run(compiler, '-std=c11', '-O1', '-fPIC', '-Wall', '-Wextra', '-Wconversion',
                   '-Werror', '-Wno-psabi', '-c', source, '-o', tmp_path / f'{source.stem}.o')
        assert made.returncode == 0, made.stderr


def sanitised(compiler, folder):
    """Return the kernel built with sanitisers."""
    # Without the checks of null and alignment before every access, which address also finds, the
    # many copies of the planner compile in half the time.
    flags = ['-std=c11', '-g1', '-O1', '-fPIC', '-fsanitize=address,undefined',
             '-fno-sanitize=null,alignment,object-size,pointer-overflow', '-fno-sanitize-recover']
    empty = folder / 'empty.c'
    empty.write_text('int nothing(void) { return 0; }\n')
    tried = run(compiler, *flags, '-shared', empty, '-o', folder / 'empty.so')
    if tried.returncode != 0:
        unable(f'{compiler} has no sanitisers: {tried.stderr.strip()}')
    library = folder / 'sanitised.so'
    made = run(compiler, *flags, '-Wno-psabi', '-shared', *SOURCES, '-o', library, '-lm')
    assert made.returncode == 0, made.stderr
    return library


def preloaded(compiler):
    """Return the sanitiser's own library, which must be there before Python is."""
    path = Path(run(compiler, '-print-file-name=libasan.so').stdout.strip())
    if not path.is_file():
        unable(f'{compiler} does not find its libasan.so')
    return path


@pytest.mark.slow
def test_no_access_out_of_bounds_and_nothing_undefined_in_hundreds_of_problems(tmp_path):
    compiler = need_compiler()
    library = sanitised(compiler, tmp_path)
    done = run(sys.executable, WORKOUT, library.name,
               LD_PRELOAD=str(preloaded(compiler)), ASAN_OPTIONS='detect_leaks=0',
               UBSAN_OPTIONS='print_stacktrace=1', PYTHONMALLOC='malloc',
               PYTHONPATH=os.pathsep.join(filter(None, sys.path)),
               **{kernel.VARIABLE: str(library)})
    assert done.returncode == 0, done.stderr[-4000:]
    assert done.stdout.startswith('worked out')
    assert 'runtime error' not in done.stderr
    assert 'AddressSanitizer' not in done.stderr


@pytest.mark.slow
def test_an_access_out_of_bounds_would_be_seen(tmp_path):
    compiler, library = need_compiler(), tmp_path / 'faulty.so'
    source = tmp_path / 'faulty.c'
    source.write_text('#include <stdlib.h>\n'
                      'int fault(int n) { char * p = calloc(4, 1); int x = p[n]; free(p); '
                      'return x; }\n')
    made = run(compiler, '-g', '-fPIC', '-shared', '-fsanitize=address', source, '-o', library)
    if made.returncode != 0:
        unable(f'{compiler} has no sanitisers: {made.stderr.strip()}')
    done = run(sys.executable, '-c', f'import ctypes; ctypes.CDLL({str(library)!r}).fault(4)',
               LD_PRELOAD=str(preloaded(compiler)), ASAN_OPTIONS='detect_leaks=0')
    assert done.returncode != 0
    assert 'heap-buffer-overflow' in done.stderr
