"""Settings of ROS 2 security that look as if they protected and do not."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from gbs_irl_ros.core.errors import GbsIrlError

ENABLE, STRATEGY, KEYSTORE = (
    'ROS_SECURITY_ENABLE', 'ROS_SECURITY_STRATEGY', 'ROS_SECURITY_KEYSTORE')
OFF, ON = ('', 'false'), 'true'
STRATEGIES = ('Enforce', 'Permissive')


class SecuritySettingsError(GbsIrlError):
    """Security is asked for in a way that ROS would ignore without a word."""


def check_security(environment: Mapping[str, str]) -> None:
    """
    Raise if security is set up by halves.

    ROS compares these words exactly: ``ROS_SECURITY_ENABLE=1`` or ``True`` is off, and any
    strategy but ``Enforce``, none included, lets a node start without keys.
    """
    enabled, strategy = environment.get(ENABLE, ''), environment.get(STRATEGY, '')
    keystore = environment.get(KEYSTORE, '')
    if enabled not in (*OFF, ON):
        raise SecuritySettingsError(
            f'{ENABLE} must be exactly "true" or "false", got {enabled!r}: ROS would start '
            'without security')
    if enabled in OFF:
        if enabled == '' and (strategy or keystore):
            raise SecuritySettingsError(
                f'{STRATEGY if strategy else KEYSTORE} is set but {ENABLE} is not: set it to '
                '"true", or to "false" to go without security')
        return
    if strategy not in STRATEGIES:
        raise SecuritySettingsError(
            f'{STRATEGY} must be exactly "Enforce", or "Permissive" to let nodes start without '
            f'keys, got {strategy!r}')
    if not Path(keystore or '.missing').is_dir():
        raise SecuritySettingsError(
            f'{KEYSTORE} must be a folder with keys, got {keystore!r}; make one by '
            '"ros2 security create_keystore"')
