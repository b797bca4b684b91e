"""All nodes together: the robot asks where it is unsure, takes corrections, and is drawn."""

from __future__ import annotations

import numpy as np
from geometry_msgs.msg import PoseStamped, Twist
from nav_msgs.msg import OccupancyGrid
from sensor_msgs.msg import Joy
from std_srvs.srv import Trigger
from terminal_process import TerminalProcess
from visualization_msgs.msg import Marker, MarkerArray
from waiting import wait_for

from gbs_irl_ros import msg, srv
from gbs_irl_ros.learning.execution import ExecutionStatus
from gbs_irl_ros.learning.records import Status
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.messages import conversions
from gbs_irl_ros.tasks import load_task


def executions(graph):
    heard = graph.listen(msg.Execution, names.EXECUTION, qos.LATCHED)
    return lambda: [conversions.execution_from_msg(each) for each in list(heard)]


def start_robot(graph, **controller):
    graph.start('simulator')
    return graph.start('controller', **{'allow_motion': True, 'max_speed': 2.0, 'max_turn': 4.0,
                                        **controller})


def test_a_robot_that_is_unsure_has_the_learner_ask_about_where_it_is(graph):
    """The learner is content with knowing nothing: all it learns is what the robot asks for."""
    _, learner, _ = graph.start_lesson('room', learner={'certainty': 0.01, 'seed': 2},
                                       demonstrator={'accuracy': 1.0})
    learner.wait_for_line('done: ')
    seen = executions(graph)
    controller = start_robot(graph, confidence=0.6)
    doubt = wait_for(lambda: next((each for each in seen()
                                   if each.status is ExecutionStatus.UNSURE), None), 'doubt')
    controller.wait_for_line(f'not sure what to do at state {doubt.state}')
    name = load_task('room').world.state_name(doubt.state)
    learner.wait_for_line(f'Which way should I go at {name}')
    # What is latched is the newest: on a busy machine, some of them are never heard.
    wait_for(lambda: any(each.status is ExecutionStatus.DRIVING
                         for each in seen()[seen().index(doubt):]), 'the robot to go on')


def test_a_correction_while_driving_is_an_answer(graph):
    graph.start_lesson('grid_world', demonstrator={'accuracy': 1.0})
    start_robot(graph, max_speed=0.4)
    beliefs = graph.listen(msg.Belief, names.BELIEF, qos.LATCHED)
    seen = executions(graph)
    wait_for(lambda: beliefs and beliefs[-1].status == msg.Belief.DONE, 'the lesson')
    wait_for(lambda: seen() and seen()[-1].status is ExecutionStatus.DRIVING, 'the drive')
    before = beliefs[-1].answers
    person = graph.publisher(Twist, names.CMD_VEL, qos.COMMANDS)
    ahead = Twist()
    ahead.linear.x = 1.75
    began = seen()[-1].state
    wait_for(lambda: person.publish(ahead) or len({each.state for each in seen()[-5:]}) > 2
             or (seen()[-1].state not in (began, None) and
             seen()[-1].status is ExecutionStatus.MANUAL), 'the person to drive on')
    wait_for(lambda: beliefs[-1].answers > before, 'the correction to be believed')
    graph.processes[1].wait_for_line('correction by controller')


