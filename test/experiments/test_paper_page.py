from __future__ import annotations

import copy
import math
import re
from pathlib import Path

import pytest
from cases import for_each
from hand_made import TABLES, MadeTables, facts_of

from gbs_irl_ros.experiments.claims import SECTIONS, Tables, Verdict
from gbs_irl_ros.experiments.page import BEGIN, END, write_page, written
from gbs_irl_ros.experiments.rows import ExperimentError
from gbs_irl_ros.experiments.sweeps import SWEEPS

ROOT = Path(__file__).parents[2]
PAGE, TABLES_OF_PAGE = ROOT / 'docs' / 'paper.md', ROOT / 'docs' / 'paper'
BEFORE, AFTER = '# A page\n\nWith words – and more.\n\n', '\n\n## The end\n\nand of it.\n'


@pytest.fixture
def made():
    return MadeTables()


@pytest.fixture
def page(tmp_path):
    path = tmp_path / 'paper.md'
    path.write_text(f'{BEFORE}{BEGIN}\nold words\n{END}{AFTER}')
    return path


@pytest.fixture
def folder(tmp_path):
    return tmp_path / 'paper'


def refused(page, folder):
    """Return the reason why a page is not written; it is left as it was."""
    before = page.read_bytes() if page.is_file() else None
    with pytest.raises(ExperimentError) as caught:
        write_page(page, folder)
    assert (page.read_bytes() if page.is_file() else None) == before
    return str(caught.value)


# ---- writing ------------------------------------------------------------------------------------

def test_only_what_stands_between_the_marks_is_replaced(page, folder, made):
    tables = made.write(folder)
    write_page(page, folder)
    assert page.read_text() == f'{BEFORE}{BEGIN}\n{written(tables, "paper")}\n{END}{AFTER}'


def test_writing_again_changes_nothing(page, folder, made):
    made.write(folder)
    write_page(page, folder)
    first = page.read_bytes()
    write_page(page, folder)
    assert page.read_bytes() == first


def test_other_numbers_give_another_page_and_the_first_ones_the_first_again(page, folder, made):
    made.write(folder)
    write_page(page, folder)
    first = page.read_text()
    made.change('results', 'driver', 'gbs', accuracy_20=0.123)
    made.write(folder)
    write_page(page, folder)
    assert '0.123' in page.read_text()
    MadeTables().write(folder)
    write_page(page, folder)
    assert page.read_text() == first


