"""Maps as Nav2 uses them, written by the tests pixel by pixel."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from cases import for_each
from PIL import Image

from gbs_irl_ros.tasks import TaskFileError, load_task
from gbs_irl_ros.tasks.world import Picture
from gbs_irl_ros.tasks.worlds.nav2_map import OccupancyMap, build_map_world, grid_of_map, read_map

BLACK, GREY, WHITE = 0, 128, 254
FOUR = ('north', 'east', 'south', 'west')
UNKNOWN = 205       # what map savers write, https://github.com/ros-navigation/navigation2/pull/5278


def p5(pixels, largest=255):
    rows, columns = np.shape(pixels)
    dtype = '>u2' if largest > 255 else 'u1'
    return f'P5\n{columns} {rows}\n{largest}\n'.encode() + np.array(pixels, dtype=dtype).tobytes()


def p2(pixels, largest=255):
    rows, columns = np.shape(pixels)
    lines = '\n'.join(' '.join(map(str, row)) for row in np.array(pixels).tolist())
    return f'P2\n# by hand\n{columns} {rows}\n{largest}\n{lines}\n'.encode()


def read(folder, image, name='map.pgm', **fields):
    """Write an image and its map.yaml and read them."""
    if isinstance(image, bytes):
        (folder / name).write_bytes(image)
    return read_written(folder, image=name, **fields)


def read_written(folder, **fields):
    fields = {'resolution': 0.5, 'origin': [0.0, 0.0, 0.0], 'free_thresh': 0.25, **fields}
    text = ''.join(f'{key}: {value}\n' for key, value in fields.items() if value is not None)
    (folder / 'map.yaml').write_text(text)
    return read_map(folder / 'map.yaml', folder, 'map.yaml')


def png(folder, pixels, name='map.png'):
    Image.fromarray(np.array(pixels, dtype=np.uint8)).save(folder / name)


def occupancy(*rows, resolution=1.0, origin=(0.0, 0.0)):
    """A map drawn as text, # occupied."""
    return OccupancyMap(np.array([[c != '#' for c in row] for row in rows]), resolution, origin)


def clearance(occupied, points):
    """How far points [N, 2] are from the nearest occupied pixel, a square, by brute force."""
    edge, rows = occupied.resolution, occupied.free.shape[0]
    row, column = np.nonzero(~occupied.free)
    low = np.stack([column, rows - 1 - row], axis=1) * edge + occupied.origin
    away = np.maximum(0.0, np.maximum(low - points[:, np.newaxis],
                                      points[:, np.newaxis] - low - edge))
    return np.hypot(away[..., 0], away[..., 1]).min(axis=1)


PIXELS = [[WHITE, WHITE, BLACK], [WHITE, GREY, WHITE]]
FREE = [[True, True, False], [True, False, True]]


