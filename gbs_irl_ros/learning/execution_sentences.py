"""What the robot does and why, in sentences made of codes and data: the one place of these."""

from __future__ import annotations

from gbs_irl_ros.languages.speaking import as_written, marked, tr
from gbs_irl_ros.learning.execution import ExecutionReason, ExecutionRecord, ExecutionStatus
from gbs_irl_ros.tasks.place_words import cell_words
from gbs_irl_ros.tasks.world import World

CALL_ENABLE = marked('call the service ~/enable (after a STOP, ~/go)')

# {0}, {1}: the data of the reason; {state}, {target}: of the robot; {allow}: how to allow motion.
EXECUTION_REASONS = marked({
    ExecutionReason.STARTING: 'starting',
    ExecutionReason.NOT_ALLOWED: 'motion is not allowed yet: {allow}',
    ExecutionReason.OTHER_LESSON:
        'another lesson has begun since motion was allowed: {allow} again',
    ExecutionReason.NO_TASK: 'the task is not known yet: is the mdp node running?',
    ExecutionReason.NO_CELLS:
        'the states of task {0!r} have no place on the floor, so no robot can drive there; it can '
        'be taught, not driven',
    ExecutionReason.NO_POLICY: 'there is no policy yet',
    ExecutionReason.OTHER_TASK: 'the policy is for another task ({0}, not {1})',
    ExecutionReason.OTHER_STATES: 'the policy is for {0} states, the task has {1}',
    ExecutionReason.OTHER_ACTIONS: 'the policy is for {0} actions, the task has {1}',
    ExecutionReason.NOT_ONE_LEARNER:
        'there must be one learner: {0} publish policies and {1} heartbeats',
    ExecutionReason.LEARNER_UNHEARD: 'no heartbeat from the learner yet',
    ExecutionReason.NO_HEARTBEAT: 'no heartbeat from the learner for {0} s',
    ExecutionReason.OTHER_SESSION:
        'the policy is of session {0}, the learner that is alive of {1}',
    ExecutionReason.OLD_POLICY:
        'the policy is old ({0}): the learner has published a newer one ({1})',
    ExecutionReason.NO_ODOMETRY: 'no odometry yet: is the robot running?',
    ExecutionReason.OLD_ODOMETRY: 'no odometry for {0} s',
    ExecutionReason.UNREACHABLE: 'the robot cannot get to state {0}',
    ExecutionReason.LESSON_CONTINUES:
        'at the goal of the likeliest task so far; the lesson continues',
    ExecutionReason.LOW_CONFIDENCE:
        'not sure what to do at {state}: confidence {0}, at least {1} is needed',
    ExecutionReason.OUTSIDE_CELLS: 'the robot is at ({0}, {1}), outside all cells of the task',
    ExecutionReason.HELD:
        'STOP: somebody else still sends motion; it is held against for {0} s more at most',
    ExecutionReason.STOPPED_BY_OTHERS:
        'another node has sent a zero velocity on cmd_vel: if all is well, {allow}. A joystick '
        'that sends zeros at rest must be switched off',
    ExecutionReason.POSE_JUMPED:
        'the pose of the robot has jumped by {0} m: check its localisation, then {allow}',
    ExecutionReason.NOT_MOVING:
        'told to drive for {0} s, the robot has not moved, or its odometry is frozen: free it, '
        'then {allow}',
    ExecutionReason.WRONG_WAY:
        'the robot moved {0} m away from where it was sent: check its frames and wheels, then '
        '{allow}',
    ExecutionReason.NOT_ACTIVE:
        'the controller is {0}, so it moves nothing: ros2 lifecycle set {1} {2}',
    ExecutionReason.SHUT_DOWN: 'the controller has been shut down: start it again',
    ExecutionReason.COMMAND_TYPE:
        'whoever drives the wheels takes {1} on cmd_vel, and is sent {0}: start the nodes with '
        'the parameter stamped_cmd_vel: {2}',
    ExecutionReason.POSE_INVALID: 'what is said on {0} is not a pose: {1}',
    ExecutionReason.WRONG_FRAME:
        'a pose on {0} is in the frame {1!r}, expected {2!r}: two publishers, or another map?',
    ExecutionReason.UNCERTAIN_POSE:
        'the localisation is not sure where the robot is: within {0} m, {1} m are allowed; give '
        'it the pose, or drive a little by hand',
    ExecutionReason.UNCERTAIN_DIRECTION:
        'the localisation is not sure where the robot looks: within {0} rad, {1} rad are allowed; '
        'give it the pose, or drive a little by hand',
    ExecutionReason.NO_POSE:
        'no pose on {0} yet: is the localisation running, and does it know where the robot '
        'starts?',
    ExecutionReason.OLD_POSE:
        'the pose on {0} is {1} s older than the odometry: do all clocks agree?',
    ExecutionReason.NO_TRANSFORM:
        'tf does not tell where {1} is in {0}: {2}',
    ExecutionReason.OLD_TRANSFORM: 'no transform {0} for {1} s',
    ExecutionReason.POSE_TURNED:
        'the direction of the robot has jumped by {0} rad: check its localisation, then {allow}',
    ExecutionReason.OBSTACLE: 'something is in the way {0} m ahead',
    ExecutionReason.BLIND: 'the robot cannot see what is in its way: {1} on {0}',
    ExecutionReason.NAV2_NOT_INSTALLED:
        'drive: nav2 needs the package nav2_msgs, which is not installed here: sudo apt install '
        'ros-jazzy-nav2-msgs, or use drive: steering',
    ExecutionReason.NAV2_MISSING:
        'Nav2 is not there: no node offers the action {0}; start Nav2, or set nav2_action',
    ExecutionReason.NAV2_REJECTED:
        'Nav2 rejects goals: has {0} been activated? It is asked again every second',
    ExecutionReason.NAV2_ABORTED:
        'Nav2 could not get the robot there (error {0}: {1}): look what is in its way, then '
        '{allow}',
    ExecutionReason.NAV2_CANCELLED:
        'somebody has cancelled the goal that Nav2 was given: if all is well, {allow}',
    ExecutionReason.NAV2_SILENT:
        'Nav2 has not said anything about its goal for {0} s: check that it runs, then {allow}',
    ExecutionReason.NAV2_STOPS_SHORT:
        'Nav2 says that it has arrived, {0} m from the middle of the cell and not in it: make its '
        'xy_goal_tolerance smaller than half a cell, then {allow}',
    ExecutionReason.NAV2_NO_PROGRESS:
        'Nav2 has a goal and the robot has not moved for {0} s: free it, then {allow}',
    ExecutionReason.FORBIDDEN:
        'no way from {state} keeps off what must never be entered: allow that on the page or in '
        'the terminal, or teach something else',
})
EXECUTION_STATUSES = marked({
    ExecutionStatus.STOPPED: 'stopped',
    ExecutionStatus.DRIVING: 'driving to {target}',
    ExecutionStatus.GOAL: 'the goal is reached',
    ExecutionStatus.UNSURE: 'not sure what to do here',
    ExecutionStatus.STAYING: 'the policy stays here',
    ExecutionStatus.LOST: 'outside all cells of the task',
    ExecutionStatus.MANUAL: 'a person drives',
})

