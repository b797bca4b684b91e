"""`make setup` when things go wrong: one clear line, a non-zero exit, nothing half made."""

from __future__ import annotations

import fcntl
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import threading
import zipfile
from pathlib import Path

import pytest
from cases import for_each
from waiting import patience

ROOT = Path(__file__).parent.parent
OFFLINE = 'the Python package index cannot be reached; check the network and run this again'
UV = shutil.which('uv') or str(ROOT / '.uv' / 'bin' / 'uv')
PLAIN = {name: value for name, value in os.environ.items()
         if not name.startswith(('PIP_', 'UV_', 'ROS', 'AMENT', 'COLCON', 'COVERAGE', 'CMAKE',
                                 'PYTHON', '_ROS'))
         and name not in ('LD_LIBRARY_PATH', 'VIRTUAL_ENV', 'MAKEFLAGS', 'MAKELEVEL')}
PLAIN['PATH'] = os.pathsep.join([str(Path(UV).parent), os.environ['PATH']])
need_uv = pytest.mark.skipif(not Path(UV).exists(), reason='make setup has not got uv')
BASE_PYTHON = Path(sys.base_prefix) / 'bin' / f'python3.{sys.version_info[1]}'


@pytest.fixture
def checkout(tmp_path):
    """A copy of what set-up reads, with requirements that name one package only."""
    root = tmp_path / 'checkout'
    for folder in ('tools', 'msg', 'srv'):
        shutil.copytree(ROOT / folder, root / folder)
    for name in ('Makefile', 'CMakeLists.txt', 'package.xml'):
        shutil.copy(ROOT / name, root)
    (root / 'requirements').mkdir()
    for name in ('drake', 'jazzy', 'kilted', 'lock', 'python', 'tools', 'uv'):
        (root / 'requirements' / f'{name}.txt').write_text('# nothing\n')
    return root


REQUIREMENTS = {file.stem: file.read_text() for file in (ROOT / 'requirements').glob('*.txt')}


def pinned(text):
    """Return name and version of everything that a requirement file names."""
    return [(name.lower().replace('_', '-'), version) for name, version in re.findall(
        r'^([A-Za-z0-9._-]+)(?:\[\w,]*\])?==([^\s;]+)', text, re.MULTILINE)]


def test_whatever_is_fetched_must_have_a_known_sum():
    for name in ('docs_lock', 'drake', 'jazzy', 'kilted', 'lock', 'uv'):
        without_comments = re.sub(r'^#.*\n', '', REQUIREMENTS[name], flags=re.MULTILINE)
        entries = re.split(r'\n(?=[A-Za-z])', without_comments)
        without = [entry for entry in entries if '--hash=sha256:' not in entry]
        assert entries
        assert without == [], f'requirements/{name}.txt: run `make lock`'


def test_the_sums_are_of_the_versions_that_are_wanted():
    locked = set(pinned(REQUIREMENTS['lock']))
    wanted = {*pinned(REQUIREMENTS['python']), *pinned(REQUIREMENTS['tools'])}
    assert wanted - locked == set(), 'run `make lock`'
    assert set(pinned(REQUIREMENTS['docs'])) <= set(pinned(REQUIREMENTS['docs_lock']))


def test_drake_is_left_out_where_it_does_not_exist():
    """For an older C library, another one, or another processor."""
    script = ('import platform, sys; sys.path.insert(0, "tools"); import setup_environment as s;'
              'platform.libc_ver = lambda: ("glibc", "2.31"); assert not s.has_drake();'
              'platform.libc_ver = lambda: ("", ""); assert not s.has_drake();'
              'platform.libc_ver = lambda: ("glibc", "2.39");'
              'platform.machine = lambda: "x86_64"; assert s.has_drake();'
              'assert "drake.txt" in str(s.requirement_files("sourced"));'
              'platform.machine = lambda: "aarch64"; assert not s.has_drake();'
              'assert "drake.txt" not in str(s.requirement_files("jazzy"))')
    done = subprocess.run([BASE_PYTHON, '-c', script], cwd=ROOT, env=PLAIN, capture_output=True,
                          text=True, timeout=patience(60))
    assert done.returncode == 0, done.stderr


