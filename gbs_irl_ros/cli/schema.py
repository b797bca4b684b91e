"""`gbs-irl schema`: the format of task files as a JSON schema, for editors."""

from __future__ import annotations

import argparse
import json
from typing import Any

from gbs_irl_ros.tasks.task_file import json_schema


def add_schema(commands: Any) -> None:
    """Add the command to a parser."""
    parser = commands.add_parser('schema', help='print the JSON schema of task files')
    parser.set_defaults(run=schema)


def schema(given: argparse.Namespace) -> int:
    """Print the schema."""
    print(json.dumps(json_schema(), indent=1))
    return 0
