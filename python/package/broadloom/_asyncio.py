"""Jobs of an asyncio event loop, on threads beside it."""

from __future__ import annotations

import asyncio
import weakref
from collections import deque
from typing import Any

from broadloom._broadloom import Job, Session, Workers


class _Pump:
    """The workers of one event loop, whose event the loop waits on."""

    def __init__(self) -> None:
        self._workers = Workers()
        self._ready: deque[Job] = deque()
        self._is_due = False

    def attach(self, loop: asyncio.AbstractEventLoop) -> None:
        loop.add_reader(self._workers.fileno(), self._take)

    def add(self, loop: asyncio.AbstractEventLoop, job: Job) -> None:
        """Submits a job, together with the others of this turn of the loop."""
        self._ready.append(job)
        if not self._is_due:
            self._is_due = True
            loop.call_soon(self._submit)

    def _submit(self) -> None:
        self._is_due = False
        for _ in range(self._workers.submit(self._ready)):
            self._ready.popleft()

    def _take(self) -> None:
        for job in self._workers.poll():
            future = job.user
            if future.done():  # It was cancelled.
                continue
            try:
                future.set_result(job.result())
            except Exception as error:
                future.set_exception(error)
        if self._ready:
            self._submit()


_pumps: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _Pump] = weakref.WeakKeyDictionary()


def process(session: Session, data: Any, **extras: Any) -> asyncio.Future[Any]:
    """A future of the result of a job."""
    loop = asyncio.get_running_loop()
    pump = _pumps.get(loop)
    if pump is None:
        pump = _pumps[loop] = _Pump()
        pump.attach(loop)
    future = loop.create_future()
    pump.add(loop, Job(session, data, user=future, **extras))
    return future
