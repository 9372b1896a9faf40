"""What several files of tests use, and what must be set before Ray is imported."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

#: Seconds that Ray may take to start, beside whatever else keeps the machine busy.
PATIENCE = 180
os.environ.setdefault("RAY_agent_register_timeout_ms", f"{PATIENCE}000")
os.environ.setdefault("RAY_enable_worker_prestart", "0")
os.environ.setdefault("RAY_gcs_server_port_wait_time_s", f"{PATIENCE}")
os.environ.setdefault("RAY_gcs_server_request_timeout_seconds", f"{PATIENCE}")
os.environ.setdefault("RAY_raylet_start_wait_time_s", f"{PATIENCE}")

PASSWORD = "the warp and the weft"


@pytest.fixture(scope="session")
def restic() -> Callable[..., str]:
    """Runs restic on a repository with the password above, and gives what it prints."""
    program = shutil.which("restic")
    if program is None:
        assert os.environ.get("CI") != "true", "restic is missing"
        pytest.skip("restic is missing: the Debian package restic has it")

    def run(repository: Path, *arguments: str) -> str:
        command = [program, "--quiet", "--no-cache", "--repo", str(repository), *arguments]
        environment = {**os.environ, "RESTIC_PASSWORD": PASSWORD}
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
