#!/usr/bin/env python3
"""
Make everything this repository needs, inside the repository: what `make setup` runs.

Four steps, each skipped when its result is up to date: look at the machine, install ROS 2 and
Python packages into `.venv` by uv (which pip gets into `.uv` where it is not installed), correct
what the ROS wheels get wrong, build the package with colcon into `.colcon`. A step that fails or
is interrupted leaves what was there before it.

Runs on any Python 3.6 or newer, if only to say that a newer one is needed; uses the standard
library alone.
"""

import argparse
import contextlib
import fcntl
import hashlib
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / '.venv'
OLD_VENV = ROOT / '.venv.old'
UV = ROOT / '.uv'
COLCON = ROOT / '.colcon'
LOG = ROOT / '.setup.log'
LOCK = ROOT / '.setup.lock'
REQUIREMENTS = ROOT / 'requirements'
VENV_RECIPE = 2         # raise it when `.venv` must be made again although no requirement changed
BUILD_RECIPE = 1        # raise it when the package must be built from scratch
OLDEST_PYTHON, NEWEST_PYTHON = (3, 11), (3, 13)
WHEEL_DISTROS = ('jazzy', 'kilted')
DRAKE_GLIBC = (2, 34)
UNREACHABLE = ('NewConnectionError', 'Temporary failure in name resolution', 'ConnectTimeout',
               'Connection refused', 'Network is unreachable', 'ProxyError', 'dns error',
               'client error (Connect)', 'operation timed out')
MODULES = {'pillow': 'PIL', 'PyYAML': 'yaml'}      # where they are not called as the package is
DEBIAN = {'pillow': 'python3-pil', 'PyYAML': 'python3-yaml'}    # the others: python3- and the name
# What uv calls the settings of pip, so that an index of the user's own serves both.
SETTINGS = {'index-url': 'UV_DEFAULT_INDEX', 'extra-index-url': 'UV_INDEX',
            'find-links': 'UV_FIND_LINKS', 'cert': 'SSL_CERT_FILE'}


class SetupError(Exception):
    """Set-up cannot go on; the text is the one line the user reads."""