def setup(checkout, *arguments, environment=PLAIN, prefix=(), python=BASE_PYTHON):
    return subprocess.run(
        [*prefix, python, 'tools/setup_environment.py', *arguments], cwd=checkout,
        env=environment, capture_output=True, text=True, timeout=patience(120))


def only_error(done):
    """Return the one line that a failed set-up wrote to standard error."""
    assert done.returncode == 1, done.stdout + done.stderr
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith('setup: ')
    return lines[0]


def offline(port=9):
    """An environment in which pip and uv can ask nobody but a port of this machine."""
    return {**PLAIN, 'PIP_CONFIG_FILE': os.devnull, 'PIP_RETRIES': '1', 'PIP_NO_CACHE_DIR': '1',
            'PIP_INDEX_URL': f'http://127.0.0.1:{port}/simple', 'UV_HTTP_RETRIES': '0',
            'UV_NO_CACHE': '1'}


@pytest.fixture
def silent_server():
    """A server that accepts connections and never says anything."""
    with socket.create_server(('127.0.0.1', 0)) as server:
        connected = threading.Event()
        kept = []

        def accept():
            try:
                while True:
                    kept.append(server.accept()[0])
                    connected.set()
            except OSError:
                pass

        thread = threading.Thread(target=accept)
        thread.start()
        yield server.getsockname()[1], connected
        server.shutdown(socket.SHUT_RDWR)
        thread.join()
        for connection in kept:
            connection.close()


@need_uv
def test_a_pin_that_does_not_exist_is_named(checkout):
    (checkout / 'requirements' / 'jazzy.txt').write_text('ros-nothing==99.0\n')
    # an index that answers, and has no such package
    index = checkout / 'index' / 'ros-nothing'
    index.mkdir(parents=True)
    (index / 'index.html').write_text('<html></html>')
    environment = {**offline(), 'PIP_INDEX_URL': f'file://{checkout}/index'}
    error = only_error(setup(checkout, environment=environment))
    assert 'requirements/jazzy.txt: no package ros-nothing==99.0 exists for Python 3.' in error
    assert 'correct that line' in error
    assert not (checkout / '.venv').exists()


@need_uv
def test_a_file_that_is_not_the_one_that_was_tried_is_refused(checkout):
    index = checkout / 'index' / 'nothing'
    index.mkdir(parents=True)
    (index / 'index.html').write_text('<a href="nothing-1.0-py3-none-any.whl">nothing</a>')
    with zipfile.ZipFile(index / 'nothing-1.0-py3-none-any.whl', 'w') as wheel:
        wheel.writestr('nothing-1.0.dist-info/METADATA',
                       'Metadata-Version: 2.1\nName: nothing\nVersion: 1.0\n')
        wheel.writestr('nothing-1.0.dist-info/WHEEL', 'Wheel-Version: 1.0\nTag: py3-none-any\n')
        wheel.writestr('nothing-1.0.dist-info/RECORD', '')
    (checkout / 'requirements' / 'jazzy.txt').write_text(
        f'nothing==1.0 --hash=sha256:{0:064}\n')
    environment = {**offline(), 'PIP_INDEX_URL': f'file://{checkout}/index'}
    assert only_error(setup(checkout, environment=environment)) == (
        'setup: requirements/jazzy.txt: the file fetched for nothing==1.0 is not the one that was '
        'tried: its sum differs; do not use it, and check which package index is set')
    assert not (checkout / '.venv').exists()


@need_uv
def test_no_network_is_called_that_and_the_environment_that_was_there_is_kept(checkout):
    (checkout / '.venv').mkdir()
    (checkout / '.venv' / 'setup-stamp').write_text('an older one')
    (checkout / '.venv' / 'precious').write_text('kept')
    (checkout / 'requirements' / 'jazzy.txt').write_text('six==1.16.0\n')
    assert OFFLINE in only_error(setup(checkout, environment=offline()))
    assert (checkout / '.venv' / 'precious').read_text() == 'kept'
    assert not (checkout / '.venv.old').exists()