def test_the_tables_are_left_as_they_are(page, folder, made):
    made.write(folder)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    write_page(page, folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


# ---- what cannot be written ---------------------------------------------------------------------

def test_a_page_that_is_not_there_is_not_begun(tmp_path, folder, made):
    made.write(folder)
    missing = tmp_path / 'none.md'
    assert refused(missing, folder) == f'{missing}: cannot be read (No such file or directory)'
    assert refused(folder, folder) == f'{folder}: cannot be read (Is a directory)'


@for_each('text', [
    '', '# A page\n', f'{BEGIN}\n', f'{END}\n', f'{END}\n{BEGIN}\n', f'words\n{BEGIN}\nwords\n'])
def test_a_page_without_the_marks_is_refused(page, folder, made, text):
    made.write(folder)
    page.write_text(text)
    assert refused(page, folder) == f'{page}: must have the lines {BEGIN!r} and {END!r}'


def test_a_page_without_tables_is_refused(page, folder):
    assert refused(page, folder) == (
        f'{page}: is left as it was: results.csv has nothing of {", ".join(SWEEPS)}; run all '
        'experiments first')


@for_each(('table', 'experiment', 'method', 'text'), [
    ('results', 'random_10x5', 'emg', 'results.csv has no accuracy_5 of random_10x5, emg'),
    ('results', 'reward_shaped', 'active',
     'results.csv has no questions_95 of reward_shaped, active'),
    ('differences', 'driver', None, 'differences.csv has no ahead_20 of driver, iqbc'),
    ('differences', 'feedback', 'reward', 'differences.csv has no ahead_10 of feedback, reward'),
    ('bounds', 'bound_cube', 'gbs1_cstar',
     'bounds.csv has no highest_share of bound_cube, gbs1_cstar')])
def test_a_page_with_a_number_missing_is_refused(page, folder, made, table, experiment, method,
                                                 text):
    made = copy.deepcopy(made)      # whole again for the next case
    made.remove(table, experiment, method)
    made.write(folder)
    assert refused(page, folder) == (
        f'{page}: is left as it was: {text}; run all experiments first')


@for_each(('table', 'method', 'column'), [
    ('results', 'gbs', 'accuracy_100'), ('results', 'gbs_exact', 'accuracy_100'),
    ('domains', None, 'neighbourly')])
def test_a_page_with_a_column_missing_is_refused(page, folder, made, table, method, column):
    made = copy.deepcopy(made)
    name = 'driver_features' if table == 'results' else 'driver'
    record, = (record for record in made.records[table]
               if record['experiment'] == name and record.get('method') == method)
    del record[column]
    made.write(folder)
    assert refused(page, folder) == (
        f'{page}: is left as it was: {table}.csv has no {column} of {name}, {method or "gbs"}; '
        'run all experiments first')


@for_each('names', [('driver',), ('random_10x5', 'grid_actions', 'bound_cube')])
@for_each('table', ['results', 'domains', 'runs'])
def test_a_page_has_every_experiment_or_is_refused(page, folder, made, table, names):
    made = copy.deepcopy(made)
    # No claim is about the grid: it would only have been missing from the tables of the page.
    for name in names:
        made.remove(table, name)
    tables = made.write(folder)
    text = f'{table}.csv has nothing of {", ".join(names)}'
    with pytest.raises(KeyError) as caught:
        written(tables, 'paper')
    assert caught.value.args == (text,)
    assert refused(page, folder) == (
        f'{page}: is left as it was: {text}; run all experiments first')


@for_each('table', TABLES)
def test_a_page_with_a_table_missing_is_refused(page, folder, made, table):
    made.write(folder)
    (folder / f'{table}.csv').unlink()
    assert f'{page}: is left as it was: {table}.csv has no' in refused(page, folder)


def test_a_page_may_end_with_the_mark(page, folder, made):
    tables = made.write(folder)
    page.write_text(f'{BEFORE}{BEGIN}\n{END}')
    write_page(page, folder)
    assert page.read_text() == f'{BEFORE}{BEGIN}\n{written(tables, "paper")}\n{END}'


# ---- what is written ----------------------------------------------------------------------------

def sections_of(text):
    """Return the parts of a page by their title."""
    parts = (part.partition('\n\n') for part in f'\n\n{text}'.split('\n\n## ')[1:])
    return {title: body for title, _, body in parts}


def test_every_section_has_its_command_claims_and_pictures(folder, made):
    tables = made.write(folder)
    found = sections_of(written(tables, 'somewhere'))
    assert list(found) == [*(section.title for section in SECTIONS),
                           'Coherence and neighbours of every domain', 'All results',
                           'How long it took']
    for section in SECTIONS:
        command, claims, pictures = found[section.title].split('\n\n')
        assert command == f'`{section.command}`'
        lines = claims.splitlines()
        for line, claim in zip(lines, section.claims, strict=True):
            assert line == (f'- **{claim.says}** Measured: {claim.measured(tables)}. '
                            f'**Verdict: agrees.** {claim.because}').rstrip()
        assert re.findall(r'\]\((.*)\)', pictures) == [
            f'somewhere/{figure}.png' for figure in section.figures]
        assert '![]' not in pictures


def test_a_verdict_is_what_the_numbers_say(folder, made):
    made.change('results', 'driver', 'gbs', questions_99=4.0)
    text = written(made.write(folder), 'paper')
    line, = (line for line in text.splitlines() if line.startswith('- **The driver takes'))
    assert '**Verdict: partly.**' in line
    assert text.count('**Verdict: agrees.**') == sum(
        len(section.claims) for section in SECTIONS) - 1
    assert {f'**Verdict: {verdict.value}.**' for verdict in Verdict} >= set(
        re.findall(r'\*\*Verdict: .*?\*\*', text))


def test_pictures_have_the_titles_of_their_experiments(folder, made):
    text = written(made.write(folder), 'paper')
    assert f'![{SWEEPS["driver"].title}](paper/driver.png)' in text
    assert '![Time of a question](paper/time.png)' in text
    assert '![Errors and the bound of theorem 2](paper/bound.png)' in text
    assert '![Aggregated and exact likelihood](paper/likelihoods.png)' in text


def rows_of(text, title):
    """Return the cells of the table of a section, without its head."""
    lines = [line for line in sections_of(text)[title].splitlines() if line.startswith('|')]
    cells = [[cell.strip() for cell in line.strip('|').split('|')] for line in lines]
    assert {len(row) for row in cells} == {len(cells[0])}
    return cells[2:]


def test_domains_by_hand(folder, made):
    made.records['domains'] = [
        facts_of('driver', classes=12345, supersets=6789, one_action=0.876, c_low=-0.5),
        *(record for record in made.records['domains'] if record['experiment'] != 'driver')]
    rows = rows_of(written(made.write(folder), 'paper'),
                   'Coherence and neighbours of every domain')
    assert rows[0] == ['driver', '50 × 5', '480', '12,345', '88 %', '-0.500 to 0.250', '7',
                       '6,789']
    assert rows[1] == ['random_10x5', '50 × 5', '480', '50', '100 %', '0.250', '7', '0']
    assert len(rows) == len(SWEEPS)


def test_neighbours_that_were_not_looked_for_are_a_dash(folder, made):
    made.change('domains', 'grid_actions', neighbourly=-1)      # as in quick mode
    made.change('domains', 'feedback', neighbourly=0)           # of one class
    rows = rows_of(written(made.write(folder), 'paper'),
                   'Coherence and neighbours of every domain')
    shown = {row[0]: row[6] for row in rows}
    assert shown == dict.fromkeys(SWEEPS, '7') | {'grid_actions': '–', 'feedback': '0'}


def test_the_link_to_all_numbers_goes_where_the_tables_are(page, tmp_path, made):
    made.write(tmp_path / 'elsewhere')
    write_page(page, tmp_path / 'elsewhere')
    text = page.read_text()
    assert 'More in [results.csv](elsewhere/results.csv).' in text
    for link in re.findall(r'\]\(([^)]+\.csv)\)', text):
        assert (page.parent / link).exists()
    assert '](paper/' not in text


def test_results_by_hand(folder, made):
    made.change('results', 'driver', 'iqbc', trials=2000, accuracy_5=0.25, accuracy_5_ci=0.125,
                relative_loss_10=0.75, questions_95=7.5, questions_99=math.inf,
                seconds_per_question=0.01234)
    rows = rows_of(written(made.write(folder), 'paper'), 'All results')
    row, = (row for row in rows if row[:2] == ['driver', 'IQBC'])
    assert row[2:] == ['2,000', '0.250 ± 0.125', '0.900 ± 0.002', '0.995 ± 0.002', '0.750', '7.5',
                       '> 100', '12.34']
    assert len(rows) == sum(len(sweep.methods) for sweep in SWEEPS.values())
    assert [row[1] for row in rows if row[0] == 'bound_cube'] == ['GBS-IRL, version 1', 'GBS-IRL']


def test_the_time_it_took_by_hand(folder, made):
    made.change('runs', 'driver', minutes=12.34)
    made.change('runs', 'supersets', minutes=0.5)
    text = sections_of(written(made.write(folder), 'paper'))['How long it took']
    minutes = dict.fromkeys(SWEEPS, '2.0') | {'driver': '12.3', 'supersets': '0.5'}
    total = 2 * (len(SWEEPS) - 2) + 13      # 12.84, rounded
    assert text == f'In minutes, {total} in all: ' + ', '.join(
        f'{name} {spent}' for name, spent in minutes.items()) + '.'


# ---- the page of this repository ----------------------------------------------------------------

def test_the_page_agrees_with_the_tables_and_its_pictures_are_there():
    assert (TABLES_OF_PAGE / 'results.csv').exists(), \
        'docs/paper has no tables: run `make paper`, which takes hours, and commit what it writes'
    assert f'{BEGIN}\n{written(Tables(TABLES_OF_PAGE), "paper")}\n{END}' in PAGE.read_text(), \
        'write it again: python -m gbs_irl_ros.experiments --draw-only --draw docs/paper ' \
        '--page docs/paper.md'
    named = re.findall(r'!\[[^\]]*\]\(([^)]+)\)', PAGE.read_text())
    assert {f'paper/{figure}.png' for section in SECTIONS for figure in section.figures} \
        <= set(named)
    assert [name for name in named if not (PAGE.parent / name).exists()] == []


def test_the_page_of_this_repository_has_the_marks():
    text = PAGE.read_text()
    assert text.count(BEGIN) == text.count(END) == 1
    assert text.index(BEGIN) < text.index(END)
