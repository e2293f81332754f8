"""The command, run in this process, which has imported and compiled what it takes."""

import io
import json

import pandas as pd
from click.testing import CliRunner

from bayesrank.cli import cli


def run(*words, **options):
    return CliRunner().invoke(cli, list(map(str, words)), **options)


def invoke(*words, status=0, **options):
    """What the command prints."""
    result = run(*words, catch_exceptions=False, **options)
    assert result.exit_code == status, result.output
    return result.output


def refused(*words, **options):
    """The message of the command's error."""
    result = run(*words, **options)
    assert result.exit_code != 0, result.output
    return f"{result.output}{result.exception}"


def csv_of(*words, index="entity", **options):
    text = invoke(*words, "--format", "csv", **options)
    return pd.read_csv(io.StringIO(text), index_col=index, keep_default_na=False, na_values=[""])


def json_of(*words, **options):
    return json.loads(invoke(*words, "--format", "json", **options))