def test_where_uv_is_not_installed_pip_is_asked_for_it(checkout):
    (checkout / 'requirements' / 'uv.txt').write_text('uv==0.13.7\n')
    programs = checkout / 'programs'
    programs.mkdir()
    for name in ('cc', 'c++', 'cmake', 'make'):
        (programs / name).symlink_to(shutil.which(name))
    error = only_error(setup(checkout, environment={**offline(), 'PATH': str(programs)}))
    assert error == f'setup: requirements/uv.txt: {OFFLINE}'
    assert not (checkout / '.venv').exists()


def test_a_full_disk_is_called_that(checkout):
    script = ('import sys; sys.path.insert(0, "tools"); import setup_environment as s;'
              'print(s.fetch_failure("error: write failed: No space left on device"))')
    done = subprocess.run([BASE_PYTHON, '-c', script], cwd=checkout, env=PLAIN,
                          capture_output=True, text=True, timeout=patience(60))
    assert done.stdout == 'the disk is full; about 2 GB are needed\n', done.stderr


def test_uv_asks_the_index_that_pip_is_set_to(checkout):
    script = ('import sys; sys.path.insert(0, "tools"); import setup_environment as s;'
              'told = s.uv_environment(); print(told["UV_DEFAULT_INDEX"], told["UV_INDEX"])')
    environment = {**offline(), 'PIP_EXTRA_INDEX_URL': 'file:///one file:///two'}
    done = subprocess.run([BASE_PYTHON, '-c', script], cwd=checkout, env=environment,
                          capture_output=True, text=True, timeout=patience(60))
    assert done.stdout == 'http://127.0.0.1:9/simple file:///one file:///two\n', done.stderr