def main():
    """Run all steps; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument(
        '--distro', default='jazzy',
        help='ROS 2 distribution to take from wheels: {} (default: %(default)s)'.format(
            ' or '.join(WHEEL_DISTROS)))
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    started = time.monotonic()
    try:
        check_machine(arguments.distro)
        with exclusive_lock():
            source = ros_source(arguments.distro)
            make_venv(source)
            build(source)
    except SetupError as error:
        print('setup: {}'.format(error), file=sys.stderr)
        return 1
    except PermissionError as error:
        print('setup: cannot write {}: {}; use a folder that you own'.format(
            error.filename, error.strerror), file=sys.stderr)
        return 1
    except OSError as error:
        print('setup: {}: {}'.format(error.filename, error.strerror), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print('\nsetup: interrupted; what was there before is kept, run it again to go on',
              file=sys.stderr)
        return 130
    print('setup: ready ({:.1f} s)'.format(time.monotonic() - started), flush=True)
    return 0


# ---- the machine -------------------------------------------------------------------------------

def check_machine(distro):
    """Raise one error that lists everything this machine lacks."""
    problems = list(machine_problems(distro))
    if problems:
        raise SetupError('; '.join(problems))


def machine_problems(distro):
    """Yield what is missing, each with the way to get it."""
    version = sys.version_info[:2]
    if not OLDEST_PYTHON <= version <= NEWEST_PYTHON:
        yield ('Python {}.{} is not supported, got {}; expected 3.11 to 3.13 '
               '(choose one: `export PYTHON=python3.12`, then this again)'.format(
                   version[0], version[1], sys.executable))
    if distro not in WHEEL_DISTROS:
        yield 'DISTRO must be {}, got {!r}'.format(' or '.join(WHEEL_DISTROS), distro)
    if sourced_distro() is None and (platform.system(), platform.machine()) != ('Linux', 'x86_64'):
        yield ('ROS 2 wheels exist for Linux on x86_64 only, this is {} on {}; '
               'install and source ROS 2 Jazzy, then run this again'.format(
                   platform.system(), platform.machine()))
    for program, package in (('cc', 'gcc'), ('c++', 'g++'), ('cmake', 'cmake'), ('make', 'make')):
        if shutil.which(program) is None:
            yield '{} is missing (Debian, Ubuntu: apt install {})'.format(program, package)
    # It is needed where neither uv nor pip is there to get the rest.
    if not (shutil.which('uv') or module_exists('pip')
            or (module_exists('venv') and module_exists('ensurepip'))):
        yield 'the Python module venv is missing (Debian, Ubuntu: apt install python3-venv)'
    if not os.access(str(ROOT), os.W_OK):
        yield 'cannot write into {}; use a folder that you own'.format(ROOT)


def module_exists(name):
    """Tell whether a module can be imported, without importing it."""
    import importlib.util
    return importlib.util.find_spec(name) is not None


@contextlib.contextmanager
def exclusive_lock():
    """Let a second `make setup` in the same folder wait for the first."""
    with open(str(LOCK), 'w') as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print('setup: another set-up is running in this folder; waiting for it', flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


# ---- where ROS 2 comes from --------------------------------------------------------------------

def sourced_distro():
    """Return the name of the ROS 2 distribution sourced in this shell, or None."""
    if not os.environ.get('AMENT_PREFIX_PATH'):
        return None
    return os.environ.get('ROS_DISTRO')


def ros_source(distro):
    """Return 'sourced' or the distribution whose wheels are to be used."""
    sourced = sourced_distro()
    if sourced is None:
        return distro
    if sourced not in (*WHEEL_DISTROS, 'lyrical', 'rolling'):
        raise SetupError(
            'ROS 2 {} is sourced, this package needs Jazzy or newer; source that one, or use a '
            'shell in which none is sourced'.format(sourced))
    probe = subprocess.run([sys.executable, '-c', 'import rclpy'], stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
    if probe.returncode != 0:
        raise SetupError(
            'ROS 2 {} is sourced but {} cannot import rclpy; run '
            '`export PYTHON=/usr/bin/python3`, then this again'.format(sourced, sys.executable))
    missing = missing_packages()
    if missing:
        raise SetupError(
            'ROS 2 {} is sourced, so Python packages come from the system, and these are '
            'missing: {}; run `rosdep install --from-paths . --ignore-src -y` (before the first '
            'time: `sudo rosdep init; rosdep update`) or `sudo apt install {}`, then this '
            'again'.format(sourced, ', '.join(missing), ' '.join(
                DEBIAN.get(name, 'python3-' + name) for name in missing)))
    print('setup: using the ROS 2 {} that is sourced'.format(sourced), flush=True)
    return 'sourced'


def missing_packages():
    """Return what the package needs at run time that this Python cannot import."""
    named = re.findall(r'^([\w-]+)==', read_text(REQUIREMENTS / 'python.txt') or '', re.M)
    return [name for name in dict.fromkeys(named)
            if not module_exists(MODULES.get(name, name.replace('-', '_')))]


def requirement_files(source):
    """Return [(files, complete)]: complete ones name every package, so no dependency is sought."""
    tools = REQUIREMENTS / 'tools.txt'
    drake = [([REQUIREMENTS / 'drake.txt'], True)] if has_drake() else []
    if source == 'sourced':
        return [([tools], False), *drake]
    return [([REQUIREMENTS / (source + '.txt')], True),
            ([REQUIREMENTS / 'python.txt', tools], False), *drake]


def has_drake():
    """Tell whether Drake exists for this machine; where it does not, tests do without it."""
    library, version = platform.libc_ver()
    return (platform.system(), platform.machine(), library) == ('Linux', 'x86_64', 'glibc') \
        and tuple(int(part) for part in version.split('.')[:2]) >= DRAKE_GLIBC


# ---- the virtual environment -------------------------------------------------------------------

def make_venv(source):
    """Create `.venv` unless it is what the requirements ask for; keep the old one on failure."""
    groups = requirement_files(source)
    stamp = VENV / 'setup-stamp'
    wanted = digest([VENV_RECIPE, str(ROOT), sys.version, source],
                    [REQUIREMENTS / 'lock.txt', *(file for files, _ in groups for file in files)])
    if read_text(stamp) == wanted:
        return
    if VENV.exists() and not stamp.exists():
        remove(VENV)        # half made by a set-up that was killed
    with open(str(LOG), 'w') as log:
        uv = find_uv(log)
        settings = uv_environment()
        with replaced(VENV, OLD_VENV):
            with step('making .venv with Python {}'.format(platform.python_version())):
                options = ['--system-site-packages'] if source == 'sourced' else []
                run([uv, 'venv', '--python', sys.executable, *options, str(VENV)], log, settings)
            for files, complete in groups:
                install(uv, files, complete, log, settings)
            if source != 'sourced':
                with step('correcting include paths of the ROS wheels'):
                    mend_include_paths()
            stamp.write_text(wanted)


def find_uv(log):
    """Return the path of uv: the user's own, or one that pip has got for us."""
    known = shutil.which('uv')
    if known:
        return known
    pinned = REQUIREMENTS / 'uv.txt'
    stamp = UV / 'setup-stamp'
    wanted = digest([sys.version], [pinned])
    if read_text(stamp) != wanted:
        remove(UV)
        with step('getting uv, which installs the rest'):
            python = sys.executable
            if not module_exists('pip'):
                run([python, '-m', 'venv', str(UV / 'pip')], log)
                python = str(UV / 'pip' / 'bin' / 'python')
            fetch([python, '-m', 'pip', '--no-input', '--disable-pip-version-check', 'install',
                   '--progress-bar', 'off', '--no-compile', '--target', str(UV), '-r',
                   str(pinned)], shown([pinned]), log, pip_environment())
        stamp.write_text(wanted)
    return str(UV / 'bin' / 'uv')


