"""Questions and answers as a person says them."""

from __future__ import annotations

from cases import for_each
from small_lessons import corridor_world

from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.learning.sentences import sentence
from gbs_irl_ros.tasks.world import Picture
from gbs_irl_ros.tasks.worlds.driver import build_driver

WORLD = corridor_world()
ACTION, YES_NO, REWARD, DEMONSTRATION = QuestionKind


@for_each(('question', 'text'), [
    (Question(ACTION, 3), 'What should I do at cell 3?'),
    (Question(ACTION, 4), 'What should I do at the end?'),
    (Question(YES_NO, 3, 0), 'Is it right to do "left" at cell 3?'),
    (Question(YES_NO, 3, 2), 'Is it right to do "stay" at cell 3?'),
    (Question(REWARD, 4), 'How good is it at the end?'),
    (Question(REWARD, 4, 0), 'How good is "left" at the end?'),
    (Question(DEMONSTRATION, 3, steps=4), 'Show me 4 steps, starting at cell 3.'),
])
def test_every_question_is_a_sentence(question, text):
    assert sentence(question, WORLD) == text


def test_one_step_is_not_steps():
    question = Question(DEMONSTRATION, 3, steps=1)
    assert sentence(question, WORLD) == 'Show me 1 step, starting at cell 3.'


def test_a_state_without_a_name_has_its_number():
    bare = corridor_world(state_names=())
    assert sentence(Question(ACTION, 3), bare) == 'What should I do at state 3?'


@for_each(('question', 'text'), [
    (Question(ACTION, 0), 'What should I do in the left lane; no car?'),
    (Question(YES_NO, 0, 1), 'Is it right to do "right" in the left lane; no car?'),
    (Question(REWARD, 0), 'How good is it in the left lane; no car?'),
    (Question(REWARD, 0, 1), 'How good is "right" in the left lane; no car?'),
    (Question(DEMONSTRATION, 1, steps=3),
     'Show me 3 steps, starting in the right lane; no car.'),
    (Question(DEMONSTRATION, 1), 'Show me 1 step, starting in the right lane; no car.'),
])
def test_on_a_road_a_state_is_a_situation_and_not_a_place(question, text):
    road = corridor_world(2, picture=Picture.ROAD, state_names=(
        'in the left lane; no car', 'in the right lane; no car'))
    assert sentence(question, road) == text


def test_states_of_the_motorway_are_situations():
    """Else the tests above are about a world that does not exist."""
    looks = build_driver(0.95).world.appearance
    assert looks.picture is Picture.ROAD
    assert looks.state_names[0].startswith('in the ')