def test_a_second_setup_in_the_same_folder_waits_for_the_first(checkout):
    # With a ROS that is not there it ends as soon as it is its turn.
    environment = {**PLAIN, 'ROS_DISTRO': 'jazzy', 'AMENT_PREFIX_PATH': '/opt/ros/jazzy'}
    with open(checkout / '.setup.lock', 'w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        second = subprocess.Popen(
            [BASE_PYTHON, 'tools/setup_environment.py'], cwd=checkout, env=environment,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert second.stdout.readline() == (
            'setup: another set-up is running in this folder; waiting for it\n')
        assert second.poll() is None
    _, errors = second.communicate(timeout=patience(60))
    assert 'cannot import rclpy' in errors


@need_uv
def test_an_environment_lost_between_two_steps_is_found_again(checkout):
    """Killed after the old one was moved aside and before the new one was finished."""
    (checkout / '.venv.old').mkdir()
    (checkout / '.venv.old' / 'precious').write_text('kept')
    (checkout / '.venv').mkdir()        # half made: no stamp
    (checkout / 'requirements' / 'jazzy.txt').write_text('six==1.16.0\n')
    only_error(setup(checkout, environment=offline()))
    assert (checkout / '.venv' / 'precious').read_text() == 'kept'


@need_uv
@pytest.mark.parametrize(('sign', 'code'), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_setup_leaves_nothing_half_made(checkout, silent_server, sign, code):
    port, connected = silent_server
    (checkout / 'requirements' / 'jazzy.txt').write_text('six==1.16.0\n')
    process = subprocess.Popen(
        [BASE_PYTHON, 'tools/setup_environment.py'], cwd=checkout, env=offline(port),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert connected.wait(patience(60)), 'nobody asked for the package'
    process.send_signal(sign)
    _, errors = process.communicate(timeout=patience(30))
    assert process.returncode == code, errors
    assert 'Traceback' not in errors
    assert not (checkout / '.venv').exists()


def test_a_python_outside_the_range_is_refused(checkout):
    script = ('import sys; sys.path.insert(0, "tools"); import setup_environment as s;'
              's.NEWEST_PYTHON = (3, 9); sys.argv = ["setup"]; sys.exit(s.main())')
    done = subprocess.run([BASE_PYTHON, '-c', script], cwd=checkout, env=PLAIN,
                          capture_output=True, text=True, timeout=patience(60))
    error = only_error(done)
    assert f'Python 3.{sys.version_info[1]} is not supported' in error
    assert 'expected 3.11 to 3.13' in error
    assert '`export PYTHON=python3.12`, then this again' in error     # also for make demo


def test_a_python_that_is_not_there_is_named(checkout):
    done = subprocess.run(['make', 'setup', 'PYTHON=python9'], cwd=checkout, env=PLAIN,
                          capture_output=True, text=True, timeout=patience(60))
    assert done.returncode != 0
    assert 'setup: python9 is missing; install Python 3.11 to 3.13' in done.stderr


def test_everything_missing_on_the_machine_is_listed_at_once(checkout):
    error = only_error(setup(checkout, environment={**PLAIN, 'PATH': str(checkout)}))
    for program in ('cc is missing', 'c++ is missing', 'cmake is missing', 'make is missing'):
        assert program in error
    assert 'apt install g++' in error


@for_each('modules, uv, said', [
    ((), False, 'the Python module venv is missing (Debian, Ubuntu: apt install python3-venv)'),
    (('venv',), False, 'the Python module venv is missing'),     # Ubuntu's without python3-venv
    (('venv', 'ensurepip'), False, ''),
    (('venv', 'pip'), False, ''),         # which gets uv by itself: the image ros:jazzy
    ((), True, '')])
def test_venv_is_wanted_only_where_nothing_else_gets_the_packages(modules, uv, said, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / 'tools'))
    import setup_environment
    monkeypatch.setattr(setup_environment, 'module_exists', modules.__contains__)
    programs = {'uv'} if uv else set()
    monkeypatch.setattr(setup_environment.shutil, 'which',
                        lambda name: name if name != 'uv' or name in programs else None)
    told = '; '.join(setup_environment.machine_problems('jazzy'))
    assert said in told if said else told == ''


@for_each('arguments, sourced, told', [
    (('--distro', 'foxy'), '', "DISTRO must be jazzy or kilted, got 'foxy'"),
    ((), 'humble', 'ROS 2 humble is sourced, this package needs Jazzy or newer'),
    ((), 'jazzy', 'cannot import rclpy; run `export PYTHON=/usr/bin/python3`, then this again')])
def test_a_ros_that_does_not_fit_is_refused(arguments, sourced, told, checkout):
    ros = {'ROS_DISTRO': sourced, 'AMENT_PREFIX_PATH': f'/opt/ros/{sourced}'} if sourced else {}
    assert told in only_error(setup(checkout, *arguments, environment={**PLAIN, **ros}))


def test_with_a_sourced_ros_each_missing_module_is_named_with_what_installs_it(
        checkout, tmp_path):
    """Otherwise the set-up is `ready`, and the node that needs it ends when it is started."""
    modules = {'aiohttp': 'aiohttp', 'joblib': 'joblib', 'matplotlib': 'matplotlib',
               'numpy': 'numpy', 'pillow': 'PIL', 'PyYAML': 'yaml', 'scipy': 'scipy'}
    shutil.copy(ROOT / 'requirements' / 'python.txt', checkout / 'requirements')
    environment = {**PLAIN, 'ROS_DISTRO': 'jazzy', 'AMENT_PREFIX_PATH': '/opt/ros/jazzy',
                   'PYTHONPATH': str(tmp_path)}
    for name in ('rclpy', *modules.values()):
        (tmp_path / f'{name}.py').touch()
    (tmp_path / 'sitecustomize.py').write_text(     # whatever else this machine has installed
        'import sys\nsys.path[:] = [path for path in sys.path if "-packages" not in path]\n')
    for package, module in modules.items():
        (tmp_path / f'{module}.py').rename(tmp_path / 'hidden')
        error = only_error(setup(checkout, environment=environment))
        assert (f'and these are missing: {package}; run `rosdep install --from-paths . '
                '--ignore-src -y` (before the first time: `sudo rosdep init; rosdep update`) or '
                f'`sudo apt install python3-{module.lower()}`, then this again') in error
        (tmp_path / 'hidden').rename(tmp_path / f'{module}.py')


def test_a_folder_that_cannot_be_written_is_named(checkout):
    if os.geteuid() != 0:
        checkout.chmod(0o555)
        error = only_error(setup(checkout))
        checkout.chmod(0o755)
    else:
        for folder in (checkout, *checkout.parents[:-1]):   # let nobody look, not write
            folder.chmod(folder.stat().st_mode | 0o055)
        error = only_error(setup(
            checkout, prefix=('setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'),
            python=Path('/usr/bin/python3')))
    assert f'cannot write into {checkout}; use a folder that you own' in error


@pytest.mark.root
def test_a_read_only_disk_is_named(checkout):
    if os.geteuid() != 0:
        pytest.skip('only root can mount')
    script = f'mount --bind {checkout} {checkout} && mount -o remount,ro,bind {checkout} && ' \
             f'cd {checkout} && {BASE_PYTHON} tools/setup_environment.py'
    done = subprocess.run(['unshare', '--mount', 'sh', '-c', script], env=PLAIN,
                          capture_output=True, text=True, timeout=patience(60))
    if 'unshare' in done.stderr or 'mount:' in done.stderr:
        pytest.skip(f'this machine allows no mounts: {done.stderr.strip()}')
    assert f'cannot write into {checkout}' in only_error(done)


def test_nothing_is_done_twice():
    """The real checkout is set up, or this test would not run."""
    if not (ROOT / '.venv' / 'setup-stamp').exists():
        pytest.skip('built by colcon without make setup')
    environment = dict(PLAIN)
    if os.environ.get('ROS_DISTRO'):
        environment = dict(os.environ)
    done = setup(ROOT, environment=environment, python=Path(os.path.realpath(sys.executable)))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].startswith('setup: ready')
    assert 'installing' not in done.stdout
    assert 'building' not in done.stdout


def test_a_command_before_setup_says_what_to_do(checkout):
    done = subprocess.run(['tools/ros-env', 'true'], cwd=checkout, env=PLAIN, capture_output=True,
                          text=True, timeout=patience(60))
    assert done.returncode == 1
    assert "run 'make setup' there" in done.stderr


def hasty_compiler(folder):
    """Return a compiler that does not optimise, which would take most of the time of a build."""
    compiler = folder / 'hasty-cc'
    compiler.write_text('#!/bin/sh\nexec cc "$@" -O0\n')
    compiler.chmod(0o755)
    return str(compiler)


@pytest.mark.ros
def test_a_colcon_build_with_links_installs_everything(tmp_path):
    """
    As on a ROS machine. make setup builds without links, and all messages; here one is enough.
    """
    pytest.importorskip('rclpy', reason='needs ROS 2')
    source = tmp_path / 'source'
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns('.*', 'test', 'docs'))
    cmake = (source / 'CMakeLists.txt').read_text()
    only_one = re.sub(r'^  (?!msg/Step)(msg|srv)/.*\n', '', cmake, flags=re.M)
    assert only_one.count('msg/') == 1
    (source / 'CMakeLists.txt').write_text(only_one)
    environment = {**os.environ, 'MAKEFLAGS': f'-j{os.cpu_count()}',
                   'CC': hasty_compiler(tmp_path)}
    environment['CMAKE_PREFIX_PATH'] = environment['AMENT_PREFIX_PATH'].replace(
        f'{ROOT}/.colcon/install/gbs_irl_ros:', '')
    environment['AMENT_PREFIX_PATH'] = environment['CMAKE_PREFIX_PATH']
    environment['PYTHONPATH'] = ''
    built = subprocess.run(
        [sys.executable, '-m', 'colcon', '--log-base', tmp_path / 'log', 'build',
         '--paths', source, '--symlink-install', '--build-base', tmp_path / 'build',
         '--install-base', tmp_path / 'install', '--cmake-args', '-DBUILD_TESTING=OFF',
         f'-DPython3_EXECUTABLE={sys.executable}'],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=patience(300))
    assert built.returncode == 0, built.stdout[-2000:] + built.stderr[-2000:]
    assert 'stderr output' not in built.stdout, built.stderr[-2000:]    # not even a warning

    def used(command):
        return subprocess.run(['bash', '-c', f'. {tmp_path}/install/setup.bash && {command}'],
                              cwd=tmp_path, env=environment, capture_output=True, text=True,
                              timeout=patience(60))

    script = ('import gbs_irl_ros; from gbs_irl_ros.msg import Step;'
              'from gbs_irl_ros.core import Learner; print(gbs_irl_ros.__file__)')
    imported = used(f'{sys.executable} -c "{script}"')
    assert imported.returncode == 0, imported.stderr
    installed = Path(imported.stdout.strip()).parent
    assert installed.is_relative_to(tmp_path / 'install')
    assert (installed / 'core' / '__init__.py').resolve().is_relative_to(source)
    assert not any('__pycache__' in str(path.readlink()) for path in installed.rglob('*')
                   if path.is_symlink())
    share = tmp_path / 'install' / 'gbs_irl_ros' / 'share' / 'gbs_irl_ros'
    assert (share / 'package.xml').exists()
    assert (share / 'config' / 'tasks' / 'room.yaml').exists()
    assert (installed / 'task_files' / 'maps' / 'room.pgm').exists()
    assert (installed / 'core' / 'planning' / '_kernel.so').exists()
    found = used('command -v gbs-irl').stdout.strip()     # in a shell that has sourced this
    assert found == str(tmp_path / 'install' / 'gbs_irl_ros' / 'bin' / 'gbs-irl')
    checked = used('gbs-irl check room')
    assert 'room.yaml: OK' in checked.stdout, checked.stderr


