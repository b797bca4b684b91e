"""Pictures: that they are there, of the right size, and that what is drawn can be seen in them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from cases import for_each
from PIL import Image

from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.tasks import World, load_task, shipped_tasks
from gbs_irl_ros.tasks.pictures.drawing import FREE_COLOUR, WALL_COLOUR, draw_world
from gbs_irl_ros.tasks.worlds.trap_world import build_trap_world


def pixels(file):
    with Image.open(file) as image:
        return np.asarray(image.convert('RGB')).reshape(-1, 3)


def share(file, colour):
    """Return the share of pixels of about this colour."""
    wanted = [int(colour[i:i + 2], 16) for i in (1, 3, 5)]
    return float((np.abs(pixels(file).astype(int) - wanted).max(axis=1) <= 3).mean())


@pytest.mark.slow
@for_each('name', sorted(shipped_tasks()))
def test_every_shipped_task_can_be_drawn(name, tmp_path):
    file = tmp_path / 'task.png'
    draw_world(load_task(name).world, file)
    with Image.open(file) as image:
        assert min(image.size) >= 300
        assert max(image.size) <= 3000
    assert len(np.unique(pixels(file).astype(int) @ [65536, 256, 1])) > 10


@pytest.mark.slow
def test_walls_and_free_cells_are_seen(tmp_path):
    file, world = tmp_path / 'room.png', load_task('room').world
    draw_world(replace(world, appearance=replace(world.appearance, floor=None)), file)
    assert share(file, WALL_COLOUR) > 0.1
    assert share(file, FREE_COLOUR) > 0.2
    # With the picture of the map under them, the walls of the map are seen where they are.
    plain = pixels(file).astype(int).sum(axis=-1)
    draw_world(world, file)
    mapped = pixels(file).astype(int).sum(axis=-1)
    assert share(file, WALL_COLOUR) < 0.1
    assert (mapped < 60).mean() > 2 * (plain < 60).mean() + 0.05


@pytest.mark.slow
def test_walls_between_cells_are_seen(tmp_path):
    world = load_task('trap_world').world
    file = tmp_path / 'trap.png'
    draw_world(world, file)
    built = build_trap_world((3, 3), 10, [], [], 0.95, 0.5)
    open_field = tmp_path / 'open.png'
    draw_world(World('open', built.mdp, world.start, built.world.appearance), open_field)
    assert share(file, WALL_COLOUR) > share(open_field, WALL_COLOUR) + 0.001


@pytest.mark.slow
def test_a_reward_is_seen_in_red_and_blue(tmp_path):
    world = load_task('grid_world').world
    reward = np.where(np.arange(190) < 95, 1.0, -1.0)
    file = tmp_path / 'reward.png'
    draw_world(world, file, reward=reward)
    colours = pixels(file).astype(int)
    assert (colours[:, 2] - colours[:, 0] > 60).mean() > 0.1
    assert (colours[:, 0] - colours[:, 2] > 60).mean() > 0.1


@pytest.mark.slow
def test_a_policy_adds_arrows_and_a_goal(tmp_path):
    world = load_task('grid_world').world
    plain, arrows = tmp_path / 'plain.png', tmp_path / 'arrows.png'
    draw_world(world, plain)
    policy = Policy(np.full(190, 1), np.ones(190), np.array([18]), 4)
    draw_world(world, arrows, policy=policy)
    assert share(arrows, '#222222') > share(plain, '#222222') + 0.003
    assert share(arrows, '#e6a700') > 0.0


def test_a_reward_and_a_policy_can_be_drawn_without_geometry(tmp_path):
    world = load_task('random_mdp').world
    policy = Policy(np.full(50, 1), np.ones(50), np.array([], dtype=int), 5)
    draw_world(world, tmp_path / 'list.png', reward=np.linspace(-1, 1, 50), policy=policy)
    assert (tmp_path / 'list.png').stat().st_size > 5000
