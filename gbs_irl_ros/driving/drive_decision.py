"""What the robot is told: decided by the person, the gate and the policy, in this order."""

from __future__ import annotations

from gbs_irl_ros.core.answers import DemonstrationAnswer
from gbs_irl_ros.core.errors import InvalidMdpError
from gbs_irl_ros.driving.cell_map import CellMap
from gbs_irl_ros.driving.gate import Gate
from gbs_irl_ros.driving.override_detector import OverrideDetector
from gbs_irl_ros.driving.policy_follower import Decision, PolicyFollower, check_confidence
from gbs_irl_ros.driving.pose import Limits, Pose
from gbs_irl_ros.driving.step_recorder import StepRecorder
from gbs_irl_ros.learning.records import ExecutionStatus
from gbs_irl_ros.tasks.world import World


class DriveDecider:
    """
    Everything about driving that needs no ROS. All times are of a steady clock [s].

    gate: whether the robot may move. manual: whether a person drives.
    """

    def __init__(self) -> None:
        self.gate = Gate()
        self.manual = OverrideDetector()
        self._limits, self._confidence = Limits(), 1.0
        self._world: World | None = None
        self._places: CellMap | None = None
        self._executive: PolicyFollower | None = None
        self._recorder: StepRecorder | None = None
        self._pose: Pose | None = None
        self._problem = ''              # of the world
        self._was_manual = False
        self._is_correction = False
        self._correction: DemonstrationAnswer | None = None

    def configure(self, limits: Limits, confidence: float) -> None:
        """Set how fast to go, and how sure to be; raise if that cannot be."""
        check_confidence(confidence)
        self._limits, self._confidence = limits, confidence
        if self._places is not None:
            self._executive = PolicyFollower(self._places, limits, confidence)

    def see_world(self, world: World) -> None:
        """Learn where the states are."""
        if self._world is not None and world.hash == self._world.hash:
            return
        self._world, self._places, self._problem = world, None, ''
        self._executive = self._recorder = self._correction = None      # of the world before
        self._was_manual = self._is_correction = False
        self.gate.task_hash = world.hash
        self.gate.num_states, self.gate.num_actions = world.mdp.num_states, world.mdp.num_actions
        try:
            self._places = CellMap(world)
        except InvalidMdpError as error:
            self._problem = str(error)
            return
        self._executive = PolicyFollower(self._places, self._limits, self._confidence)
        self._recorder = StepRecorder(self._places)

    def see_pose(self, pose: Pose, now: float) -> None:
        """Learn where the robot is."""
        self._pose = pose
        self.gate.see_odometry(now)

    def take_correction(self) -> DemonstrationAnswer | None:
        """Return what a person did instead of the robot, once."""
        correction, self._correction = self._correction, None
        return correction

    def decide(self, now: float) -> Decision:
        """Return what to do now."""
        state = self._state()
        if self.manual.is_driving(now):
            self._watch_person(state, now)
            return Decision(ExecutionStatus.MANUAL, 'a person drives', state=state)
        if self._was_manual:
            self._person_is_done()
        reason = self._problem or self.gate.reason_to_stop(now)
        if reason is not None and reason != '':
            return Decision(ExecutionStatus.STOPPED, reason, state=state)
        # The gate is open: there is a world with places, a policy for it, and a pose.
        assert self._executive is not None
        assert self.gate.policy is not None
        assert self._pose is not None
        return self._executive.decide(self.gate.policy.policy, self._pose,
                                      final=self.gate.policy.final)

    def _state(self) -> int | None:
        if self._places is None or self._pose is None:
            return None
        return self._places.state_at(self._pose.x, self._pose.y)

    def _watch_person(self, state: int | None, now: float) -> None:
        if self._recorder is None or self._executive is None:
            return
        if not self._was_manual:
            # Taking over from a robot that drives is a correction; driving one that stands is not.
            self._is_correction = self.gate.reason_to_stop(now) is None
            self._executive.forget()
            self._recorder.clear()
            self._was_manual = True
        self._recorder.see(state)

    def _person_is_done(self) -> None:
        self._was_manual = False
        assert self._recorder is not None
        shown = self._recorder.take()
        if self._is_correction and shown is not None:
            self._correction = shown