def test_modules_whose_sources_are_gone_are_not_left_installed(checkout):
    """Or an old module would still be imported after it was moved."""
    package = checkout / '.colcon/install/gbs_irl_ros/lib/python3.11/site-packages/gbs_irl_ros'
    kept = ['msg/_answer.py', 'task_files/room.yaml', 'core/mdp.py',
            'core/planning/_kernel.so']
    gone = ['core/moved.py', 'old/__init__.py', 'old/page/old.js']
    for name in (*kept, *gone):
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text('')
    source = checkout / 'gbs_irl_ros' / 'core' / 'mdp.py'
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text('')
    script = ('import sys; sys.path.insert(0, "tools"); import setup_environment as s;'
              's.remove_leftovers()')
    subprocess.run([sys.executable, '-c', script], cwd=checkout, check=True)
    left = {str(path.relative_to(package)) for path in package.rglob('*') if path.is_file()}
    assert left == set(kept)
    assert not (package / 'old').exists()


def test_what_is_corrected_in_one_checkout_stays_out_of_the_next(checkout, tmp_path):
    """Uv links all environments to one cache: correcting in place would spoil it for others."""
    cached, (first, second) = tmp_path / 'cached', (tmp_path / name for name in ('a', 'b'))
    cached.write_text('"/opt/python/cp311/include/python3.11;/opt/python/x/numpy/_core/include"')
    for root in (first, second):
        shutil.copytree(checkout, root)
        export = root / '.venv/share/std_msgs/cmake/std_msgs__rosidl_generator_pyExport.cmake'
        export.parent.mkdir(parents=True)
        export.hardlink_to(cached)
        (root / '.venv/bin').mkdir()
        python = root / '.venv/bin/python'      # a link would be an environment without numpy
        python.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
        python.chmod(0o755)
        before = cached.read_text()
        script = ('import sys; sys.path.insert(0, "tools"); import setup_environment as s;'
                  's.mend_include_paths()')
        subprocess.run([sys.executable, '-c', script], cwd=root, check=True)
        assert cached.read_text() == before
        folders = export.read_text().strip('"').split(';')
        assert len(folders) == 2
        assert all(Path(folder).is_dir() for folder in folders), folders
        cached.write_text('"/gone/include/python3.11;/gone/numpy/_core/include"')   # once spoiled


