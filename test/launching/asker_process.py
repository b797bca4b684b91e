"""Run by test_processes.py: asks three questions, prints what it hears, ends."""

import threading

import rclpy
from rclpy.executors import SingleThreadedExecutor

from gbs_irl_ros import msg, srv
from gbs_irl_ros.core import Question, QuestionKind
from gbs_irl_ros.learning.records import QuestionRecord
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.messages import conversions

QUESTIONS = (Question(QuestionKind.ACTION, 5), Question(QuestionKind.REWARD, 6),
             Question(QuestionKind.YES_NO, 7, action=0))
DEADLINE_S = 60.0

rclpy.init()
node = rclpy.create_node('asker')
heard = threading.Event()


def on_heartbeat(message):
    record = conversions.heartbeat_from_msg(message)
    print(f'heartbeat: session {record.session}, policy {record.sequence}')
    heard.set()


node.create_subscription(msg.Heartbeat, names.HEARTBEAT, on_heartbeat, qos.LATCHED)
client = node.create_client(srv.QueryDemonstrator, names.QUERY_DEMONSTRATOR)
executor = SingleThreadedExecutor()
executor.add_node(node)
spinning = threading.Thread(target=executor.spin)
spinning.start()
try:
    assert heard.wait(DEADLINE_S), 'no heartbeat'
    assert client.wait_for_service(DEADLINE_S), 'no teacher'
    for number, question in enumerate(QUESTIONS):
        record = QuestionRecord(f'q-{number}', 'asker', number, question, 'What should I do?')
        request = srv.QueryDemonstrator.Request(question=conversions.question_to_msg(record))
        response = client.call(request, timeout_sec=DEADLINE_S)
        answer = conversions.answer_from_msg(response.answer, question)
        shown = answer.answer if number < 2 else type(answer.answer).__name__
        print(f'answer to {answer.id}: {shown}')
finally:
    executor.shutdown()
    spinning.join()
    node.destroy_node()
    rclpy.try_shutdown()
