"""Domains of experiments by name: ours, and those of others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import is_dataclass
from typing import Any, TypeVar

from gbs_irl_ros.core.errors import InvalidOptionError
from gbs_irl_ros.core.registry import Registry, made
from gbs_irl_ros.experiments.domains import (
    Domain,
    Driver,
    DriverFeatures,
    GoalGrid,
    RandomMdps,
    ShippedTask,
)

Kind = TypeVar('Kind', bound=type)


def _wrong(domain: Any) -> str | None:
    if isinstance(domain, type) and is_dataclass(domain) and callable(
            getattr(domain, 'mdp', None)) and callable(getattr(domain, 'draw', None)):
        return None
    return f'a domain must be a dataclass with the methods mdp and draw, got {domain!r}'


DOMAINS: Registry[type[Domain]] = Registry('domain', 'gbs_irl_ros.domains', _wrong)
for _name, _domain in (('random_mdps', RandomMdps), ('shipped_task', ShippedTask),
                       ('driver', Driver), ('driver_features', DriverFeatures),
                       ('goal_grid', GoalGrid)):
    DOMAINS.register(_name, _domain)
DOMAINS.seal()


def register_domain(name: str) -> Callable[[Kind], Kind]:
    """Return a decorator that makes a domain known by name to ``make_domain`` and ``compare``."""
    def register(domain: Kind) -> Kind:
        DOMAINS.register(name, domain)
        return domain
    return register


def make_domain(name: str, **options: Any) -> Domain:
    """Return the domain of that name; options are its fields."""
    try:
        return made(DOMAINS[name], 'domain', options)
    except TypeError as error:
        raise InvalidOptionError(f'domain {name!r}: {error}') from None
