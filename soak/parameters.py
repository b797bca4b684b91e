"""Every parameter of every node is set to odd values, by the services that nodes have for it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from graph import Graph
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import ListParameters, SetParameters
from waiting import patience

from soak.session import Claim, Control, Session
from soak.small_world import write_task

NAME = 'parameters'
SHARE = 4
SETTINGS = 3000
REPLY_S = 5.0
CONTROL_REPLY_S = 1.0
MOST_PROBLEMS = 3       # then it is known
# The judge ends when the lesson has: it comes first, and the lesson does not end by itself.
NODES = ('judge', 'mdp', 'learner', 'demonstrator', 'controller', 'simulator', 'visualiser', 'gui')
# Short times end it, as they should, and its picture would be left behind.
LEFT_OUT = {('judge', 'lesson_timeout'), ('judge', 'drive_timeout'), ('judge', 'picture')}
# No path here can be made: nothing is to be left behind outside the folder of the run.
ODD: tuple[tuple[int, str, Any], ...] = (
    (ParameterType.PARAMETER_NOT_SET, '', None),
    *((ParameterType.PARAMETER_BOOL, 'bool_value', value) for value in (True, False)),
    *((ParameterType.PARAMETER_INTEGER, 'integer_value', value)
      for value in (0, 1, -1, 2**31, 2**63 - 1, -2**63)),
    *((ParameterType.PARAMETER_DOUBLE, 'double_value', value)
      for value in (0.0, -0.0, 0.5, -1.0, 1e308, 1e-320, float('nan'), float('inf'))),
    *((ParameterType.PARAMETER_STRING, 'string_value', value)
      for value in ('', ' ', 'x' * 5000, 'é', '\x1b[2J', '/dev/null/x', '/proc/none/x', '%s{0}',
                    'nan', '[[[', 'c_hat=' + '[' * 200)),
    (ParameterType.PARAMETER_BYTE_ARRAY, 'byte_array_value', [b'\x00']),
    *((ParameterType.PARAMETER_DOUBLE_ARRAY, 'double_array_value', value)
      for value in ([], [1.0], [float('nan')] * 3, [1e308, -1e308, 0.0], [0.0] * 1000)),
    (ParameterType.PARAMETER_STRING_ARRAY, 'string_array_value', ['a', '']))


class OddSettings:
    """
    A graph with one of each node.

    tried, accepted: settings. problems: what went wrong.
    """

    def __init__(self, folder: Path, modules: dict[str, str] | None = None) -> None:
        self._reply_s = CONTROL_REPLY_S if modules else None
        self.tried: Counter[str] = Counter()
        self.accepted = 0
        self.problems: list[str] = []
        self._graph = Graph(folder)
        task = write_task(folder)
        more = {'mdp': {'task': task}, 'demonstrator': {'task': task}, 'judge': {'task': task},
                'learner': {'journal_dir': folder / 'journals', 'certainty': 0.0},
                'gui': {'port': 0}}
        self._nodes = {name: self._graph.start(name, module=(modules or {}).get(name),
                                               **more.get(name, {}))
                       for name in (modules or NODES)}

    def try_all(self, is_over: Any = lambda: False) -> None:
        """Set everything to everything."""
        for name, process in self._nodes.items():
            listed = self._call(ListParameters, name, 'list_parameters',
                                ListParameters.Request())
            for parameter in () if listed is None else listed.result.names:
                for kind, field, value in ODD if (name, parameter) not in LEFT_OUT else ():
                    if is_over() or process.popen.poll() is not None \
                            or len(self.problems) >= MOST_PROBLEMS:
                        break
                    self._set(name, parameter, kind, field, value)
            if process.popen.poll() is not None:
                self.problems.append(f'{name} ended with code {process.popen.poll()}')
            self.problems += [f'{name}: {line}' for line in process.lines
                              if 'Traceback' in line or 'exception in' in line]

    def _set(self, node: str, parameter: str, kind: int, field: str, value: Any) -> None:
        given = ParameterValue(type=kind)
        if field:
            setattr(given, field, value)
        response = self._call(SetParameters, node, 'set_parameters', SetParameters.Request(
            parameters=[Parameter(name=parameter, value=given)]))
        self.tried[node] += 1
        if response is None:
            self.problems.append(f'{node}: no reply to {parameter} = {value!r:.60}')
        else:
            self.accepted += response.results[0].successful
            if not response.results[0].successful and not response.results[0].reason:
                self.problems.append(f'{node}: no reason against {parameter} = {value!r:.60}')

    def _call(self, kind: Any, node: str, service: str, request: Any) -> Any | None:
        client = self._clients(kind, f'{node}/{service}')
        if not client.wait_for_service(patience(REPLY_S)):
            self.problems.append(f'{node} does not serve {service}')
            return None
        return client.call(request, timeout_sec=self._reply_s or patience(REPLY_S))

    def _clients(self, kind: Any, name: str) -> Any:
        known = self.__dict__.setdefault('_known', {})
        if name not in known:
            known[name] = self._graph.node.create_client(kind, name)
        return known[name]

    def close(self) -> None:
        """End all nodes."""
        self._graph.close()


def odd_settings(folder: Path, is_over: Any = lambda: False,
                 modules: dict[str, str] | None = None) -> OddSettings:
    """Set parameters to odd values; return what came of it."""
    settings = OddSettings(folder, modules)
    try:
        settings.try_all(is_over)
        return settings
    finally:
        settings.close()


def control(folder: Path) -> Control:
    """Return whether a node that raises in the middle of a setting is noticed."""
    found = odd_settings(folder, modules={'mdp': 'soak.controls.careless_mdp'})
    return Control('an mdp node that raises KeyError when a parameter is set to true',
                   bool(found.problems), '; '.join(found.problems[:1]))


def run(session: Session) -> list[Claim]:
    """Set every parameter of every node to every odd value."""
    caught = control(session.sub('control'))
    found = odd_settings(session.sub('nodes'), lambda: session.is_over)
    tried = sum(found.tried.values())
    session.say(f'{tried} settings, {len(found.problems)} problems')
    return [Claim('parameters.settings', 'whatever a parameter is set to, the node refuses or '
                  'accepts it, says why, and lives on', tried, session.wanted(SETTINGS),
                  'settings', f'{len(found.problems)} problems; {found.accepted:,} accepted; '
                  f'{len(found.tried)} nodes', not found.problems, (caught,),
                  {'problems': found.problems[:20], 'tried': dict(found.tried)})]
