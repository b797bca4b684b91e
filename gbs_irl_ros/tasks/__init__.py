"""Worlds to be taught: task files, builders of the paper's domains, grids and maps."""

from gbs_irl_ros.tasks.files.file_report import TaskFileError
from gbs_irl_ros.tasks.files.spec import (
    AnyOf,
    Each,
    Field,
    Flag,
    Located,
    Number,
    Record,
    Table,
    Text,
    Whole,
)
from gbs_irl_ros.tasks.growth import Growth, grown, usable
from gbs_irl_ros.tasks.kinds import register_hypotheses, register_world
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
from gbs_irl_ros.tasks.worlds.built_world import BuiltWorld

__all__ = ['AnyOf', 'Appearance', 'BuiltWorld', 'Each', 'Field', 'Flag', 'Growth', 'Located',
           'Number', 'Picture', 'Place', 'Record', 'Table', 'Task', 'TaskFile', 'TaskFileError',
           'Text', 'Truth', 'Whole', 'World', 'find_task', 'grown', 'load_task', 'load_task_file',
           'load_truth', 'register_hypotheses', 'register_world', 'shipped_tasks', 'usable']
