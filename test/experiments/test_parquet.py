"""Rows leave as Parquet with the columns and values they have."""

from __future__ import annotations

import sys

import pytest

from gbs_irl_ros.experiments.parquet import write_parquet
from gbs_irl_ros.experiments.rows import ROWS, ExperimentError, Row

LINES = [Row('x', 0, trial, 7, 'gbs', step, 'action' if step else '', step - 1, 0.5, 0.25, 0.125,
             1e-9) for trial in range(2) for step in range(3)]


@pytest.fixture
def rows(tmp_path):
    file = tmp_path / 'x.csv'
    file.write_text(ROWS.header + ROWS.lines(LINES))
    return file


def test_rows_are_the_same_as_parquet(rows, tmp_path):
    parquet = pytest.importorskip('pyarrow.parquet')
    target = write_parquet(rows)
    assert target == tmp_path / 'x.parquet'
    read = parquet.read_table(target).to_pylist()
    assert [Row(**line) for line in read] == ROWS.read(rows) == LINES
    assert write_parquet(rows, tmp_path / 'other.parquet').read_bytes() == target.read_bytes()


def test_what_is_no_file_of_rows_is_refused(rows, tmp_path):
    pytest.importorskip('pyarrow')
    with pytest.raises(ExperimentError, match=r'none.csv: cannot be read .*run the experiment'):
        write_parquet(tmp_path / 'none.csv')
    rows.write_text('a,b\n1,2\n1,2,3\n')
    with pytest.raises(ExperimentError, match=r'x.csv: is not a file of rows: .*Expected 2 col'):
        write_parquet(rows)


def test_without_pyarrow_the_message_says_what_to_do(rows, monkeypatch):
    monkeypatch.setitem(sys.modules, 'pyarrow', None)
    with pytest.raises(ExperimentError, match=r'needs pyarrow, which is not installed: pip '
                                              r'install pyarrow; the rows are in .*x.csv as CSV'):
        write_parquet(rows)