class TestReading:
    @pytest.mark.parametrize('written', [p5, p2])
    def test_both_kinds_of_pgm_are_read_with_row_0_at_the_top(self, tmp_path, written):
        found = read(tmp_path, written(PIXELS), resolution=0.1, origin=[-1.0, 2.5, 0.0])
        assert found.free.tolist() == FREE
        assert found.resolution == 0.1
        assert found.origin == (-1.0, 2.5)

    def test_a_png_is_read_alike(self, tmp_path):
        png(tmp_path, PIXELS)
        assert read(tmp_path, None, 'map.png').free.tolist() == FREE

    def test_a_coloured_png_is_read_by_its_brightness(self, tmp_path):
        png(tmp_path, np.repeat(np.array(PIXELS)[..., np.newaxis], 3, axis=2))
        assert read(tmp_path, None, 'map.png').free.tolist() == FREE

    def test_other_largest_values_are_scaled(self, tmp_path):
        assert read(tmp_path, p2([[0, 50, 100]], 100)).free.tolist() == [[False, False, True]]

    @for_each('dark', [1, 300, 5000, 32768])
    def test_dark_pixels_of_an_image_with_16_bits_are_not_free(self, tmp_path, dark):
        image = p5([[dark, 65535, 0]], 65535)
        try:
            free = read(tmp_path, image).free
        except TaskFileError:
            return      # to refuse such images would do as well
        assert free.tolist() == [[False, True, False]]

    def test_dark_pixels_of_a_png_with_16_bits_are_not_free(self, tmp_path):
        Image.fromarray(np.array([[5000, 65535, 0]], dtype=np.uint16)).save(tmp_path / 'map.png')
        try:
            free = read(tmp_path, None, 'map.png').free
        except TaskFileError:
            return
        assert free.tolist() == [[False, True, False]]

    def test_negated_black_is_free(self, tmp_path):
        found = read(tmp_path, p5([[BLACK, GREY, WHITE]]), negate=1)
        assert found.free.tolist() == [[True, False, False]]

    def test_a_pixel_is_free_below_the_threshold_of_darkness(self, tmp_path):
        pixels = p5([[255, 204, 179, 178, 0]])      # darkness 0, 0.2, 0.298, 0.302, 1
        found = read(tmp_path, pixels, free_thresh=0.3, occupied_thresh=0.9)
        assert found.free.tolist() == [[True, True, True, False, False]]

    def test_darkness_at_the_threshold_is_not_free(self, tmp_path):
        assert not read(tmp_path, p2([[3]], 4), free_thresh=64 / 255).free[0, 0]

    def test_unknown_counts_as_occupied(self, tmp_path):
        assert not read(tmp_path, p5([[GREY]])).free[0, 0]
        assert not read(tmp_path, p5([[UNKNOWN]]), free_thresh=0.196).free[0, 0]

    @for_each('free_thresh', [None, 0.196, 0.25, 0.5])
    def test_what_map_savers_call_unknown_is_never_free(self, tmp_path, free_thresh):
        found = read(tmp_path, p5([[UNKNOWN, WHITE, BLACK, 204, 206]]), free_thresh=free_thresh)
        assert found.free[0, :3].tolist() == [False, True, False]
        assert found.free[0, 3] == (free_thresh in (0.25, 0.5))
        assert found.num_unknown == (2 if free_thresh in (None, 0.196) else 1)

    @for_each('fields', [{'negate': 1, 'free_thresh': 0.9, 'occupied_thresh': 0.95},
                         {'mode': 'scale'}])
    def test_in_other_maps_that_grey_is_like_any_other(self, tmp_path, fields):
        found = read(tmp_path, p5([[UNKNOWN]]), **fields)
        assert found.free[0, 0]
        assert not found.grey_is_unknown

    def test_a_map_in_raw_mode_is_not_read_upside_down(self, tmp_path):
        """In that mode a pixel is the occupancy itself: 0 free, 100 occupied."""
        try:
            free = read(tmp_path, p5([[0, 100]]), mode='raw').free
        except TaskFileError:
            return
        assert free.tolist() == [[True, False]]

    def test_an_origin_may_leave_out_the_yaw(self, tmp_path):
        assert read(tmp_path, p5([[WHITE]]), origin=[3, 4]).origin == (3.0, 4.0)

    def test_an_image_may_lie_below_the_file(self, tmp_path):
        (tmp_path / 'images').mkdir()
        assert read(tmp_path, p5([[WHITE]]), 'images/map.pgm').free.all()


