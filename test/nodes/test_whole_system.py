"""All nodes together: the robot asks where it is unsure, takes corrections, and is drawn."""

from __future__ import annotations

import numpy as np
from geometry_msgs.msg import Twist
from nav_msgs.msg import OccupancyGrid
from visualization_msgs.msg import Marker, MarkerArray
from waiting import wait_for

from gbs_irl_ros import msg, srv
from gbs_irl_ros.learning.records import ExecutionStatus, Status
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
    learner.wait_for_line('done: one policy has probability 0.033')
    seen = executions(graph)
    controller = start_robot(graph, confidence=0.6)
    doubt = wait_for(lambda: next((each for each in seen()
                                   if each.status is ExecutionStatus.UNSURE), None), 'doubt')
    controller.wait_for_line(f'not sure what to do in state {doubt.state}')
    name = load_task('room').world.state_name(doubt.state)
    learner.wait_for_line(f'What should I do at {name}?')
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


def test_what_rviz_shows(graph):
    graph.start('mdp', task='room')
    graph.start('learner', journal_dir=graph.folder / 'journals')
    start_robot(graph)
    graph.start('visualiser')
    world = load_task('room').world
    walls = graph.listen(OccupancyGrid, names.MAP, qos.LATCHED)
    reward = graph.listen(OccupancyGrid, names.REWARD_MAP, qos.LATCHED)
    arrays = graph.listen(MarkerArray, names.MARKERS, qos.PICTURES)
    belief = graph.listen(msg.Belief, names.BELIEF, qos.LATCHED)

    def markers():
        return {marker.ns: marker for array in list(arrays) for marker in array.markers}
    # A lesson may be over before a slow visualiser has seen any question.
    wait_for(lambda: markers()['question'].action == Marker.ADD, 'a question')
    graph.start('demonstrator', task='room', accuracy=1.0)
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
