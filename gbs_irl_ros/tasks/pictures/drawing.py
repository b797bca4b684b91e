"""Pictures of worlds, rewards and policies."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.tasks.pictures.text_view import cell_layout
from gbs_irl_ros.tasks.world import Picture, World
from gbs_irl_ros.tasks.worlds.driver import DISTANCES, LANES, scene_of

DPI = 120
STEPS = {'north': (0, 1), 'east': (1, 0), 'south': (0, -1), 'west': (-1, 0)}
WALL_COLOUR, FREE_COLOUR, EDGE_COLOUR = '#3b3f46', '#f4f1ea', '#d8d2c4'
PATH_COLOUR = '#7b3294'
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
    import matplotlib
    matplotlib.use('Agg')
    from matplotlib import pyplot
    layout = cell_layout(world)
    if layout is not None:
        figure = _draw_cells(pyplot, world, layout, reward, policy, path)
    elif world.appearance.picture is Picture.ROAD:
        figure = _draw_road(pyplot, world, policy)
    else:
        figure = _draw_list(pyplot, world, reward, policy)
    figure.suptitle(title or world.name, fontsize=12)
    figure.savefig(file, dpi=DPI)
    pyplot.close(figure)


def _draw_cells(pyplot: Any, world: World, layout: np.ndarray, reward: np.ndarray | None,
                policy: Policy | None, path: Sequence[int]) -> Any:
    rows, columns = layout.shape
    scale = min(0.5, 12.0 / max(rows, columns))
    figure, axes = pyplot.subplots(
        figsize=(max(columns * scale, 4) + 1.6, max(rows * scale, 3) + 1.2), layout='constrained')
    size = world.appearance.cell_size
    positions = world.appearance.positions
    assert positions is not None
    low = positions.min(axis=0) - size / 2
    extent = (low[0], low[0] + columns * size, low[1], low[1] + rows * size)
    picture = np.ones((rows, columns, 3)) * _rgb(WALL_COLOUR)
    picture[layout >= 0] = _rgb(FREE_COLOUR)
    axes.imshow(picture, extent=extent, interpolation='nearest')
    if reward is not None:
        shown = np.where(layout >= 0, reward[np.maximum(layout, 0)], np.nan)
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
    _draw_walls(axes, world, layout, (low[0], low[1] + rows * size), size)
    # Colours mean one thing at a time: regions are filled only where no reward is shown.
    _draw_regions(axes, positions, size, world.appearance.regions, filled=reward is None)
    _number_cells(axes, world, layout)
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
    return figure


def _number_cells(axes: Any, world: World, layout: np.ndarray) -> None:
    """Write the numbers of columns at the top and of rows at the right, as files name them."""
    positions, names = world.appearance.positions, world.appearance.state_names
    cells = [re.fullmatch(r'\((\d+), (\d+)\)', name) for name in names]
    if positions is None or not cells or not all(cells) or max(layout.shape) > 60:
        return
    columns = {int(cell.group(1)): x for cell, x in zip(cells, positions[:, 0], strict=True)
               if cell}
    rows = {int(cell.group(2)): y for cell, y in zip(cells, positions[:, 1], strict=True) if cell}
    every = 1 if max(layout.shape) <= 25 else 5
    for numbers, axis in ((columns, axes.secondary_xaxis('top')),
                          (rows, axes.secondary_yaxis('right'))):
        shown = [number for number in sorted(numbers) if number % every == 0]
        axis.set_ticks([numbers[number] for number in shown], [str(number) for number in shown],
                       fontsize=7)
        axis.tick_params(length=0)


def _draw_walls(axes: Any, world: World, layout: np.ndarray, corner: tuple[float, float],
                size: float) -> None:
    """Draw a line between neighbouring cells that no move joins, dashed if one direction does."""
    actions = {name: number for number, name in enumerate(world.appearance.action_names)}
    transitions, count = world.mdp.transitions, world.mdp.num_actions

    def leads(source: np.ndarray, action: str, target: np.ndarray) -> np.ndarray:
        return np.asarray(transitions[source * count + actions[action], target]).ravel() > 0.0

    for ahead, back, first, second in (
            ('east', 'west', layout[:, :-1], layout[:, 1:]),
            ('south', 'north', layout[:-1], layout[1:])):
        if ahead not in actions or back not in actions:
            continue
        rows, columns = np.nonzero((first >= 0) & (second >= 0))
        one, two = first[rows, columns], second[rows, columns]
        there, again = leads(one, ahead, two), leads(two, back, one)
        for walls, style in ((~there & ~again, '-'), (there ^ again, ':')):
            x, y = corner[0] + columns[walls] * size, corner[1] - rows[walls] * size
            ends = (((x + size, x + size), (y, y - size)) if ahead == 'east'
                    else ((x, x + size), (y - size, y - size)))
            axes.plot(np.array(ends[0]), np.array(ends[1]), style, color=WALL_COLOUR, linewidth=2)


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
    names = world.appearance.action_names
    pairs = [(state, names[action]) for state in range(policy.num_states)
             for action in policy.actions(state)]
    moves = [(state, STEPS[name]) for state, name in pairs if name in STEPS]
    if moves and policy.num_states <= MAX_ARROWS:
        states = np.array([state for state, _ in moves])
        steps = np.array([step for _, step in moves]) * world.appearance.cell_size * 0.36
        axes.quiver(*positions[states].T, *steps.T, angles='xy', scale_units='xy', scale=1,
                    width=0.0025, color='#222222')
    rests = [state for state, name in pairs if name == 'stay']
    if rests:
        axes.plot(*positions[rests].T, 's', color='#222222', markersize=4, label='stay')
    if len(policy.goal_states):
        axes.plot(*positions[policy.goal_states].T, '*', color='#e6a700', markersize=22 * scale,
                  markeredgecolor='#222222', label='goal')


def _draw_road(pyplot: Any, world: World, policy: Policy | None) -> Any:
    """Draw three situations on the road, as examples of states, and where the policy goes."""
    from matplotlib.patches import FancyBboxPatch
    figure, all_axes = pyplot.subplots(1, 3, figsize=(9, 5), layout='constrained')
    examples = np.random.default_rng(0).choice(world.mdp.num_states, len(all_axes))
    for axes, state in zip(all_axes, examples, strict=True):
        scene = scene_of(int(state))
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
    return figure


def _draw_list(pyplot: Any, world: World, reward: np.ndarray | None,
               policy: Policy | None) -> Any:
    """Draw the states on a circle, with an arrow along each action's likeliest way."""
    count = min(world.mdp.num_states, MAX_LISTED)
    figure, axes = pyplot.subplots(figsize=(8, 8), layout='constrained')
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
    return figure


def _rgb(colour: str) -> np.ndarray:
    return np.array([int(colour[i:i + 2], 16) / 255.0 for i in (1, 3, 5)])