class TestRefusing:
    def test_a_turned_map(self, tmp_path):
        with pytest.raises(TaskFileError, match=r'^map.yaml:2: origin: a turned map cannot be '
                                                r'used, got a yaw of 0.5; expected 0$'):
            read_written(tmp_path, resolution=1.0, origin=[0, 0, 0.5], image='map.pgm')

    def test_thresholds_that_overlap(self, tmp_path):
        with pytest.raises(TaskFileError, match=r'free_thresh: is too large, got 0.7; expected '
                                                r'less than occupied_thresh = 0.65'):
            read(tmp_path, p5([[WHITE]]), free_thresh=0.7)

    def test_an_image_that_is_not_there(self, tmp_path):
        with pytest.raises(TaskFileError, match=r"image: cannot be found, got 'map.pgm'"):
            read(tmp_path, None)

    def test_an_image_of_another_kind(self, tmp_path):
        with pytest.raises(TaskFileError, match=r"of an unknown kind, got 'map.jpg'; expected "
                                                r"one of \['.pgm', '.png'\]"):
            read(tmp_path, b'', 'map.jpg')

    def test_an_image_that_is_none(self, tmp_path):
        with pytest.raises(TaskFileError, match=r"cannot be read as an image, got 'map.pgm'"):
            read(tmp_path, b'no image')

    def test_an_image_that_is_cut_off(self, tmp_path):
        with pytest.raises(TaskFileError, match=r"cannot be read as an image, got 'map.pgm'"):
            read(tmp_path, p5(PIXELS)[:-2])

    @pytest.mark.parametrize('name', ['../map.pgm', '/map.pgm'])
    def test_an_image_outside_the_folder(self, tmp_path, name):
        with pytest.raises(TaskFileError, match=r'image: must lie in the folder of the task '
                                                r'file, got'):
            read_written(tmp_path, image=name)

    def test_a_link_that_leads_outside_the_folder(self, tmp_path):
        inside = tmp_path / 'inside'
        inside.mkdir()
        (tmp_path / 'secret.pgm').write_bytes(p5(PIXELS))
        (inside / 'map.pgm').symlink_to(tmp_path / 'secret.pgm')
        with pytest.raises(TaskFileError, match='image: must lie in the folder'):
            read(inside, None)

    @for_each('edge', [5001, 10_000, 20_000])
    def test_an_image_that_is_too_large_before_it_is_decoded(self, tmp_path, edge):
        header = f'P5 {edge} {edge} 255\n'.encode()
        with pytest.raises(TaskFileError, match=rf'^map.yaml:\d: image: is too large, got {edge} '
                                                rf'x {edge} pixels; expected at most 25000000'):
            read(tmp_path, header)

    def test_cells_larger_than_the_map(self):
        with pytest.raises(TaskFileError, match=r'^cell_size: is larger than the map, got 3.0 m; '
                                                r'expected at most 2 m$'):
            grid_of_map(occupancy('....', '....'), 3.0, 0.0)

    def test_more_cells_than_anyone_can_use(self):
        with pytest.raises(TaskFileError, match=r'^cell_size: makes too many cells, got 4000 x '
                                                r'2000; expected at most 4000000 in all$'):
            grid_of_map(occupancy('....', '....'), 0.001, 0.0)

    def test_a_robot_that_fits_nowhere(self):
        with pytest.raises(TaskFileError, match=r'^robot_radius: leaves no free cell, got 2.0 m'):
            grid_of_map(occupancy('...', '.#.', '...'), 1.0, 2.0)


TASK = """
format: 1
world: {kind: map, file: map.yaml, cell_size: 0.5, regions: {desk: [0.0, 0.0, 0.5, 0.5]}}
hypotheses: {kind: goals, goals: free}
"""


def load_with(folder, pixels, **fields):
    """Return the task on a map as a map saver of before mid-2025 wrote it."""
    (folder / 'map.pgm').write_bytes(p5(pixels))
    fields = {'image': 'map.pgm', 'resolution': 0.5, 'origin': [0, 0, 0], 'free_thresh': 0.25,
              **fields}
    (folder / 'map.yaml').write_text(''.join(f'{key}: {fields[key]}\n' for key in fields))
    (folder / 'task.yaml').write_text(TASK)
    return load_task(folder / 'task.yaml')


class TestMapsOfBefore2025:
    def test_the_outside_does_not_become_the_world(self, tmp_path):
        pixels = np.full((9, 9), UNKNOWN)
        pixels[5:, :4], pixels[6:, :3] = BLACK, WHITE
        assert load_with(tmp_path, pixels).world.mdp.num_states == 9

    def test_a_map_with_only_unknown_cells_is_refused_for_that(self, tmp_path):
        with pytest.raises(TaskFileError, match=(
                r'task.yaml:3: world.file: names a map without free space, got 4 unknown and 0 '
                r'occupied pixels; expected the map of a place that has been explored; grey 205 '
                r'is what map savers write for unknown: where it is meant to be free, draw it '
                r'lighter$')):
            load_with(tmp_path, [[UNKNOWN] * 2] * 2)

    def test_a_region_in_the_unknown_is_told_why(self, tmp_path):
        with pytest.raises(TaskFileError, match=r'regions.desk: holds no free cell, got .*; '
                                                r'grey 205 is what map savers write for unknown'):
            load_with(tmp_path, [[WHITE, WHITE], [UNKNOWN, WHITE]])

    def test_a_map_that_was_moved_is_another_task(self, tmp_path):
        pixels = [[WHITE, WHITE], [WHITE, WHITE]]
        here = load_with(tmp_path, pixels)
        there = load_with(tmp_path, pixels, origin=[-0.25, 0.25, 0])
        assert here.hash != there.hash
        assert here.content_hash == there.content_hash