def install(uv, files, complete, log, environment):
    """Fetch and install what requirement files name."""
    count = sum('==' in line and not line.startswith('#')
                for file in files for line in file.read_text().splitlines())
    if count == 0:
        return
    command = [uv, 'pip', 'install', '--python', str(VENV / 'bin' / 'python')]
    command += ['--no-deps'] if complete else ['-c', str(REQUIREMENTS / 'lock.txt')]
    for file in files:
        command += ['-r', str(file)]
    with step('installing {} ({} packages)'.format(shown(files), count)):
        fetch(command, shown(files), log, environment)


def fetch(command, what, log, environment):
    """Run a command that uses the package index; if it fails, say why in a sentence."""
    log.flush()
    begin = log.tell()
    if run(command, log, environment, check=False) != 0:
        with open(str(LOG), errors='replace') as text:
            text.seek(begin)
            raise SetupError('{}: {}'.format(what, fetch_failure(text.read())))


def shown(files):
    """Return the names of files as the user knows them."""
    return ' and '.join(str(file.relative_to(ROOT)) for file in files)


def pip_environment():
    """Return the environment for pip and uv: nothing of a sourced ROS, no restart by wheels."""
    environment = dict(os.environ, _ROS_WHEELS_BOOTSTRAP_COMPLETE='1', PYTHONUNBUFFERED='1')
    environment.pop('PYTHONPATH', None)
    return environment


def uv_environment():
    """Return the environment for uv, which asks the index that pip is set to."""
    environment = dict(pip_environment(), UV_NO_PROGRESS='1')
    environment.setdefault('UV_INDEX_STRATEGY', 'unsafe-best-match')    # as pip searches several
    told = subprocess.run(
        [sys.executable, '-m', 'pip', 'config', 'list'], stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, env=environment, universal_newlines=True).stdout
    for name, value in re.findall(r"^[^=]*\.([a-z-]+)='(.*)'$", told or '', re.M):
        if name in SETTINGS:
            environment.setdefault(SETTINGS[name], ' '.join(value.replace('\\n', ' ').split()))
    return environment


