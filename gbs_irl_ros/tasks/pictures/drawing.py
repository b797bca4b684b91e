"""Pictures of worlds, rewards and policies."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.tasks.layout import DISTANCES, LANES, RIGHT, STAY, UNIT, Layout, Scene
from gbs_irl_ros.tasks.world import FloorImage, World

DPI = 120
WALL_COLOUR, FREE_COLOUR, EDGE_COLOUR = '#3b3f46', '#f4f1ea', '#d8d2c4'
PATH_COLOUR = '#7b3294'
CELL_OVER_FLOOR, WALL_OVER_FLOOR = 0.55, 0.25      # how much they hide of a picture under them
MAX_LISTED = 30
MAX_ARROWS = 2500


def draw_world(world: World, file: Path, *, reward: np.ndarray | None = None,
               policy: Policy | None = None, path: Sequence[int] = (), title: str = '') -> None:
    """
    Draw a world into a PNG file.

    :param reward: ``[S]``, shown as colours.
    :param policy: shown as arrows; goal states get a star.
    :param path: states that a robot went through, shown as a line where states have places.
    """
    from matplotlib.figure import Figure  # without pyplot, which takes half a second more
    figure = Figure(layout='constrained')
    if world.layout is not None:
        _draw_cells(figure, world, world.layout, reward, policy, path)
    elif world.scene(0) is not None:
        _draw_road(figure, world, policy)
    else:
        _draw_list(figure, world, reward, policy)
    figure.suptitle(title or world.name, fontsize=12)
    figure.savefig(file, dpi=DPI)


def _draw_cells(figure: Any, world: World, layout: Layout, reward: np.ndarray | None,
                policy: Policy | None, path: Sequence[int]) -> None:
    rows, columns = layout.shape
    scale = min(0.5, 12.0 / max(rows, columns))
    figure.set_size_inches(max(columns * scale, 4) + 1.6, max(rows * scale, 3) + 1.2)
    axes = figure.subplots()
    size, extent = layout.cell_size, layout.extent
    positions = world.appearance.positions
    assert positions is not None
    floor = world.appearance.floor
    picture = np.ones((rows, columns, 4))
    picture[..., :3] = _rgb(WALL_COLOUR)
    picture[layout.states >= 0, :3] = _rgb(FREE_COLOUR)
    if floor is not None:
        axes.imshow(_image(floor), extent=floor.extent, cmap='gray', vmin=0, vmax=255,
                    interpolation='antialiased')
        picture[..., 3] = np.where(layout.states >= 0, CELL_OVER_FLOOR, WALL_OVER_FLOOR)
    axes.imshow(picture, extent=extent, interpolation='nearest')
    if reward is not None:
        shown = layout.drawn(reward, np.nan)
        most = max(float(np.nanmax(np.abs(shown))), 1e-12)
        image = axes.imshow(shown, extent=extent, cmap='RdBu', vmin=-most, vmax=most, alpha=0.85,
                            interpolation='nearest')
        figure.colorbar(image, ax=axes, label='reward', shrink=0.8)
    axes.set_facecolor(WALL_COLOUR)
    axes.set_xlim(extent[0] - size / 4, extent[1] + size / 4)       # a wall around it
    axes.set_ylim(extent[2] - size / 4, extent[3] + size / 4)
    if max(rows, columns) <= 60:
        axes.set_xticks(np.arange(extent[0], extent[1] + size / 2, size), minor=True)
        axes.set_yticks(np.arange(extent[2], extent[3] + size / 2, size), minor=True)
        axes.grid(which='minor', color=EDGE_COLOUR, linewidth=0.6)
        axes.tick_params(which='minor', length=0)
        axes.xaxis.remove_overlapping_locs = axes.yaxis.remove_overlapping_locs = False
    _draw_walls(axes, world, layout)
    # Colours mean one thing at a time: regions are filled only where no reward is shown.
    _draw_regions(axes, positions, size, world.appearance.regions, filled=reward is None)
    _number_cells(axes, layout)
    starts = np.flatnonzero(world.start)
    if len(starts) < world.mdp.num_states:
        axes.plot(*positions[starts].T, 'o', color='#1b7837', markersize=9 * scale / 0.5,
                  label='start')
    if policy is not None:
        _draw_policy(axes, world, positions, policy, scale)
    if len(path):
        axes.plot(*positions[list(path)].T, '-', color=PATH_COLOUR, linewidth=6 * scale / 0.5,
                  alpha=0.55, solid_capstyle='round', label='driven')
        axes.plot(*positions[path[0]], 's', color=PATH_COLOUR, markersize=8 * scale / 0.5,
                  label='from here')
    if axes.get_legend_handles_labels()[0]:
        figure.legend(loc='outside lower center', ncols=3, frameon=False)
    axes.set_xlabel('x [m]')
    axes.set_ylabel('y [m]')


def _image(floor: FloorImage) -> np.ndarray:
    """Return the grey values of a picture of the floor."""
    from PIL import Image  # only maps need it
    with Image.open(io.BytesIO(floor.png), formats=('PNG',)) as image:
        return np.asarray(image.convert('L'))


def _number_cells(axes: Any, layout: Layout) -> None:
    """Write the numbers of columns at the top and of rows at the right, as files name them."""
    if max(layout.shape) > 60:
        return
    (rows, columns), size = layout.shape, layout.cell_size
    left, _, _, top = layout.extent
    every = 1 if max(layout.shape) <= 25 else 5
    for axis, count, first, place, step in (
            (axes.secondary_xaxis('top'), columns, layout.first[0], left + size / 2, size),
            (axes.secondary_yaxis('right'), rows, layout.first[1], top - size / 2, -size)):
        shown = [number for number in range(count) if (first + number) % every == 0]
        axis.set_ticks([place + number * step for number in shown],
                       [str(first + number) for number in shown], fontsize=7)
        axis.tick_params(length=0)


def _draw_walls(axes: Any, world: World, layout: Layout) -> None:
    """Draw a line between neighbouring cells that no move joins, dotted if one direction does."""
    left, _, _, top = layout.extent
    size = layout.cell_size
    for row, column, side, one_way in layout.walls(world.mdp.transitions):
        x, y = left + column * size, top - row * size
        ends = ((x + size, x + size), (y, y - size)) if side == RIGHT \
            else ((x, x + size), (y - size, y - size))
        axes.plot(*ends, ':' if one_way else '-', color=WALL_COLOUR, linewidth=2)


def _draw_regions(axes: Any, positions: np.ndarray, size: float,
                  regions: Mapping[str, np.ndarray], *, filled: bool) -> None:
    from matplotlib import colormaps
    from matplotlib.patches import Rectangle
    colours = colormaps['tab10'](np.arange(10))
    for number, (name, states) in enumerate(regions.items()):
        if not len(states) or len(states) > len(positions) // 2:
            continue
        colour = colours[number % len(colours)]
        for x, y in positions[states]:
            if filled:
                axes.add_patch(Rectangle((x - size / 2, y - size / 2), size, size,
                                         facecolor=colour, alpha=0.3, edgecolor='none'))
        centre = positions[states].mean(axis=0)     # may lie outside: take the nearest member
        nearest = np.argmin(np.linalg.norm(positions[states] - centre, axis=1))
        x, y = positions[states[nearest]] if len(states) > 4 else centre
        lifted = 0.0 if filled else 0.36 * size     # not over the arrows
        axes.text(x, y + lifted, name, ha='center', va='center', fontsize=8 if filled else 6,
                  fontweight='bold', zorder=5,
                  bbox={'facecolor': 'white', 'alpha': 0.6, 'edgecolor': 'none', 'pad': 1})


def _draw_policy(axes: Any, world: World, positions: np.ndarray, policy: Policy,
                 scale: float) -> None:
    pairs = [(state, world.headings[action]) for state in range(policy.num_states)
             for action in policy.actions(state)]
    moves = [(state, UNIT[heading]) for state, heading in pairs if heading not in (None, STAY)]
    if moves and policy.num_states <= MAX_ARROWS:
        states = np.array([state for state, _ in moves])
        steps = np.array([step for _, step in moves]) * world.appearance.cell_size * 0.36
        axes.quiver(*positions[states].T, *steps.T, angles='xy', scale_units='xy', scale=1,
                    width=0.0025, color='#222222')
    rests = [state for state, heading in pairs if heading == STAY]
    if rests:
        axes.plot(*positions[rests].T, 's', color='#222222', markersize=4, label='stay')
    if len(policy.goal_states):
        axes.plot(*positions[policy.goal_states].T, '*', color='#e6a700', markersize=22 * scale,
                  markeredgecolor='#222222', label='goal')


def _draw_road(figure: Any, world: World, policy: Policy | None) -> None:
    """Draw three situations on the road, as examples of states, and where the policy goes."""
    from matplotlib.patches import FancyBboxPatch
    figure.set_size_inches(9, 5)
    all_axes = figure.subplots(1, 3)
    examples = np.random.default_rng(0).choice(world.mdp.num_states, len(all_axes))
    for axes, state in zip(all_axes, examples, strict=True):
        scene: Scene | None = world.scene(int(state))
        assert scene is not None
        axes.set_xlim(0, LANES)
        axes.set_ylim(-0.3, DISTANCES + 0.3)
        for lane in range(LANES):
            colour = '#bdb6a4' if lane in (0, LANES - 1) else '#6b7079'
            axes.axvspan(lane, lane + 1, color=colour, ec='white')

        def car(lane: float, ahead: float, colour: str, axes: Any = axes) -> None:
            axes.add_patch(FancyBboxPatch((lane + 0.3, ahead + 0.2), 0.4, 0.6, color=colour,
                                          boxstyle='round,pad=0.05'))

        for lane, ahead in scene.cars:
            car(lane, ahead, '#c0392b')
        car(scene.own, 0, '#2e6fbf')
        if policy is not None:
            axes.plot([action + 0.5 for action in policy.actions(int(state))],
                      [1.35] * len(policy.actions(int(state))), '^', color='#f2c14e',
                      markersize=14, markeredgecolor='#222222', label='go to this lane')
        axes.set_xticks(np.arange(LANES) + 0.5,
                        [name.replace(' ', '\n') for name in world.appearance.action_names],
                        fontsize=7)
        axes.set_yticks(np.arange(DISTANCES) + 0.5, [str(d) for d in range(DISTANCES)])
        axes.set_ylabel('places ahead')
        axes.set_title(f'state {state}', fontsize=9)
    if policy is not None:
        figure.legend(*all_axes[0].get_legend_handles_labels(), loc='outside lower center',
                      frameon=False)


def _draw_list(figure: Any, world: World, reward: np.ndarray | None,
               policy: Policy | None) -> None:
    """Draw the states on a circle, with an arrow along each action's likeliest way."""
    count = min(world.mdp.num_states, MAX_LISTED)
    figure.set_size_inches(8, 8)
    axes = figure.subplots()
    angles = np.pi / 2 - 2 * np.pi * np.arange(count) / count
    places = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    from matplotlib import colormaps
    colours = colormaps['tab10'](np.arange(10))
    for action in range(world.mdp.num_actions):
        allowed = [state for state in range(count)
                   if policy is None or action in policy.actions(state)]
        for number, state in enumerate(allowed):
            row = world.mdp.transitions[state * world.mdp.num_actions + action]
            target = int(row.indices[np.argmax(row.data)])
            if target < count and target != state:
                axes.annotate('', places[target] * 0.97, places[state] * 0.97, arrowprops={
                    'arrowstyle': '->', 'color': colours[action % 10], 'alpha': 0.6,
                    'connectionstyle': 'arc3,rad=0.15'})
            if number == 0:
                axes.plot([], [], color=colours[action % 10],
                          label=world.appearance.action_names[action])
    shades = 'white' if reward is None else reward[:count]
    axes.scatter(*places.T, s=260, c=shades, cmap=None if reward is None else 'RdBu',
                 edgecolors='#222222', zorder=3)
    for state in range(count):
        x, y = places[state] * 1.12
        label = world.state_name(state)
        axes.text(x, y, label if len(label) <= 14 else label[:12] + '…', ha='center', va='center',
                  fontsize=8)
    axes.set_axis_off()
    axes.set_xlim(-1.35, 1.35)
    axes.set_ylim(-1.35, 1.35)
    axes.legend(loc='lower right', title='likeliest way of', frameon=False, fontsize=8)
    if world.mdp.num_states > count:
        axes.text(0, -1.3, f'the first {count} of {world.mdp.num_states} states', ha='center')


def _rgb(colour: str) -> np.ndarray:
    return np.array([int(colour[i:i + 2], 16) / 255.0 for i in (1, 3, 5)])
