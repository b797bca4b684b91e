"""Worlds to be taught: task files, builders of the paper's domains, grids and maps."""

from gbs_irl_ros.tasks.files.file_report import TaskFileError
from gbs_irl_ros.tasks.growth import Growth, grown, usable
from gbs_irl_ros.tasks.shown_place import Place
from gbs_irl_ros.tasks.task import Task
from gbs_irl_ros.tasks.task_file import (
    TaskFile,
    Truth,
    find_task,
    load_task,
    load_task_file,
    load_truth,
    shipped_tasks,
)
from gbs_irl_ros.tasks.world import Appearance, Picture, World

__all__ = ['Appearance', 'Growth', 'Picture', 'Place', 'Task', 'TaskFile', 'TaskFileError',
           'Truth', 'World', 'find_task', 'grown', 'load_task', 'load_task_file', 'load_truth',
           'shipped_tasks', 'usable']