def fetch_failure(text):
    """Return the one sentence in the output of pip or uv that says what went wrong."""
    missing = re.search(r'No matching distribution found for (\S+)', text) or re.search(
        r'there is no version of (\S+)', text) or re.search(
        r'Because (\S+) was not found', text)
    if any(sign in text for sign in UNREACHABLE):
        return 'the Python package index cannot be reached; check the network and run this again'
    if missing:
        return 'no package {} exists for Python {}.{}; correct that line'.format(
            missing.group(1), *sys.version_info[:2])
    forged = re.search(r'Hash mismatch for `([^`]+)`', text)
    if forged:
        return ('the file fetched for {} is not the one that was tried: its sum differs; do not '
                'use it, and check which package index is set'.format(forged.group(1)))
    if 'No space left on device' in text:
        return 'the disk is full; about 2 GB are needed'
    errors = [line.strip() for line in text.splitlines() if line.lower().startswith('error')]
    return '{}; the whole log is in {}'.format(
        errors[0][:200] if errors else 'it failed without a word', LOG.name)


def mend_include_paths():
    """
    Replace the include folders of the machine that built the wheels by those of this one.

    The exported CMake targets of every message package name /opt/python/... for Python's and
    numpy's headers. uv links the files of an environment to those of its cache, which every other
    environment shares: what is corrected becomes a file of its own, and what was once corrected in
    the cache, for another folder, is corrected as well.
    """
    query = ('import sysconfig, numpy;'
             'print(sysconfig.get_path("include")); print(numpy.get_include())')
    answer = subprocess.run([str(VENV / 'bin' / 'python'), '-c', query], stdout=subprocess.PIPE,
                            universal_newlines=True, check=True)
    python_include, numpy_include = answer.stdout.split('\n')[:2]
    for file in VENV.glob('share/*/cmake/*rosidl_generator_pyExport.cmake'):
        text = file.read_text()
        text = re.sub(r'/[^;"]*/numpy/_core/include', numpy_include, text)
        text = re.sub(r'/[^;"]*/include/python3\.\d+', python_include, text)
        file.unlink()
        file.write_text(text)


# ---- the package -------------------------------------------------------------------------------

def build(source):
    """Build with colcon unless nothing that matters to the build has changed."""
    stamp = COLCON / 'setup-stamp'
    words = [BUILD_RECIPE, read_text(VENV / 'setup-stamp'), os.environ.get('AMENT_PREFIX_PATH')]
    wanted = digest(words, list(build_inputs()))
    if read_text(stamp) == wanted:
        return
    environment = dict(os.environ)
    environment['PATH'] = '{}{}{}'.format(VENV / 'bin', os.pathsep, environment.get('PATH', ''))
    # colcon would add a load limit, which serialises the build on a busy machine
    environment.setdefault('MAKEFLAGS', '-j{}'.format(os.cpu_count()))
    # A dozen Pythons generate code: they share what they compile, and what they parse.
    environment.pop('PYTHONDONTWRITEBYTECODE', None)
    environment['PYTHONPYCACHEPREFIX'] = str(VENV / 'pycache')
    environment['PYTHONPATH'] = os.pathsep.join(
        filter(None, (str(ROOT / 'tools' / 'generators'), environment.get('PYTHONPATH'))))
    environment['PARSED_INTERFACES'] = str(COLCON / 'parsed')
    if source != 'sourced':
        environment['AMENT_PREFIX_PATH'] = environment['CMAKE_PREFIX_PATH'] = str(VENV)
    command = [
        str(VENV / 'bin' / 'python'), '-m', 'colcon',
        '--log-base', str(COLCON / 'log'), 'build', '--paths', '.',
        '--build-base', str(COLCON / 'build'), '--install-base', str(COLCON / 'install'),
        '--event-handlers', 'console_direct+', '--cmake-args', '-DBUILD_TESTING=OFF',
        '-DPython3_EXECUTABLE={}'.format(VENV / 'bin' / 'python')]
    remove(stamp)
    built_with = '{} {}'.format(BUILD_RECIPE, read_text(VENV / 'setup-stamp'))
    if read_text(COLCON / 'environment') != built_with:
        remove(COLCON)      # CMake's cache names another environment
    with step('building the package'), open(str(LOG), 'a') as log:
        if run(command, log, environment, check=False) != 0:
            raise SetupError('colcon build failed: {}; the whole log is in {}'.format(
                first_build_error(), LOG.name))
        remove_leftovers()
        (COLCON / 'environment').write_text(built_with)
        stamp.write_text(wanted)


