"""Run by test_processes.py: a demonstrator that knows three answers, and says when it ends."""

import sys

import rclpy
from rclpy.node import Node

from gbs_irl_ros import msg, srv
from gbs_irl_ros.core import ActionAnswer, DontKnowAnswer, QuestionKind, RewardAnswer
from gbs_irl_ros.learning.records import AnswerRecord, HeartbeatRecord
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.executors import SequentialExecutor, WaitingExecutor
from gbs_irl_ros.ros.messages import conversions
from gbs_irl_ros.ros.running import run_node


class Teacher(Node):
    def __init__(self):
        super().__init__('teacher')
        self.create_service(srv.QueryDemonstrator, names.QUERY_DEMONSTRATOR, self._handle_query)
        self._publisher = self.create_publisher(msg.Heartbeat, names.HEARTBEAT, qos.LATCHED)
        self._publisher.publish(conversions.heartbeat_to_msg(HeartbeatRecord('asker', 0, 1)))
        print('ready', flush=True)

    def finish(self):
        print(f'finish while ROS is {"alive" if rclpy.ok() else "gone"}', flush=True)

    def _handle_query(self, request, response):
        record = conversions.question_from_msg(request.question)
        state = record.question.state
        answer = {
            QuestionKind.ACTION: ActionAnswer(state, 1),
            QuestionKind.REWARD: RewardAnswer(state, -1),   # an int: must arrive as -1.0
        }.get(record.question.kind, DontKnowAnswer(record.question))
        response.ok = True
        response.answer = conversions.answer_to_msg(AnswerRecord(record.id, answer, 'teacher'))
        return response


sys.exit(run_node(Teacher, executor=WaitingExecutor if 'parallel' in sys.argv
                  else SequentialExecutor))
