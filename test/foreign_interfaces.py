"""
The messages of Nav2 and tf2 for tests, where neither is installed: test/interfaces, built.

Built once for a checkout, by whichever worker comes first, and never installed with the package.
Where ROS itself has both packages nothing is built.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = Path(__file__).resolve().parent / 'interfaces'
PACKAGES = ('nav2_msgs', 'tf2_msgs')
BUILT = ROOT / '.colcon' / 'test_interfaces'
LONGEST_BUILD_S = 900


class BuildError(Exception):
    """The interface packages of the tests cannot be built."""


def python_folder():
    """
    Return the folder to be put on PYTHONPATH, None where ROS has these packages itself.

    Nothing else is needed: the modules know where their libraries are.
    """
    if all(_is_installed(package) for package in PACKAGES):
        return None
    wanted = _digest()
    prefix = BUILT / wanted[:16]
    BUILT.mkdir(parents=True, exist_ok=True)
    with open(BUILT / 'lock', 'w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)        # the other workers wait for the first
        if not (prefix / 'complete').exists():
            _remove_all_but(lock.name)
            for package in PACKAGES:
                _build(package, prefix)
            (prefix / 'complete').touch()
    return next(prefix.glob('lib/python*/site-packages'))


def _is_installed(package):
    """Tell whether ROS has a package; one that an earlier test has imported from here is not."""
    spec = importlib.util.find_spec(package)
    return spec is not None and not Path(spec.origin or '/').is_relative_to(BUILT)


def _digest():
    """Return a hash of everything that what is built depends on."""
    total = hashlib.sha256(f'{sys.version} {sys.prefix} {BUILT}'.encode())
    for file in sorted(SOURCES.rglob('*')):
        if file.is_file():
            total.update(str(file.relative_to(SOURCES)).encode() + b'\0' + file.read_bytes())
    stamp = ROOT / '.venv' / 'setup-stamp'
    total.update(stamp.read_bytes() if stamp.exists() else b'')
    return total.hexdigest()


def _remove_all_but(lock):
    for path in BUILT.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif str(path) != lock:
            path.unlink()


def _build(package, prefix):
    folder = BUILT / 'build' / package
    environment = {
        **os.environ, 'PARSED_INTERFACES': str(BUILT / 'build' / 'parsed'),
        'PYTHONPATH': os.pathsep.join(filter(None, (str(ROOT / 'tools' / 'generators'),
                                                    os.environ.get('PYTHONPATH')))),
        'CMAKE_PREFIX_PATH': os.environ.get('AMENT_PREFIX_PATH', '')}
    for command in (
            ['cmake', '-S', SOURCES / package, '-B', folder, f'-DCMAKE_INSTALL_PREFIX={prefix}',
             '-DBUILD_TESTING=OFF', '-DCMAKE_BUILD_TYPE=None',      # which does not optimise
             f'-DPython3_EXECUTABLE={sys.executable}'],
            ['cmake', '--build', folder, '--target', 'install', '-j', str(os.cpu_count())]):
        done = subprocess.run(command, env=environment, capture_output=True, text=True,
                              timeout=LONGEST_BUILD_S)
        if done.returncode != 0:
            raise BuildError(f'{" ".join(map(str, command))} failed:\n'
                              f'{done.stdout[-2000:]}{done.stderr[-4000:]}')