class TestCutting:
    def test_one_pixel_per_cell_is_the_map_itself(self):
        grid = grid_of_map(occupancy('.#.', '...'), 1.0, 0.0)
        assert grid.free.astype(int).tolist() == [[1, 0, 1], [1, 1, 1]]

    def test_the_origin_is_the_lower_left_corner(self):
        grid = grid_of_map(occupancy('##.', '#..', origin=(10.0, 20.0)), 1.0, 0.0)
        np.testing.assert_allclose(grid.positions(), [[12.5, 21.5], [11.5, 20.5], [12.5, 20.5]])

    def test_what_does_not_fill_a_cell_is_cut_off_at_the_top_and_right(self):
        grid = grid_of_map(occupancy('#####', '....#', '....#', resolution=0.5), 1.0, 0.0)
        assert grid.shape == (1, 2)
        assert grid.free.all()
        np.testing.assert_allclose(grid.positions(), [[0.5, 0.5], [1.5, 0.5]])

    @for_each(('resolution', 'cell'), [(0.05, 0.15), (0.1, 0.7), (0.05, 0.35)])
    def test_rounding_loses_no_cell(self, resolution, cell):
        pixels = round(7 * cell / resolution)
        grid = grid_of_map(OccupancyMap(np.ones((pixels, pixels), dtype=bool), resolution,
                                        (0.0, 0.0)), cell, 0.0)
        assert grid.shape == (7, 7)

    def test_cells_may_be_smaller_than_pixels(self):
        grid = grid_of_map(occupancy('.#', '..'), 0.5, 0.0)
        assert grid.free.astype(int).tolist() == [
            [1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 1, 1], [1, 1, 1, 1]]

    def test_a_robot_keeps_its_radius_from_walls(self):
        rows = ['.......'] * 3 + ['...#...'] + ['.......'] * 3
        small = grid_of_map(occupancy(*rows), 1.0, 0.4)     # the wall's edge is 0.5 away
        large = grid_of_map(occupancy(*rows), 1.0, 0.9)
        assert np.argwhere(~small.free).tolist() == [[3, 3]]
        assert np.argwhere(~large.free).tolist() == [
            [row, column] for row in (2, 3, 4) for column in (2, 3, 4)]

    def test_a_larger_robot_never_has_more_room(self, rng):
        free = rng.random((30, 30)) < 0.97
        room = [grid_of_map(OccupancyMap(free, 0.1, (0.0, 0.0)), 0.2, radius).num_states
                for radius in (0.0, 0.15, 0.25)]
        assert room == sorted(room, reverse=True)
        assert room[0] > room[-1]

    def test_no_free_cell_is_nearer_to_an_obstacle_than_the_robot_is_wide(self, rng):
        """What the module promises; the centre of a cell may lie between pixels."""
        for _ in range(20):
            drawn = OccupancyMap(rng.random((40, 40)) < 0.98, 0.05, (0.0, 0.0))
            grid = grid_of_map(drawn, 0.2, 0.12)
            assert clearance(drawn, grid.positions()).min() >= 0.12 - 1e-9

    def test_free_cells_are_never_nearer_than_the_radius_less_one_and_a_half_pixels(self, rng):
        for _ in range(20):
            drawn = OccupancyMap(rng.random((40, 40)) < 0.98, 0.05, (0.0, 0.0))
            grid = grid_of_map(drawn, 0.2, 0.12)
            assert clearance(drawn, grid.positions()).min() > 0.12 - 1.5 * 0.05

    def test_a_wall_thinner_than_a_cell_separates_two_cells(self):
        grid = grid_of_map(occupancy(*['......#........'] * 3, *['...............'] * 3), 3.0, 0.0)
        assert grid.free.all()
        above, below = grid.state_of_cell[:, 1:4]
        # the wall is at x 6 to 7, between the centres 4.5 and 7.5 of the upper row
        assert grid.after('east')[above[0]] == above[0]
        assert grid.after('west')[above[1]] == above[1]
        assert grid.after('east')[above[1]] == above[2]
        assert grid.after('east')[below[0]] == below[1]

    @pytest.mark.slow
    @for_each(('resolution', 'cell'), [
        (0.05, 0.5), (0.05, 0.25), (0.05, 0.3), (0.1, 1.0), (0.02, 0.1), (1.0, 10.0), (0.25, 1.0)])
    @for_each('across', [True, False], ids=['upright', 'level'])
    def test_no_wall_of_one_pixel_is_leapt_over(self, resolution, cell, across):
        """Wherever it stands between two centres, in both directions."""
        pixels = round(3 * cell / resolution)
        leapt = []
        for place in range(pixels):
            free = np.ones((pixels, pixels), dtype=bool)
            free[:, place] = False
            middle = (place + 0.5) * resolution
            if not across:                          # the same, with y for x
                free = free.T[::-1]
            grid = grid_of_map(OccupancyMap(free, resolution, (0.0, 0.0)), cell, 0.0)
            ahead, back = ('east', 'west') if across else ('north', 'south')
            for first in range(2):
                low, high = (first + 0.5) * cell, (first + 1.5) * cell
                if not low + resolution < middle < high - resolution:
                    continue
                one = (1, first) if across else (2 - first, 1)
                two = (1, first + 1) if across else (1 - first, 1)
                if not (grid.blocked[ahead][one] and grid.blocked[back][two]):
                    leapt.append(place)
        assert leapt == []

    @for_each('seed', range(3))
    def test_a_robot_that_can_go_somewhere_can_come_back(self, seed):
        rng = np.random.default_rng(seed)
        drawn = OccupancyMap(rng.random((60, 60)) < 0.99, 0.05, (0.0, 0.0))
        grid = grid_of_map(drawn, 0.5, 0.0)
        for ahead, back in (('east', 'west'), ('north', 'south')):
            target = grid.after(ahead)
            moved = np.flatnonzero(target != np.arange(grid.num_states))
            np.testing.assert_array_equal(grid.after(back)[target[moved]], moved)

    def test_only_the_largest_part_is_kept(self):
        grid = grid_of_map(occupancy('..#...', '..#...'), 1.0, 0.0)
        assert grid.free.astype(int).tolist() == [[0, 0, 0, 1, 1, 1]] * 2
        assert grid.num_states == 6

    def test_without_an_obstacle_any_robot_fits(self):
        assert grid_of_map(occupancy('..', '..'), 1.0, 50.0).free.all()


