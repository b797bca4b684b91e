"""What the tests of starting share with those of ros."""

from ros_fixtures import domain, nowhere_else  # noqa: F401
