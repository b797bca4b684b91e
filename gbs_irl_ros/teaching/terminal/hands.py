"""What a person at a keyboard can have done; who does it is left open."""

from __future__ import annotations

from typing import Protocol

from gbs_irl_ros.core.answers import Answer
from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.learning.records import QuestionRecord


class Hands(Protocol):
    """What a person can have done. What cannot be done raises a GbsIrlError that says why."""

    def answer(self, question: QuestionRecord, answer: Answer) -> None:
        """Answer the question."""

    def undo(self) -> None:
        """Take the last answer back."""

    def ask(self, going_on: bool) -> None:
        """Have the learner pause, or go on."""

    def finish(self) -> None:
        """Say that it is good enough."""

    def go(self) -> None:
        """Let the robot do what was learned."""

    def stop(self) -> None:
        """Stop the robot, whatever moves it."""

    def policy(self) -> Policy:
        """Return what would be done now."""

    def drive(self, action: int) -> None:
        """Drive the robot by one action."""

    def halt(self) -> None:
        """Drive no further."""

    def record(self) -> None:
        """Record from now on what the robot does."""

    def send_recorded(self) -> int:
        """Send what was recorded as a demonstration; return how many steps it has, 0 if none."""

    def quit(self) -> None:
        """End the node."""
