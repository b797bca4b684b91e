"""The policy for ROS 2 security says of every node exactly what it does on a live graph."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
from graph import Process
from terminal_process import TerminalProcess
from waiting import wait_for

from gbs_irl_ros import nodes
from gbs_irl_ros.launching.composition import EXECUTABLE
from gbs_irl_ros.launching.process_table import (
    PROCESSES,
    Process as TableRow,
    checked,
    ros_arguments,
)

ROOT = Path(__file__).parents[2]
POLICY = ROOT / 'config' / 'security' / 'policy.xml'
# Where several nodes share a process, they cannot have their own keys: it refuses to start.
EXECUTABLES = {path.stem for path in Path(nodes.__file__).parent.glob('[a-z]*.py')} \
    - {EXECUTABLE}
# What a profile may hold, as the schema of SROS2 has it: rule, and the element that it lists.
RULES = {'publish': 'topic', 'subscribe': 'topic', 'reply': 'service', 'request': 'service'}
# So that no question is answered and the page takes no port that somebody else has.
MORE = {'demonstrator': ['-p', 'delay:=60.0'], 'gui': ['-p', 'port:=0']}


def full_name(name, namespace, node):
    """Return a name of the policy as ROS resolves it."""
    if name.startswith('/'):
        return name
    own = name.startswith('~/')
    return '/'.join([namespace.rstrip('/'), *([node] if own else []), name.removeprefix('~/')])


def allowed(policy):
    """Return what each node may do: by full name of the node, then by rule, a set of names."""
    found = {}
    for profile in policy.iter('profile'):
        namespace, node = profile.get('ns'), profile.get('node')
        lists = {rule: {full_name(each.text, namespace, node)
                        for each in profile.iterfind(f'{kind}s[@{rule}="ALLOW"]/{kind}')}
                 for rule, kind in RULES.items()}
        found[full_name(node, namespace, node)] = lists
    return found


def done(watcher):
    """Return what each node of the graph does, in the same form."""
    asked = {'publish': watcher.get_publisher_names_and_types_by_node,
             'subscribe': watcher.get_subscriber_names_and_types_by_node,
             'reply': watcher.get_service_names_and_types_by_node,
             'request': watcher.get_client_names_and_types_by_node}
    return {full_name(node, namespace, node):
            {rule: {name for name, _ in ask(node, namespace)} for rule, ask in asked.items()}
            for node, namespace in watcher.get_node_names_and_namespaces()
            if node != watcher.get_name()}


def differences(policy, graph):
    """Return one line for everything that the policy has too little or too much."""
    lines = [f'{node} is missing in {where}' for there, others, where in (
        (policy, graph, 'the graph'), (graph, policy, 'the policy')) for node in there
        if node not in others]
    for node in policy.keys() & graph.keys():
        for rule in RULES:
            lines += [f'{node} does not {rule} {name}: superfluous'
                      for name in policy[node][rule] - graph[node][rule]]
            lines += [f'{node} must be allowed to {rule} {name}'
                      for name in graph[node][rule] - policy[node][rule]]
    return sorted(lines)


def in_namespace(folder):
    """Return the policy for nodes in the namespace of the documented command, and that."""
    page = (ROOT / 'docs' / 'system.md').read_text()
    command = re.search(r"^sed '(?P<rules>[^']*)' \$POLICY > policy\.xml$", page, re.M)
    assert command is not None
    done = subprocess.run(['sed', command['rules'], POLICY], capture_output=True, check=True)
    (folder / 'policy.xml').write_bytes(done.stdout)
    return (ElementTree.parse(folder / 'policy.xml'),
            re.search(r'ns="/(\w+)"', command['rules'])[1])


def start(graph, row, given):
    """Start a node as `scripts/teach` does."""
    words = [*ros_arguments(row, given), *MORE.get(row.executable, ())]
    if row.needs_terminal:
        process = TerminalProcess(row.executable, words, graph.environment,
                                  module=f'gbs_irl_ros.nodes.{row.executable}')
    else:
        process = Process(row.executable, words, graph.environment)
    graph.processes.append(process)


def test_every_node_may_do_what_it_does_and_nothing_else(
        foreign_interfaces, graph, tmp_path):
    policy, namespace = in_namespace(tmp_path)
    given = checked({'task': 'room', 'namespace': namespace, 'use_sim_time': 'true'})
    judge = TableRow('judge', lambda _: True, lambda _: {'task': 'room'})
    for row in (*PROCESSES, judge):
        start(graph, row, given)
    expected, found = allowed(policy), {}

    def is_equal():
        found.clear()
        found.update(done(graph.node))
        return found == expected
    wait_for(is_equal, lambda: '\n'.join(['the policy to be right:',
                                          *differences(expected, found)]))
    enclaves = {enclave.get('path'): {profile.get('node') for profile in enclave.iter('profile')}
                for enclave in policy.iter('enclave')}
    assert {enclave: {node} for node, _, enclave
            in graph.node.get_node_names_and_namespaces_with_enclaves()
            if node != graph.node.get_name()} == enclaves


def test_the_policy_has_the_structure_that_sros2_reads():
    root = ElementTree.parse(POLICY).getroot()
    assert (root.tag, root.attrib) == ('policy', {'version': '0.2.0'})
    (enclaves,) = root
    assert enclaves.tag == 'enclaves'
    assert {enclave.get('path') for enclave in enclaves} == {f'/{name}' for name in EXECUTABLES}
    for enclave in enclaves:
        assert (enclave.tag, list(enclave.attrib)) == ('enclave', ['path'])
        (profiles,) = enclave
        (profile,) = profiles
        assert (profiles.tag, profile.tag) == ('profiles', 'profile')
        assert profile.attrib == {'ns': '/', 'node': enclave.get('path')[1:]}
        rules = [rule for listed in profile for rule in listed.attrib]
        assert len(set(rules)) == len(rules) == len(list(profile))
        for listed in profile:
            ((rule, word),) = listed.attrib.items()
            assert (listed.tag, word) == (f'{RULES[rule]}s', 'ALLOW')
            names = [each.text for each in listed]
            assert {each.tag for each in listed} == {RULES[rule]}
            assert len(set(names)) == len(names) > 0
            for name in names:
                assert re.fullmatch(r'(~/|/)?[a-z_]+(/[a-z_]+)*', name), name


@pytest.mark.parametrize(('rule', 'change', 'line'), [
    ('publish', set.pop, '/a must be allowed to publish /x'),
    ('request', lambda names: names.add('/y'), '/a does not request /y: superfluous')])
def test_the_comparison_sees_both_directions(rule, change, line):
    graph = {'/a': {each: {'/x'} for each in RULES}}
    policy = {'/a': {each: {'/x'} for each in RULES}}
    assert differences(policy, graph) == []
    change(policy['/a'][rule])
    assert differences(policy, graph) == [line]
    assert differences({}, graph) == ['/a is missing in the policy']