def test_what_rviz_and_nav2_are_shown(foreign_interfaces, graph):
    from nav2_msgs.msg import CostmapFilterInfo
    graph.start('mdp', task='room')
    graph.start('learner', journal_dir=graph.folder / 'journals')
    start_robot(graph)
    graph.start('visualiser', for_nav2=True)
    world = load_task('room').world
    mask = graph.listen(OccupancyGrid, names.KEEPOUT_MASK, qos.LATCHED)
    goal = graph.listen(PoseStamped, names.LEARNED_GOAL, qos.LATCHED)
    info = graph.listen(CostmapFilterInfo, names.COSTMAP_FILTER_INFO, qos.LATCHED)
    walls = graph.listen(OccupancyGrid, names.TASK_MAP, qos.LATCHED)
    reward = graph.listen(OccupancyGrid, names.REWARD_MAP, qos.LATCHED)
    arrays = graph.listen(MarkerArray, names.MARKERS, qos.PICTURES)
    belief = graph.listen(msg.Belief, names.BELIEF, qos.LATCHED)

    seen, latest = 0, {}

    def markers():
        nonlocal seen
        for array in arrays[seen:]:
            latest.update((marker.ns, marker) for marker in array.markers)
            seen += 1
        return latest
    # A lesson may be over before a slow visualiser has seen any question.
    wait_for(lambda: markers()['question'].action == Marker.ADD, 'a question')
    wait_for(lambda: mask and goal and info, 'that nothing is known yet')
    assert (set(mask[-1].data), goal[-1].header.frame_id) == ({0}, '')
    assert (info[-1].type, info[-1].filter_mask_topic) == (0, '/keepout_mask')
    assert (info[-1].base, info[-1].multiplier) == (0.0, 1.0)
    teacher = graph.start('demonstrator', task='room', accuracy=1.0)
    wait_for(lambda: belief and conversions.belief_from_msg(belief[-1]).status is Status.DONE,
             'the lesson')
    wait_for(lambda: {'policy', 'goals', 'robot', 'question'} <= set(markers()), 'the markers')
    wait_for(lambda: reward and min(reward[-1].data) == -1 and max(reward[-1].data) == 98,
             'the learned reward')
    assert np.count_nonzero(np.array(walls[-1].data) == 0) == world.mdp.num_states
    assert walls[-1].header.frame_id == 'map'
    wait_for(lambda: markers()['question'].action == Marker.DELETE, 'the question to go')
    wait_for(lambda: len(markers()['goals'].points) == 1, 'the goal')
    # Somebody who looks later gets all of it, although a robot that drives is drawn all the time.
    heard = len(arrays)
    wait_for(lambda: len(arrays) > heard + 2 * qos.PICTURES.depth, 'the robot to be drawn often')
    late = graph.listen(MarkerArray, names.MARKERS, qos.PICTURES)
    wait_for(lambda: {'policy', 'goals', 'robot', 'question'} <= {
        marker.ns for array in list(late) for marker in array.markers}, 'the markers for one more')
    # What Nav2 is told holds until the lesson begins again.
    wait_for(lambda: goal[-1].header.frame_id == 'map' and 100 in mask[-1].data, 'the mask')
    desk = world.appearance.positions[world.appearance.regions['desk']].tolist()
    assert [goal[-1].pose.position.x, goal[-1].pose.position.y] in desk
    assert list(mask[-1].data).count(100) == len(world.appearance.regions['carpet'])
    assert set(mask[-1].data) == {0, 100}
    assert mask[-1].info.width == walls[-1].info.width
    graph.finish(teacher)       # or the next lesson may be over before this test has looked
    graph.call(Trigger, names.LEARNER_RESET)
    wait_for(lambda: goal[-1].header.frame_id == '' and set(mask[-1].data) == {0},
             'both to be withdrawn')


def test_a_task_without_places_is_taught_and_not_drawn(graph):
    graph.start_lesson('random_mdp', demonstrator={'accuracy': 1.0})
    controller = start_robot(graph)
    visualiser = graph.start('visualiser')
    beliefs = graph.listen(msg.Belief, names.BELIEF, qos.LATCHED)
    wait_for(lambda: beliefs and beliefs[-1].status == msg.Belief.DONE, 'the lesson')
    controller.wait_for_line('have no place on the floor')
    assert visualiser.popen.poll() is None


def test_service_events_keep_the_whole_lesson(graph):
    """What a bag records: every question and every answer, with their contents."""
    graph.start('mdp', task='room')
    graph.start('learner', introspection='contents', journal_dir=graph.folder)
    topic = f'/{names.QUERY_DEMONSTRATOR}/_service_event'
    events = graph.listen(srv.QueryDemonstrator.Event, topic, qos.EVENTS)
    wait_for(lambda: graph.node.count_publishers(topic), 'the publisher of events')
    beliefs = graph.listen(msg.Belief, names.BELIEF, qos.LATCHED)
    graph.start('demonstrator', task='room', accuracy=1.0, delay=0.3)
    wait_for(lambda: beliefs and beliefs[-1].status == msg.Belief.DONE, 'the lesson')

    def recorded():
        return {response.answer.id for event in list(events) for response in event.response
                if response.ok}     # at first the teacher may not know the task yet
    wait_for(lambda: recorded() == set(beliefs[-1].acknowledged), 'service events')


def test_a_joystick_answers_beside_the_page_and_beside_the_terminal(graph):
    graph.start('mdp', task='room')
    graph.start('learner', journal_dir=graph.folder / 'journals')
    beliefs = graph.listen(msg.Belief, names.BELIEF, qos.LATCHED)
    publisher = graph.publisher(Joy, 'sticks/joy', qos.EVENTS)
    dont_know = 3
    for number, executable in enumerate(('gui', 'teleop'), start=1):
        if executable == 'gui':
            process = graph.start('gui', port=0, joy_topic='sticks/joy')
        else:
            process = TerminalProcess(
                'teleop', ['--ros-args', '-p', 'joy_topic:=sticks/joy'], graph.environment,
                module='gbs_irl_ros.nodes.teleop')
            graph.processes.append(process)
        wait_for(lambda: publisher.get_subscription_count() == 1, 'the joystick to be heard')
        held = []

        def has_answered(held=held, number=number):
            """Press and release until it counts: at first the question may not be there yet."""
            held.append(len(held) % 8 >= 4)
            publisher.publish(Joy(axes=[0.0] * 8, buttons=[
                int(button == dont_know and held[-1]) for button in range(11)]))
            return beliefs and beliefs[-1].answers >= number
        wait_for(has_answered, f'an answer by the joystick at the {executable}')
        if executable == 'gui':
            process.end()
            wait_for(lambda: publisher.get_subscription_count() == 0, 'it to end')