def test_the_build_of_make_setup_can_be_used_without_the_sources(tmp_path):
    """All messages and the code, from what was installed without links."""
    pytest.importorskip('rclpy', reason='needs ROS 2')
    if not (ROOT / '.colcon' / 'install').exists():
        pytest.skip('built by colcon without make setup')
    script = ('import gbs_irl_ros, gbs_irl_ros.msg, gbs_irl_ros.srv;'
              'import gbs_irl_ros.ros.messages.conversions;'
              'print(gbs_irl_ros.__file__)')
    used = subprocess.run(
        ['bash', '-c', f'. {ROOT}/.colcon/install/setup.bash && {sys.executable} -c "{script}"'],
        cwd=tmp_path, env={**os.environ, 'PYTHONPATH': ''}, capture_output=True, text=True,
        timeout=patience(60))
    assert used.returncode == 0, used.stderr
    installed = Path(used.stdout.strip()).parent
    assert installed.is_relative_to(ROOT / '.colcon')
    assert not (installed / 'core' / '__init__.py').is_symlink()
    prefix = ROOT / '.colcon' / 'install' / 'gbs_irl_ros'
    ours = {'test', 'tests', 'bench', 'soak', 'docs', 'tools', 'requirements', 'examples'}
    for_developers = [path for path in prefix.rglob('*') if path.name in ours
                      or path.name.startswith(('test_', 'conftest'))]
    assert for_developers == []