def remove_leftovers():
    """Remove installed modules whose sources are gone: CMake only adds."""
    for package in (COLCON / 'install').glob('*/lib/python*/site-packages/gbs_irl_ros'):
        for path in sorted(package.rglob('*'), reverse=True):       # what is in a folder first
            name = path.relative_to(package)
            if name.parts[0] in ('msg', 'srv', 'task_files') \
                    or (ROOT / 'gbs_irl_ros' / name).exists():
                continue
            if path.is_dir() and not any(path.iterdir()):
                path.rmdir()
            elif path.suffix in ('.py', '.pyc', '.js', '.html', '.css', '.svg'):
                path.unlink()


def build_inputs():
    """Yield the files that are built or installed."""
    for name in ('CMakeLists.txt', 'package.xml'):
        yield ROOT / name
    for folder in ('msg', 'srv', 'src', 'gbs_irl_ros', 'scripts', 'launch', 'config'):
        for path in sorted((ROOT / folder).rglob('*')):
            if path.is_file() and '__pycache__' not in path.parts:
                yield path


def first_build_error():
    """Return the first line of the log that looks like the cause."""
    for line in LOG.read_text(errors='replace').splitlines():
        if re.search(r'CMake Error|\berror:|Error:', line):
            return line.strip()[:200]
    return 'no error line found'


# ---- small things ------------------------------------------------------------------------------

@contextlib.contextmanager
def step(title):
    """Print a step and how long it took; give a function that shows progress meanwhile."""
    started = time.monotonic()
    live = sys.stdout.isatty()
    print('setup: {} ...'.format(title), end='' if live else '\n', flush=True)

    def progress(text):
        if live:
            print('\r\033[Ksetup: {} ... {}'.format(title, text), end='', flush=True)

    try:
        yield progress
    except BaseException:
        if live:
            print()
        raise
    seconds = time.monotonic() - started
    print('{}setup: {} ... done ({:.1f} s)'.format('\r\033[K' if live else '', title, seconds),
          flush=True)


def run(command, log, environment=None, check=True):
    """Run a command with its output in the log; return its exit code."""
    log.flush()
    process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, env=environment,
                               cwd=str(ROOT))
    try:
        code = process.wait()
    except BaseException:
        process.terminate()
        process.wait()
        raise
    if check and code != 0:
        raise SetupError('{} failed; the whole log is in {}'.format(' '.join(command), LOG.name))
    return code


@contextlib.contextmanager
def replaced(path, aside):
    """Move a folder aside while it is made anew; put it back if that does not succeed."""
    if aside.exists() and not path.exists():
        aside.rename(path)      # a set-up was killed between moving and making
    remove(aside)
    if path.exists():
        path.rename(aside)
    try:
        yield
    except BaseException:
        remove(path)
        if aside.exists():
            aside.rename(path)
        raise
    remove(aside)


def remove(path):
    """Remove a file or a folder if it is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(str(path))
    elif path.exists():
        path.unlink()


def read_text(path):
    """Return the content of a file, None if there is none."""
    try:
        return path.read_text()
    except (FileNotFoundError, NotADirectoryError):
        return None


def digest(words, files):
    """Return a hash of words and of files, of their names and contents."""
    total = hashlib.sha256()
    for word in words:
        total.update(repr(word).encode() + b'\0')
    for file in files:
        total.update(str(file).encode() + b'\0' + file.read_bytes())
    return total.hexdigest()


if __name__ == '__main__':
    sys.exit(main())
