"""
Plans on disk, so that a task which was planned for once need not be planned for again.

What planning finds depends on the MDP and the rewards alone, and these name the file: a task with
another prior, other noise or another truth uses the same one. A file is there whole or not at all,
and is checked whenever it is read. Nothing that goes wrong with the disk is an error: then the
task is planned for as if nothing had been kept.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from gbs_irl_ros.core.errors import InvalidHypothesesError
from gbs_irl_ros.core.hypotheses import Candidates, Hypotheses
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.planning.never import Never
from gbs_irl_ros.core.planning.solver import TIE_TOLERANCE
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.tasks.plans.digest import ContentDigest
from gbs_irl_ros.tasks.plans.plan_file import (
    PLAN_VERSION,
    Plan,
    PlanFileError,
    read_plan,
    write_plan,
)
from gbs_irl_ros.tasks.whole_files import UNFINISHED, replacing

MEGABYTE = 1_000_000
DEFAULT_MEGABYTES = 1000
ABANDONED_S = 3600.0        # a file that is being written changes more often than this
OURS = re.compile(r'[0-9a-f]{64}\.plan(\..*\.tmp)?')


def plan_key(mdp: Mdp, rewards: Rewards, never: Never | None = None) -> str:
    """Return a SHA-256 of all that planning depends on, in hexadecimal."""
    digest = ContentDigest()
    digest.add_text(f'plan {PLAN_VERSION};ties {TIE_TOLERANCE!r};{rewards.per_action};')
    digest.add_sparse('transitions', mdp.transitions)
    digest.add('num_actions', np.array(mdp.num_actions), np.uint64)
    digest.add('discount', np.array(mdp.discount), np.float64)
    digest.add_sparse('weights', rewards.weights)
    digest.add_sparse('features', rewards.features)
    if never is not None:       # plans made before there was such a thing keep their key
        digest.add_sparse('never', never.states)
        digest.add_sparse('goals', never.goals)
    return digest.hexdigest()


def cache_folder(given: str = '') -> Path:
    """
    Return the folder of the plans.

    :param given: where a person wants them; '': gbs_irl_ros in $XDG_CACHE_HOME or ~/.cache.
    """
    if given:
        return Path(os.path.expanduser(given))
    home = os.environ.get('XDG_CACHE_HOME', '')
    if not os.path.isabs(home):     # to be ignored, says the XDG Base Directory Specification
        home = os.path.expanduser('~/.cache')
    if not os.path.isabs(home):     # a user without a home
        return Path(tempfile.gettempdir()) / f'gbs_irl_ros-{os.getuid()}'
    return Path(home) / 'gbs_irl_ros'


class PlanCache:
    """
    A folder of plans that keeps to a size: those not used for longest go first.

    Any number of processes may use it at once.

    folder: made when the first plan is stored, for its owner alone.
    loaded, stored: the file of the plan that was last loaded or stored here, None if none was.
    """

    def __init__(self, folder: Path, max_bytes: int = DEFAULT_MEGABYTES * MEGABYTE,
                 log: Callable[[str], None] | None = None) -> None:
        """
        Use a folder, which need not exist.

        :param max_bytes: of all its plans together; 0: nothing is loaded and nothing kept.
        :param log: called with a line whenever something is wrong.
        """
        self.folder = folder
        self.loaded: Path | None = None
        self.stored: Path | None = None
        self._max_bytes = max_bytes
        self._log = log or (lambda line: None)

    def path(self, key: str) -> Path:
        """Return the file of a key, whether it exists or not."""
        return self.folder / f'{key}.plan'

    def planned(self, candidates: Candidates, plan: Callable[[], Hypotheses]) -> Hypotheses:
        """
        Return the hypotheses by the plan that is kept for them.

        :param plan: called where none is, and its plan is kept.
        """
        key = plan_key(candidates.mdp, candidates.rewards, candidates.avoidance)
        kept = self.load(key)
        if kept is not None:
            try:
                return candidates.with_plan(kept.sets, kept.policy_of_reward)
            except InvalidHypothesesError as error:
                self.discard(key, str(error))
        found = plan()
        self.store(key, Plan(found.sets, found.policy_of_reward))
        return found

    def load(self, key: str) -> Plan | None:
        """Return the plan of a key, None if there is none that can be used."""
        self.loaded = None
        if self._max_bytes <= 0:
            return None
        try:
            plan = self._read(key)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, PlanFileError, MemoryError) as error:
            if os.access(self.folder, os.X_OK):     # where we may not even look, storing says so
                self.discard(key, _reason(error))
            return None
        self.loaded = self.path(key)
        return plan

    def store(self, key: str, plan: Plan) -> None:
        """Keep a plan; anyone who reads meanwhile finds the one before, or this one, or none."""
        self.stored = None
        if self._max_bytes <= 0:
            return
        if plan.file_size > self._max_bytes:
            self._log(f'{self.folder}: the plan is not kept: it takes {_size(plan.file_size)}, '
                      f'the cache may take {_size(self._max_bytes)}; allow it more')
            return
        try:
            self._write(key, plan)
        except OSError as error:
            self._log(f'{self.folder}: plans cannot be kept here: {_reason(error)}; fix that, '
                      'give the cache another folder, or switch it off')
            return
        self.stored = self.path(key)
        self._tidy()

    def discard(self, key: str, why: str) -> None:
        """Remove a plan that cannot be used."""
        self.loaded = None
        try:
            self.path(key).unlink(missing_ok=True)
        except OSError as error:
            end = f'it cannot be removed: {_reason(error)}'
        else:
            end = 'it was removed'
        self._log(f'{self.path(key)}: this plan is not used: {why}; {end}')

    def _read(self, key: str) -> Plan:
        # Without waiting: a pipe in its place would keep us for ever.
        file = os.open(self.path(key), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            about = os.fstat(file)
            if not stat.S_ISREG(about.st_mode):
                raise PlanFileError('it is not a file')
            if about.st_uid != os.geteuid():
                raise PlanFileError(f'it belongs to another user ({about.st_uid})')
            if about.st_size > self._max_bytes:
                raise PlanFileError(f'it has {_size(about.st_size)}, the cache may take '
                                    f'{_size(self._max_bytes)}')
            plan = read_plan(file, key)
            with contextlib.suppress(OSError):      # on a disk that is read only
                os.utime(file)                      # used just now: see _tidy
        finally:
            os.close(file)
        return plan

    def _write(self, key: str, plan: Plan) -> None:
        _make_folder(self.folder)
        with replacing(self.path(key), private=True) as file:
            write_plan(file.fileno(), key, plan)

    def _tidy(self) -> None:
        """Remove what killed processes left behind, then the plans that there is no room for."""
        plans, now = [], time.time()
        with contextlib.suppress(OSError), os.scandir(self.folder) as found:
            for entry in found:
                if not OURS.fullmatch(entry.name):
                    continue
                with contextlib.suppress(OSError):      # another process tidies as well
                    about = entry.stat(follow_symlinks=False)
                    if not stat.S_ISREG(about.st_mode):
                        continue
                    if not entry.name.endswith(UNFINISHED):
                        plans.append((about.st_mtime_ns, about.st_size, Path(entry.path)))
                    elif abs(now - about.st_mtime) > ABANDONED_S:   # clocks are set back, too
                        os.unlink(entry.path)
        total = sum(size for _, size, _ in plans)
        for _, size, path in sorted(plans):
            if total <= self._max_bytes:
                break
            if path != self.stored:
                with contextlib.suppress(OSError):
                    path.unlink(missing_ok=True)
                    total -= size


def _make_folder(folder: Path) -> None:
    if folder.is_dir():
        return      # somebody else's mode stays as it is
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except FileExistsError:
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR)) from None
    folder.chmod(0o700)     # whatever the umask


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__


def _size(count: int) -> str:
    return f'{count / MEGABYTE:g} MB'
