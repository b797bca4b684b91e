"""Teachers of a lesson whose nodes are killed: each remembers, as a person does, what he said."""

from __future__ import annotations

import http.client
import json
import threading
from typing import Any

import numpy as np
from terminal_process import start_in_terminal

from gbs_irl_ros.core.answers import ActionAnswer, Answer
from gbs_irl_ros.nodes.demonstrator import teacher_of
from gbs_irl_ros.tasks import load_task, load_task_file

LOOK_EVERY_S = 0.01
ACCURACY = 0.9
KEYS = 'wasd'


class SimulatedPerson:
    """The demonstrator node: what it answers depends on its seed and the question's number."""

    node = 'demonstrator'

    def __init__(self, graph: Any, task_file: Any, seed: int) -> None:
        self._graph, self._file, self._seed = graph, task_file, seed
        self._teacher = teacher_of(load_task_file(task_file), ACCURACY)

    def start(self) -> Any:
        """Start the node."""
        return self._graph.start(self.node, task=self._file, accuracy=ACCURACY, seed=self._seed)

    def said(self, asked: dict[str, Any]) -> dict[str, Answer] | None:
        """Return the answer to each question, by its id."""
        answers = {}
        for known, event in asked.items():
            rng = np.random.default_rng([self._seed, event.number])
            rng.random()        # whether it does not know: never
            answers[known] = self._teacher.answer(event.question, rng)
        return answers

    def stop(self) -> None:
        """Answer no more."""


class PersonAtThePage:
    """
    The gui node, and a page that does what the outbox of the real one does.

    An answer is kept until the learner has acknowledged it, and sent again when the same question
    is shown again.
    """

    node = 'gui'

    def __init__(self, graph: Any, task_file: Any, seed: int) -> None:
        self._graph, self._rng = graph, np.random.default_rng(seed)
        self._choices = load_task(task_file).world.choices
        self._said: dict[str, Answer] = {}
        self._over = threading.Event()
        self._line: http.client.HTTPConnection | None = None
        self._thread = threading.Thread(target=self._teach, daemon=True)

    def start(self) -> Any:
        """Start the node."""
        started = self._graph.start(self.node, port=0)
        if not self._thread.is_alive():
            self._thread.start()
        return started

    def said(self, asked: dict[str, Any]) -> dict[str, Answer] | None:
        """Return the first answer to each question, by its id."""
        return dict(self._said)

    def stop(self) -> None:
        """Answer no more."""
        self._over.set()
        self._thread.join()
        self._hang_up()

    def _hang_up(self) -> None:
        if self._line is not None:
            self._line.close()
            self._line = None

    def _teach(self) -> None:
        while not self._over.wait(LOOK_EVERY_S):
            try:
                question = self._ask('GET', '/api/state').get('question')
                if question:
                    self._answer(question)
            except (OSError, http.client.HTTPException, ValueError, KeyError):
                self._hang_up()         # the node is being restarted; its port may be another

    def _answer(self, question: dict[str, Any]) -> None:
        if question['id'] not in self._said:
            offered = np.flatnonzero(self._choices[question['state']])
            self._said[question['id']] = ActionAnswer(
                question['state'], int(self._rng.choice(offered)))
        answer = self._said[question['id']]
        self._ask('POST', '/api/answer', {
            'question': question['id'],
            'answer': {'kind': 'action', 'state': answer.state, 'action': answer.action}})

    def _ask(self, method: str, path: str, values: Any = None) -> Any:
        key = json.loads((self._graph.folder / 'home/gbs_irl/page-lesson.json').read_text())
        if self._line is None:
            self._line = http.client.HTTPConnection('127.0.0.1', key['port'], timeout=5.0)
        self._line.request(method, path, None if values is None else json.dumps(values), {
            'Authorization': f'Bearer {key["token"]}', 'Content-Type': 'application/json'})
        return json.loads(self._line.getresponse().read())


class PersonAtTheTerminal:
    """The teleop node in a terminal, and somebody who presses arrow keys all the time."""

    node = 'teleop'

    def __init__(self, graph: Any, task_file: Any, seed: int) -> None:
        self._graph, self._rng = graph, np.random.default_rng(seed)
        self._terminal: Any = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._teach, daemon=True)

    def start(self) -> Any:
        """Start the node."""
        self._terminal = start_in_terminal(self._graph)
        if not self._thread.is_alive():
            self._thread.start()
        return self._terminal

    def said(self, asked: dict[str, Any]) -> dict[str, Answer] | None:
        """Return nothing: a key that is pressed blindly may come for one question or the next."""
        return None

    def stop(self) -> None:
        """Answer no more."""
        self._over.set()
        self._thread.join()

    def _teach(self) -> None:
        while not self._over.wait(2 * LOOK_EVERY_S):
            try:
                self._terminal.press(KEYS[int(self._rng.integers(len(KEYS)))])
            except OSError:
                continue        # this terminal is closed; there will be another
