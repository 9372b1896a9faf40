"""Jobs of an asyncio event loop, on threads beside it."""

from __future__ import annotations

import weakref
from collections import deque
from typing import TYPE_CHECKING, Any

from broadloom._broadloom import Job, Session, Workers

if TYPE_CHECKING:
    import asyncio

    from _typeshed import ReadableBuffer


class _Pump:
    """The workers of one event loop, whose event the loop waits on."""

    def __init__(self) -> None:
        self._workers = Workers()
        self._ready: deque[Job] = deque()
        self._is_due = False

    @property
    def is_here(self) -> bool:
        """Whether this process has the threads."""
        return self._workers.is_here

    def attach(self, loop: asyncio.AbstractEventLoop) -> None:
        """Has the loop wait for complete jobs."""
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
            _resolve(job.user, job)
        if self._ready:
            self._submit()


def _resolve(future: asyncio.Future[Any], job: Job) -> None:
    if future.done():  # It was cancelled.
        return
    try:
        result = job.result()
    except Exception as error:
        # The traceback has this frame, and so the future: with it, the future would hold itself.
        future.set_exception(error.with_traceback(None))
    else:
        future.set_result(result)


_pumps: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _Pump] = weakref.WeakKeyDictionary()


def process(
    self: Session,
    data: ReadableBuffer,
    *,
    nonce: ReadableBuffer | None = None,
    associated: ReadableBuffer | None = None,
    signature: ReadableBuffer | None = None,
) -> asyncio.Future[Any]:
    """Processes one buffer on threads beside the running event loop.

    The arguments are those of ``Job``, and the awaited result is that of ``Job.result``. Calls that
    are made before the loop's next turn share lanes. A child of fork needs an event loop of its
    own.
    """
    # Whoever has an event loop has imported it; all others need not wait for it.
    import asyncio

    loop = asyncio.get_running_loop()
    pump = _pumps.get(loop)
    if pump is None:
        pump = _pumps[loop] = _Pump()
        pump.attach(loop)
    elif not pump.is_here:
        raise RuntimeError("the event loop is that of the parent process; make one in this child")
    future = loop.create_future()
    job = Job(
        self, data, nonce=nonce, associated=associated, signature=signature, user=future
    )
    pump.add(loop, job)
    return future


# It is a method here and not in Rust. At the end of the interpreter, CPython unwinds threads within
# Python code, and no frame of Rust may lie below them.
Session.process = process  # type: ignore[method-assign]