def test_the_source_archive_has_no_tests_and_pip_installs_the_ros_free_part_from_it(tmp_path):
    copy = tmp_path / 'source'
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns('.*', 'build', 'docs', '*.egg-info'))
    made = subprocess.run([sys.executable, 'setup.py', '-q', 'sdist', '-d', tmp_path], cwd=copy,
                          env=PLAIN, capture_output=True, text=True, timeout=patience(60))
    assert made.returncode == 0, made.stderr
    archive, = tmp_path.glob('*.tar.gz')
    with tarfile.open(archive) as files:
        names = {name.partition('/')[2] for name in files.getnames()}
    assert {'src/kernel.h', 'src/lanes.h', 'LICENSE'} <= names
    assert [name for name in names if name.partition('/')[0] == 'test'] == []
    installed = subprocess.run(
        [sys.executable, '-m', 'pip', 'install', '--no-deps', '--no-build-isolation', '--quiet',
         '--disable-pip-version-check', '--target', tmp_path / 'target', archive],
        cwd=tmp_path, env={**os.environ, 'CC': hasty_compiler(tmp_path)}, capture_output=True,
        text=True, timeout=patience(120))
    assert installed.returncode == 0, installed.stderr
    package = tmp_path / 'target' / 'gbs_irl_ros'
    folders = {path.name for path in package.iterdir() if path.is_dir()} - {'__pycache__'}
    assert folders == {'core', 'tasks', 'learning', 'teaching', 'driving', 'experiments', 'cli',
                       'languages', 'starting', 'task_files'}
    assert (package / 'core' / 'queries' / 'gbs.py').exists()
    used = subprocess.run(
        [sys.executable, '-c', 'import gbs_irl_ros.core as c; print(c.__file__);'
         'from gbs_irl_ros.tasks import load_task; print(load_task("room").world.name);'
         'from gbs_irl_ros.core.planning import kernel; print(kernel.library()._name)'],
        cwd=tmp_path, env={**PLAIN, 'PYTHONPATH': str(tmp_path / 'target')}, capture_output=True,
        text=True, timeout=patience(60))
    kernel, = (package / 'core' / 'planning').glob('_kernel*.so')
    assert used.stdout.split() == [str(package / 'core' / '__init__.py'), 'room', str(kernel)], \
        used.stderr
    command = tmp_path / 'target' / 'bin' / 'gbs-irl'
    assert command.exists()


PARSING = """
import sys
from rosidl_parser import parser
text = 'module a { module msg { struct B { long number; }; }; };'
found = parser.parse_idl_string(text)
print(parser.parse_idl_string.__name__, [each.structure.namespaced_type.name
                                         for each in found.elements])
"""


def test_generators_share_what_they_parse(tmp_path):
    """The first keeps it, the others find it; what is damaged is parsed again."""
    pytest.importorskip('rosidl_parser', reason='comes with ROS 2')
    script, kept = tmp_path / 'generator.py', tmp_path / 'kept'
    script.write_text(PARSING)
    environment = {**os.environ, 'PARSED_INTERFACES': str(kept), 'PYTHONPATH': os.pathsep.join(
        [str(ROOT / 'tools' / 'generators'), *sys.path])}

    def run(*arguments):
        done = subprocess.run([sys.executable, script, *arguments], env=environment,
                              capture_output=True, text=True, timeout=patience(60))
        assert done.returncode == 0, done.stderr
        return done.stdout.split(maxsplit=1)
    plain = run()[1]
    assert not kept.exists()        # nothing else than a generator is changed
    assert run('--generator-arguments-file') == ['remembered', plain]
    file, = kept.iterdir()
    written = file.read_bytes()
    assert run('--generator-arguments-file') == ['remembered', plain]
    file.write_bytes(written[:-1])
    assert run('--generator-arguments-file') == ['remembered', plain]
    assert file.read_bytes() == written
