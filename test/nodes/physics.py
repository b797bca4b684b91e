"""Robots that a test moves: in Drake, with wheels and friction, or as we simulate them."""

from __future__ import annotations

import importlib.util
import logging
import math
import os
from xml.etree import ElementTree

import numpy as np
import pytest

from gbs_irl_ros.driving.cell_map import CellMap
from gbs_irl_ros.driving.pose import Pose, Velocity
from gbs_irl_ros.driving.simulated_motion import DifferentialDrive

STEP_S = 0.005
STEPS = 4                   # of these between two looks at what touches what
WHEELS = ('left_wheel_joint', 'right_wheel_joint')
WHEEL_GAIN = 0.5            # [Nm s/rad]: how hard a wheel is kept at its speed
NO_DRAKE = ('worlds in Drake are NOT TESTED: pydrake is missing; install it: '
            'pip install --no-deps drake')


@pytest.fixture(scope='module')
def drake():
    """Drake; without it the tests are left out on a user's machine, and fail in CI."""
    if importlib.util.find_spec('pydrake') is None:
        leave_out(NO_DRAKE)
    import pydrake  # noqa: F401 - it sets the level, too
    logging.getLogger('drake').setLevel(logging.ERROR)      # it lists what it does not simulate


def leave_out(reason):
    """Skip a test, for which something is missing; where that must not be, let it fail."""
    (pytest.fail if os.environ.get('CI') else pytest.skip)(reason)


class DrakeWorld:
    """
    The robot of a world file, driven as Gazebo's DiffDrive does it.

    Accelerations, wheels and their distance are those that the file gives DiffDrive.
    touched: names of the links that have touched a wall.
    """

    def __init__(self, file) -> None:
        from pydrake.multibody.parsing import Parser
        from pydrake.multibody.plant import (
            AddMultibodyPlantSceneGraph,
            DiscreteContactApproximation,
        )
        from pydrake.multibody.tree import PdControllerGains
        from pydrake.systems.analysis import Simulator
        from pydrake.systems.framework import DiagramBuilder
        builder = DiagramBuilder()
        self._plant, _ = AddMultibodyPlantSceneGraph(builder, STEP_S)
        Parser(self._plant).AddModels(str(file))
        robot = self._plant.GetModelInstanceByName('robot')
        self._base = self._plant.GetBodyByName('base_link', robot)
        for name in WHEELS:
            self._plant.GetJointActuatorByName(name, robot).set_controller_gains(
                PdControllerGains(p=1e-9, d=WHEEL_GAIN))
        self._plant.set_discrete_contact_approximation(DiscreteContactApproximation.kLagged)
        self._plant.Finalize()
        self._simulator = Simulator(builder.Build())
        self._context = self._plant.GetMyMutableContextFromRoot(
            self._simulator.get_mutable_context())
        self._wanted = self._plant.get_desired_state_input_port(robot)
        plugin = next(each for each in ElementTree.parse(file).getroot().iter('plugin')
                      if each.get('name').endswith('::DiffDrive'))
        self._drive = {each.tag: float(each.text) for each in plugin
                       if each.tag.startswith(('wheel', 'max'))}
        self._forward = self._turn = 0.0
        self.touched = set()
        self._simulator.Initialize()

    @property
    def seconds(self) -> float:
        return self._simulator.get_context().get_time()

    @property
    def pose(self) -> Pose:
        place = self._plant.EvalBodyPoseInWorld(self._context, self._base)
        facing = place.rotation().matrix()
        return Pose(*place.translation()[:2].tolist(), math.atan2(facing[1, 0], facing[0, 0]))

    @property
    def tilt(self) -> float:
        """Return by how much it leans [rad]."""
        place = self._plant.EvalBodyPoseInWorld(self._context, self._base)
        return math.acos(min(1.0, place.rotation().matrix()[2, 2]))

    def advance(self, forward, turn, seconds) -> None:
        """Drive with a command for some time."""
        end = self.seconds + seconds
        while self.seconds < end - STEP_S / 2.0:
            step = min(end - self.seconds, STEPS * STEP_S)
            self._forward = nearer(self._forward, forward,
                                   self._drive['max_linear_acceleration'] * step)
            self._turn = nearer(self._turn, turn, self._drive['max_angular_acceleration'] * step)
            half = self._turn * self._drive['wheel_separation'] / 2.0
            speeds = np.array([self._forward - half, self._forward + half])
            self._wanted.FixValue(self._context, np.concatenate(
                [[0.0, 0.0], speeds / self._drive['wheel_radius']]))
            self._simulator.AdvanceTo(self.seconds + step)
            self.touched |= set(self._touching())

    def _touching(self):
        found = self._plant.get_contact_results_output_port().Eval(self._context)
        for index in range(found.num_point_pair_contacts()):
            pair = found.point_pair_contact_info(index)
            names = {self._plant.get_body(body).name()
                     for body in (pair.bodyA_index(), pair.bodyB_index())}
            if 'walls_link' in names:
                yield from names - {'walls_link'}


class PlainWorld:
    """The package's own simulation, without its noise; its robot is a point."""

    def __init__(self, world, start) -> None:
        self.pose = Pose(*start, 0.0)
        self.seconds = 0.0
        self._drive = DifferentialDrive(CellMap(world))

    def advance(self, forward, turn, seconds) -> None:
        """Drive with a command for some time."""
        self.pose = self._drive.moved(self.pose, Velocity(forward, turn), seconds, None)
        self.seconds += seconds


def nearer(value, wanted, most):
    return value + min(max(wanted - value, -most), most)