STATUS_WORDS = marked({
    ExecutionStatus.STOPPED: 'stopped', ExecutionStatus.DRIVING: 'driving',
    ExecutionStatus.GOAL: 'goal', ExecutionStatus.UNSURE: 'unsure',
    ExecutionStatus.STAYING: 'staying', ExecutionStatus.LOST: 'lost',
    ExecutionStatus.MANUAL: 'manual',
})


def execution_text(execution: ExecutionRecord, allow: str = CALL_ENABLE,
                   world: World | None = None) -> str:
    """
    Return what the robot is doing, or why not.

    :param allow: what the reader can do to allow motion.
    :param world: that it drives in, for the names of its places.
    """
    template = EXECUTION_STATUSES[execution.status] \
        if execution.reason is ExecutionReason.NO_REASON else EXECUTION_REASONS[execution.reason]
    try:
        return tr(template, *map(as_written, execution.data), state=_place(execution.state, world),
                  target=_place(execution.target, world), allow=allow)
    except IndexError:      # a controller of somebody else's, with other data
        return execution.reason.value.replace('_', ' ')


def _place(state: int | None, world: World | None) -> str:
    """Return a state by its name; of a world that is not known, or another one, by its number."""
    if world is None or state is None or state >= world.mdp.num_states:
        return tr('state {state}', state=state)
    return cell_words(world, state)
