"""`gbs-irl plugins`: what other packages add, and what is wrong with it."""

from __future__ import annotations

import argparse
from typing import Any

from gbs_irl_ros.cli.say import say
from gbs_irl_ros.core.registry import REGISTRIES


def add_plugins(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        'plugins', help='list what installed packages add',
        description='List strategies, domains, worlds, hypotheses, likelihoods and teachers that '
                    'installed packages declare as entry points, and try to load each.')
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Say what there is; return 1 if something cannot be used."""
    import gbs_irl_ros.experiments  # noqa: F401  its tables, too
    found, bad = False, False
    for group, registry in sorted(REGISTRIES.items()):
        problems = registry.problems()
        for name in registry:
            if name in problems or not registry.is_ours(name):
                found, bad = True, bad or name in problems
                say(f'{group}: {name}: {problems.get(name, "OK")}')
    if not found:
        say('no installed package adds anything')
    return int(bad)
