"""What was taught, as files for Nav2: a keep-out mask, and the parameters that use it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.tasks.keepout import mask_of_cells
from gbs_irl_ros.tasks.whole_files import replacing
from gbs_irl_ros.tasks.world import World

MASK_TOPIC, INFO_TOPIC = 'keepout_mask', 'costmap_filter_info'
SUFFIXES = ('.keepout.pgm', '.keepout.yaml', '.nav2.yaml')
PARAMETERS = """\
# Parameters for Nav2: {about}
# Paste them into those of your robot, and start the two servers with them:
#   ros2 run nav2_map_server map_server --ros-args \\
#       -r __node:=keepout_mask_server --params-file THIS
#   ros2 run nav2_map_server costmap_filter_info_server --ros-args \\
#       -r __node:=keepout_filter_info_server --params-file THIS
# Both are managed nodes: list them as node_names of a lifecycle_manager.
keepout_mask_server:
  ros__parameters:
    yaml_filename: {yaml}
    topic_name: {mask}
    frame_id: {frame}
keepout_filter_info_server:
  ros__parameters:
    type: 0                     # keep-out
    filter_info_topic: {info}
    mask_topic: {mask}
    base: 0.0
    multiplier: 1.0
"""
COSTMAP = """\
{name}:
  {name}:
    ros__parameters:
      filters: [keepout_filter]
      keepout_filter:
        plugin: "nav2_costmap_2d::KeepoutFilter"
        enabled: true
        filter_info_topic: /{info}
"""


class NotExportedError(GbsIrlError, OSError):
    """Files for Nav2 could not be written."""


def save_for_nav2(world: World, mask: np.ndarray, stem: Path, about: str) -> tuple[Path, ...]:
    """
    Write the mask and the parameters; return the files, the one to be pasted last.

    :param mask: ``[S]``, as in ``tasks.keepout``. stem: the names of the files begin so.
    :param about: one line that says what the mask is of.
    """
    if world.layout is None:
        raise NotExportedError(f'the states of task {world.name!r} have no cells on a floor, so '
                               'there is nothing that Nav2 could keep off')
    image, yaml, parameters = (stem.with_name(stem.name + suffix) for suffix in SUFFIXES)
    frame, topics = world.appearance.frame_id, {'mask': MASK_TOPIC, 'info': INFO_TOPIC}
    costmaps = ''.join(COSTMAP.format(name=name, **topics)
                       for name in ('global_costmap', 'local_costmap'))
    contents = {
        image: _image(mask_of_cells(world, mask), about),
        yaml: _map_file(world, image.name, about),
        parameters: PARAMETERS.format(about=about, yaml=_quoted(str(yaml.absolute())),
                                      frame=_quoted(frame), **topics) + costmaps}
    for path, content in contents.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(path) as file:
                file.write(content)
        except OSError as error:
            raise NotExportedError(f'{path}: cannot be written: {error.strerror}; name a folder '
                                   'that is yours, on a disk with room') from error
    return image, yaml, parameters


def _image(cells: np.ndarray, about: str) -> str:
    """Return a PGM in which the map server's mode `scale` finds the values again."""
    grey = 255 - np.round(cells * 2.55).astype(int)
    rows = '\n'.join(' '.join(map(str, row)) for row in grey.tolist())
    return f'P2\n# {about}\n{cells.shape[1]} {cells.shape[0]}\n255\n{rows}\n'


def _map_file(world: World, image: str, about: str) -> str:
    layout = world.layout
    assert layout is not None
    x, y = layout.corner
    return (f'# {about}\nimage: {_quoted(image)}\nmode: scale\n'
            f'resolution: {layout.cell_size!r}\norigin: [{x!r}, {y!r}, 0.0]\nnegate: 0\n'
            'occupied_thresh: 1.0\nfree_thresh: 0.0\n')


def _quoted(text: str) -> str:
    """Return a text as YAML reads it, whatever is in it."""
    return "'" + text.replace("'", "''") + "'"
