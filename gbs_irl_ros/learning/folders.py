"""Where lessons are kept on disk, and where the parameter files are."""

from __future__ import annotations

import os
from pathlib import Path

from gbs_irl_ros.core.errors import GbsIrlError

PACKAGE = 'gbs_irl_ros'
CHECKOUT = Path(__file__).parents[2]


def lessons_folder(namespace: str, given: str = '') -> Path:
    """
    Return the folder of the lessons of a namespace.

    :param given: where a person wants them; '': gbs_irl in $ROS_HOME or ~/.ros.
    """
    home = Path(os.environ.get('ROS_HOME') or Path.home() / '.ros')
    folder = Path(given).expanduser() if given else home / 'gbs_irl'
    return folder / namespace.strip('/')


def config_folder() -> Path:
    """Return the folder of the parameter files: of the checkout, or as installed."""
    if (CHECKOUT / 'config').is_dir() and (CHECKOUT / 'package.xml').is_file():
        return CHECKOUT / 'config'
    for prefix in os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep):
        folder = Path(prefix) / 'share' / PACKAGE / 'config'
        if folder.is_dir():
            return folder
    raise GbsIrlError(f'the folder config of {PACKAGE} cannot be found; source the workspace that '
                      'it is installed in')
