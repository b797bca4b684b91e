"""The part of docs/paper.md that is written from the tables beside it, so that it cannot drift."""

from __future__ import annotations

from pathlib import Path

from gbs_irl_ros.experiments.claims import SECTIONS, Claim, Section, Tables
from gbs_irl_ros.experiments.figures import LOOKS
from gbs_irl_ros.experiments.rows import ExperimentError
from gbs_irl_ros.experiments.summary import Record
from gbs_irl_ros.experiments.sweeps import SWEEPS

BEGIN = '<!-- written by `make paper` from the tables in docs/paper: begin -->'
END = '<!-- end -->'


def write_page(page: Path, folder: Path) -> None:
    """Replace what is between the markers."""
    try:
        text = written(Tables(folder), folder.name)
    except KeyError as missing:
        raise ExperimentError(f'{page}: is left as it was: {missing.args[0]}; run all experiments '
                              'first') from None
    replace_between(page, BEGIN, END, text)


def replace_between(page: Path, begin: str, end: str, text: str) -> None:
    """Replace what is between two lines of a page."""
    try:
        before, found, rest = page.read_text().partition(begin)
    except OSError as error:
        raise ExperimentError(f'{page}: cannot be read ({error.strerror})') from None
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise ExperimentError(f'{page}: must have the lines {begin!r} and {end!r}')
    page.write_text(f'{before}{begin}\n{text}\n{end}{after}')


def written(tables: Tables, folder: str) -> str:
    """Return what is between the markers."""
    for table in ('results', 'domains', 'runs'):
        known = {record['experiment'] for record in tables.records(table)}
        missing = [name for name in SWEEPS if name not in known]
        if missing:
            raise KeyError(f'{table}.csv has nothing of {", ".join(missing)}')
    parts = [_section(section, tables, folder) for section in SECTIONS]
    return '\n\n'.join([*parts, _domains(tables), _results(tables, folder), _runs(tables)])


def _section(section: Section, tables: Tables, folder: str) -> str:
    claims = '\n'.join(_claim(claim, tables) for claim in section.claims)
    pictures = '\n'.join(f'![{_title(name)}]({folder}/{name}.png)' for name in section.figures)
    return f'## {section.title}\n\n`{section.command}`\n\n{claims}\n\n{pictures}'


def _claim(claim: Claim, tables: Tables) -> str:
    verdict = claim.verdict(tables).value
    return (f'- **{claim.says}** Measured: {claim.measured(tables)}. '
            f'**Verdict: {verdict}.** {claim.because}').rstrip()


def _title(name: str) -> str:
    if name in SWEEPS:
        return SWEEPS[name].title
    return {'time': 'Time of a question', 'bound': 'Errors and the bound of theorem 2',
            'likelihoods': 'Aggregated and exact likelihood'}[name]


def _domains(tables: Tables) -> str:
    lines = ['## Coherence and neighbours of every domain', '',
             'From the hypotheses of the first trial; c* is a certified interval where linear '
             'programs did not close it.', '',
             '| experiment | states × actions | policies | classes | one optimal action | c* | '
             'smallest k | pairs of which one contains the other |',
             '|---|---|---:|---:|---:|---:|---:|---:|']
    for record in tables.records('domains'):
        low, high = float(record['c_low']), float(record['c_high'])
        c_star = f'{high:.3f}' if high - low < 2e-3 else f'{low:.3f} to {high:.3f}'
        lines.append(
            f'| {record["experiment"]} | {record["states"]:g} × {record["actions"]:g} '
            f'| {record["policies"]:g} | {record["classes"]:,.0f} '
            f'| {100 * float(record["one_action"]):.0f} % | {c_star} '
            f'| {_neighbourly(record)} | {record["supersets"]:,.0f} |')
    return '\n'.join(lines)


def _neighbourly(record: Record) -> str:
    return '–' if float(record['neighbourly']) < 0 else f'{record["neighbourly"]:g}'


def _results(tables: Tables, folder: str) -> str:
    lines = ['## All results', '',
             'Accuracy and relative value loss with half the width of their 95 % confidence '
             'intervals; questions: the median until accuracy stays that high. More in '
             f'[results.csv]({folder}/results.csv).', '',
             '| experiment | method | trials | accuracy after 5 | 10 | 20 | loss after 10 '
             '| questions to 0.95 | to 0.99 | ms per question |',
             '|---|---|---:|---:|---:|---:|---:|---:|---:|---:|']
    for record in tables.records('results'):
        look = LOOKS.get(str(record['method']))
        label = look.label if look else 'GBS-IRL, version 1'
        accuracies = ' | '.join(f'{record[f"accuracy_{n}"]:.3f} ± {record[f"accuracy_{n}_ci"]:.3f}'
                                for n in (5, 10, 20))
        lines.append(
            f'| {record["experiment"]} | {label} | {record["trials"]:,.0f} | {accuracies} '
            f'| {record["relative_loss_10"]:.3f} | {_median(record["questions_95"])} '
            f'| {_median(record["questions_99"])} '
            f'| {1000 * float(record["seconds_per_question"]):.2f} |')
    return '\n'.join(lines)


def _median(value: str | float) -> str:
    return '> 100' if value == float('inf') else f'{value:g}'


def _runs(tables: Tables) -> str:
    records = tables.records('runs')
    total = sum(float(record['minutes']) for record in records)
    listed = ', '.join(f'{record["experiment"]} {float(record["minutes"]):.1f}'
                       for record in records)
    return f'## How long it took\n\nIn minutes, {total:.0f} in all: {listed}.'
