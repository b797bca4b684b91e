"""Where lessons are kept on disk."""

from __future__ import annotations

import os
from pathlib import Path


def lessons_folder(namespace: str, given: str = '') -> Path:
    """
    Return the folder of the lessons of a namespace.

    :param given: where a person wants them; '': gbs_irl in $ROS_HOME or ~/.ros.
    """
    home = Path(os.environ.get('ROS_HOME') or Path.home() / '.ros')
    folder = Path(given).expanduser() if given else home / 'gbs_irl'
    return folder / namespace.strip('/')
