"""The notebook runs, and draws."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_tutorial(tmp_path: Path) -> None:
    path = Path(__file__).parent.parent / "tutorial.ipynb"
    notebook = nbformat.read(path, 4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "it is kept without outputs"
    resources = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(notebook, startup_timeout=300, timeout=300, resources=resources).execute()
    outputs = [out for cell in notebook.cells for out in cell.get("outputs", [])]
    plots = [out for out in outputs if "image/png" in out.get("data", {})]
    assert len(plots) == 3
