"""Rows of experiments as Parquet, for those who analyse them elsewhere; needs pyarrow."""

from __future__ import annotations

from pathlib import Path

from gbs_irl_ros.experiments.rows import ExperimentError


def write_parquet(rows: Path, target: Path | None = None) -> Path:
    """
    Write the rows of a CSV file as Parquet, with the same columns, and return that file.

    :param rows: a CSV file with names in its first line, such as the rows of any experiment.
    :param target: beside the rows if None.
    """
    try:
        from pyarrow import ArrowInvalid, csv, parquet
    except ImportError:
        raise ExperimentError(
            'Parquet needs pyarrow, which is not installed: pip install pyarrow; the rows are in '
            f'{rows} as CSV') from None
    target = rows.with_suffix('.parquet') if target is None else target
    try:
        table = csv.read_csv(rows)
    except OSError as error:
        raise ExperimentError(f'{rows}: cannot be read ({error.strerror or error}); '
                              'run the experiment first') from None
    except ArrowInvalid as error:
        raise ExperimentError(f'{rows}: is not a file of rows: {error}') from None
    parquet.write_table(table, target)
    return target