class TestWorld:
    def test_regions_are_the_cells_whose_centres_lie_inside(self):
        grid = grid_of_map(occupancy('....', '....', origin=(-2.0, 0.0)), 1.0, 0.0)
        built = build_map_world(grid, {
            'left': (-2.0, 0.0, 0.0, 2.0), 'one': (0.5, 0.5, 0.5, 0.5), 'none': (5, 5, 9, 9)},
            FOUR, 0.95, 0.0)
        assert {name: states.tolist() for name, states in built.regions.items()} == {
            'left': [0, 1, 4, 5], 'one': [6], 'none': []}

    def test_it_moves_like_its_grid_and_looks_like_a_map(self):
        grid = grid_of_map(occupancy('...', '.#.'), 1.0, 0.0)
        built = build_map_world(grid, {}, (*FOUR, 'stay'), 0.9, 0.2)
        assert built.world.appearance.picture is Picture.MAP
        assert built.mdp.num_actions == 5
        built.world.appearance.check_fits(built.mdp)
        np.testing.assert_allclose(built.mdp.transitions[0 * 5 + 1].toarray()[0],
                                   [0.1, 0.8, 0, 0.1, 0])

    @pytest.mark.slow
    def test_in_the_shipped_room_no_way_comes_nearer_to_a_wall_than_the_robot_is_wide(self):
        folder = Path(__file__).parents[3] / 'config' / 'tasks'
        room = read_map(folder / 'maps' / 'room.yaml', folder, 'room.yaml')
        grid = grid_of_map(room, 0.5, 0.2)
        at = grid.positions()
        for move in ('north', 'east'):
            to = at[grid.after(move)]
            for share in np.linspace(0.0, 1.0, 11):
                assert clearance(room, at + share * (to - at)).min() >= 0.2 - 1e-9


@pytest.mark.slow
@pytest.mark.parametrize(('cell_size', 'cells'), [(0.05, 1000), (0.25, 200)])
def test_a_large_map_loads_in_seconds(tmp_path, rng, cell_size, cells):
    pixels = np.where(rng.random((1000, 1000)) < 0.01, BLACK, WHITE)
    (tmp_path / 'map.pgm').write_bytes(p5(pixels))
    (tmp_path / 'map.yaml').write_text('image: map.pgm\nresolution: 0.05\norigin: [0, 0, 0]\n')
    (tmp_path / 'task.yaml').write_text(f"""format: 1
world: {{kind: map, file: map.yaml, cell_size: {cell_size}, regions: {{
  here: [0, 0, 10, 10], there: [40, 40, 50, 50]}}}}
hypotheses: {{kind: goals, goals: regions}}
""")
    begun = time.perf_counter()
    task = load_task(tmp_path / 'task.yaml')
    took = time.perf_counter() - begun
    print(f'{cells} x {cells} cells: {task.world.mdp.num_states} states in {took:.2f} s')
    assert 0.9 * cells**2 < task.world.mdp.num_states < cells**2
    assert took < 30.0      # a machine may be busy; idle it takes a few seconds
