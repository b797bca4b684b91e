"""
Frames that are given in other frames, as tf has them, and where one of them is in another.

Only the newest transform of each frame is kept: a robot that is steered wants to know where it is
now. All times are of a steady clock [s].
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from gbs_irl_ros.core.errors import GbsIrlError, InvalidRecordError
from gbs_irl_ros.driving.pose import InvalidMotionError, Pose

SHORTEST_QUATERNION = 1e-6
MAX_FRAMES = 10_000
Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]      # x, y, z, w


class NoTransformError(GbsIrlError):
    """The frames are not connected."""


@dataclass(frozen=True)
class Transform:
    """
    Where a frame is in another one.

    translation: x, y, z [m]. rotation: of length 1.
    """

    translation: Vector
    rotation: Quaternion

    @classmethod
    def of(cls, translation: Vector, rotation: Quaternion) -> Transform:
        """Return a transform of any finite numbers; raise if they are none, or not a rotation."""
        if not all(math.isfinite(value) for value in translation):
            raise InvalidMotionError(f'the translation must be finite, got {translation}')
        return cls(translation, unit(rotation))

    def after(self, other: Transform) -> Transform:
        """Return this transform as seen from the frame in which its own frame is the other's."""
        x, y, z = _rotated(self.translation, other.rotation)
        left, up, high = other.translation
        return Transform((left + x, up + y, high + z), _product(other.rotation, self.rotation))

    @property
    def inverse(self) -> Transform:
        """Return where the other frame is in this one."""
        x, y, z, w = self.rotation
        back = (-x, -y, -z, w)
        across, up, high = _rotated(self.translation, back)
        return Transform((-across, -up, -high), back)

    @property
    def pose(self) -> Pose:
        """Return the same in the plane: seen from above."""
        return Pose(self.translation[0], self.translation[1], yaw_of(self.rotation))


HERE = Transform((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))


@dataclass(frozen=True)
class Link:
    """
    A frame in its parent.

    seen_at: when it was so; inf if it always is.
    """

    parent: str
    transform: Transform
    seen_at: float


@dataclass(frozen=True)
class Found:
    """
    Where a frame is in another one.

    seen_at: when the oldest of the links between them was seen; inf if none can change.
    oldest: that link, in words; '' if there is none.
    """

    pose: Pose
    seen_at: float
    oldest: str


class TransformTree:
    """The newest transform of every frame."""

    def __init__(self) -> None:
        self._links: dict[str, Link] = {}

    def put(self, child: str, parent: str, transform: Transform,
            seen_at: float = math.inf) -> None:
        """
        Learn where a frame is in its parent, which may be another one than before.

        :param seen_at: when; inf: always, as on ``/tf_static``.
        """
        child, parent = plain(child), plain(parent)
        if not child or not parent or child == parent:
            raise InvalidMotionError(
                f'a transform must lead from one frame to another, got {parent!r} -> {child!r}')
        if len(self._links) >= MAX_FRAMES and child not in self._links:
            raise InvalidMotionError(f'there must be at most {MAX_FRAMES} frames, {child!r} is '
                                     'one more')
        self._links[child] = Link(parent, transform, seen_at)

    def seen_at(self, child: str) -> float:
        """Return when a frame was last seen, -inf if never."""
        link = self._links.get(plain(child))
        return -math.inf if link is None else link.seen_at

    def look_up(self, target: str, source: str) -> Found:
        """Return where the source frame is in the target frame; raise if that is not known."""
        target, source = plain(target), plain(source)
        up, down = self._ancestors(source), self._ancestors(target)
        common = next((frame for frame in up if frame in down), None)
        if common is None:
            raise NoTransformError(self._gap(target, source, list(up)[-1]))
        pose = self._composed(source, common).after(self._composed(target, common).inverse).pose
        links = [(self._links[frame].seen_at, f'{self._links[frame].parent} -> {frame}')
                 for way in (up, down) for frame in _until(way, common)]
        seen_at, oldest = min(links, default=(math.inf, ''))
        return Found(pose, seen_at, oldest if seen_at < math.inf else '')

    def frames_between(self, target: str, source: str) -> frozenset[str]:
        """Return the frames whose links tell where the source is in the target."""
        return frozenset((*self._ancestors(plain(source)), *self._ancestors(plain(target))))

    def _ancestors(self, frame: str) -> dict[str, None]:
        """Return a frame, its parent, and so on, in this order; raise if they lead in a circle."""
        way: dict[str, None] = {frame: None}
        while (link := self._links.get(frame)) is not None:
            frame = link.parent
            if frame in way:
                raise NoTransformError(
                    f'the frames lead in a circle: {" -> ".join((*way, frame))}')
            way[frame] = None
        return way

    def _composed(self, frame: str, ancestor: str) -> Transform:
        transform = HERE
        while frame != ancestor:
            link = self._links[frame]
            transform, frame = transform.after(link.transform), link.parent
        return transform

    def _gap(self, target: str, source: str, root: str) -> str:
        if source not in self._links and not self._is_parent(source):
            return f'nobody gives the frame {source!r}'
        if target not in self._links and not self._is_parent(target):
            return f'nobody gives the frame {target!r}'
        return f'the frame {root!r}, above {source!r}, is given in no other'

    def _is_parent(self, frame: str) -> bool:
        return any(link.parent == frame for link in self._links.values())


def plain(frame: str) -> str:
    """Return the name of a frame without the slash of ROS 1."""
    return frame.removeprefix('/')


def unit(rotation: Quaternion) -> Quaternion:
    """Return a rotation of length 1; raise if it is not a rotation."""
    length = math.sqrt(sum(value * value for value in rotation))
    if not (math.isfinite(length) and length > SHORTEST_QUATERNION):
        raise InvalidRecordError(f'the orientation must be a rotation, got {rotation}')
    x, y, z, w = rotation
    return x / length, y / length, z / length, w / length


def yaw_of(rotation: Quaternion) -> float:
    """Return the part of a rotation of length 1 about the vertical axis [rad]."""
    x, y, z, w = rotation
    return math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))


def _product(one: Quaternion, two: Quaternion) -> Quaternion:
    (a, b, c, d), (e, f, g, h) = one, two
    return (d * e + a * h + b * g - c * f, d * f - a * g + b * h + c * e,
            d * g + a * f - b * e + c * h, d * h - a * e - b * f - c * g)


def _rotated(vector: Vector, rotation: Quaternion) -> Vector:
    x, y, z, w = rotation
    back = (-x, -y, -z, w)
    turned = _product(_product(rotation, (*vector, 0.0)), back)
    return turned[0], turned[1], turned[2]


def _until(way: dict[str, None], end: str) -> list[str]:
    frames = list(way)
    return frames[:frames.index(end)]
