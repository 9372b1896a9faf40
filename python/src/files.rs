//! Digests of files: of each as a whole, or of its chunks.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::{thread, vec};

use broadloom::lanes::Cpu;
use broadloom_hashing::function::HashMode;
use broadloom_hashing::order::Shared;
use broadloom_hashing::reader::{self, Opened};
use broadloom_hashing::source::{Input, Item, Request, Serial, Source, Spans};
use broadloom_hashing::task::{Found, Outcome, Task};
use broadloom_hashing::threads::Run;
use pyo3::exceptions::{PyMemoryError, PyOSError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::error::InternalError;
use crate::memory::Appender;
use crate::results::{Records, Wanted};
use crate::{arguments, hasher, signals};

/// The digests of many files, in their order. Memory is bounded, however large they are.
///
/// :param paths: an iterable of `str` or `os.PathLike`.
/// :param threads: how many work; `None` is one for each core.
/// :raises OSError: a file cannot be read; its `filename` says which. Nothing is given then.
/// :raises ValueError: there is no such hash.
///
/// The other parameters are those of `hash_many`.
///
/// >>> import broadloom, os
/// >>> broadloom.hash_files([os.devnull], "md5")[0].hex()
/// 'd41d8cd98f00b204e9800998ecf8427e'
#[pyfunction]
#[pyo3(signature = (paths, algorithm = "sha256", *, threads = None, result = None))]
pub fn hash_files<'py>(
    py: Python<'py>,
    paths: Bound<'py, PyAny>,
    algorithm: &str,
    threads: Option<isize>,
    result: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let wanted = Wanted::new(py, result, None)?;
    if paths.is_instance_of::<PyString>() || paths.is_instance_of::<PyBytes>() {
        // Its items would be paths: "/" of most.
        return Err(PyTypeError::new_err("paths is one path; give a list of paths"));
    }
    let paths = paths.try_iter()?.map(|path| path?.extract::<PathBuf>());
    let paths: Vec<PathBuf> = paths.collect::<PyResult<_>>()?;
    let count = paths.len();
    let source = Files(paths.into_iter());
    let digests = run(py, Box::new(source), algorithm, threads, None)?;
    wanted.give(digests.records(algorithm, count)?)
}

/// The digests of the chunks of a file, in their order. An empty file is one empty chunk.
///
/// :param file: its path.
/// :param size: bytes of each chunk; the last may be shorter.
/// :raises MemoryError: there is too little memory for the digests.
/// :raises OSError: the file cannot be read.
/// :raises ValueError: the size is 0, or there is no such hash.
///
/// The other parameters are those of `hash_files`.
///
/// >>> import broadloom, os
/// >>> [digest.hex()[:8] for digest in broadloom.hash_chunks(os.devnull, 1 << 20)]
/// ['e3b0c442']
#[pyfunction]
#[pyo3(signature = (file, size, algorithm = "sha256", *, threads = None, result = None))]
pub fn hash_chunks<'py>(
    py: Python<'py>,
    file: PathBuf,
    size: u64,
    algorithm: &str,
    threads: Option<isize>,
    result: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let wanted = Wanted::new(py, result, None)?;
    let chunk = NonZeroU64::new(size);
    let chunk = chunk.ok_or_else(|| PyValueError::new_err("size is 0; valid: 1 or more bytes"))?;
    let name: Arc<OsStr> = file.as_os_str().into();
    let source = match reader::open(&file).map_err(|error| os_error(error, &name))? {
        Opened::Regular(file, size) if size > 0 => {
            Chunks::Spans(Spans::new(file, name, size, chunk))
        }
        Opened::Regular(file, _) => Chunks::Serial(name, Some(Serial::File(file))),
        Opened::Serial => Chunks::Serial(name, Some(Serial::Device)),
    };
    let digests = run(py, Box::new(source), algorithm, threads, Some(chunk.get()))?;
    let count = digests.count;
    wanted.give(digests.records(algorithm, count)?)
}

/// Hashes what a source names. A signal ends the call, even while a read waits for ever.
fn run(
    py: Python<'_>,
    source: Box<dyn Source<Digests>>,
    algorithm: &str,
    threads: Option<isize>,
    chunk: Option<u64>,
) -> PyResult<Digests> {
    let threads = arguments::threads(threads)?;
    let algorithm = hasher::function(algorithm)?;
    let is_stopped = Arc::new(AtomicBool::new(false));
    let digests = Digests { is_stopped: Arc::clone(&is_stopped), ..Digests::default() };
    let work = move || {
        let cpu = Cpu::detect();
        let shared = Shared::new(source, digests);
        let mode = HashMode::default();
        Run { algorithm, shared, cpu: &cpu, mode, threads, chunk }.hash().into_task()
    };
    let (digests, error) = match signals::is_main_thread() {
        true => watched(py, &is_stopped, work)?,
        // No other thread is told of signals.
        false => py.detach(work),
    };
    match error {
        Some(error) => Err(os_error(error, digests.failed.as_deref().unwrap_or_default())),
        None => Ok(digests),
    }
}

/// Has another thread work, and looks for signals meanwhile.
///
/// # Errors
/// That of a signal's handler. Then the other thread ends as soon as its next read does.
fn watched<R: Send + 'static>(
    py: Python<'_>,
    is_stopped: &AtomicBool,
    work: impl FnOnce() -> R + Send + 'static,
) -> PyResult<R> {
    let (sender, mut receiver) = mpsc::sync_channel(1);
    let thread = thread::Builder::new().name("broadloom files".to_owned()).spawn(move || {
        // Nobody waits any more where a signal came.
        let _ = sender.send(work());
    });
    thread
        .map_err(|error| PyRuntimeError::new_err(format!("no thread can be started: {error}")))?;
    loop {
        // A receiver belongs to one thread at a time.
        let receiver = &mut receiver;
        match py.detach(move || receiver.recv_timeout(signals::INTERVAL)) {
            Ok(done) => return Ok(done),
            Err(RecvTimeoutError::Timeout) => {
                py.check_signals().inspect_err(|_| is_stopped.store(true, Ordering::Relaxed))?
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(InternalError::new_err("a thread that hashes files panicked"));
            }
        }
    }
}

/// An `OSError` of the subclass that Python has for it, with the file's name; or `MemoryError`.
fn os_error(error: io::Error, name: &OsStr) -> PyErr {
    if error.kind() == io::ErrorKind::OutOfMemory {
        return PyMemoryError::new_err("there is no memory for the digests");
    }
    match error.raw_os_error() {
        // Python chooses the subclass by the number.
        Some(number) => {
            let text = error.to_string();
            let text = text.split(" (os error").next().unwrap_or_default().to_owned();
            PyOSError::new_err((number, text, name.to_owned()))
        }
        None => PyOSError::new_err(format!("{}: {error}", Path::new(name).display())),
    }
}

/// Files by their paths.
struct Files(vec::IntoIter<PathBuf>);

impl Source<Digests> for Files {
    fn next(&mut self) -> Option<Item<Digests>> {
        let name: Arc<OsStr> = self.0.next()?.into_os_string().into();
        Some(Item::Hash(Request { name, expected: (), input: Input::Path }))
    }
}

/// The chunks of one file.
enum Chunks {
    Spans(Spans),
    Serial(Arc<OsStr>, Option<Serial>),
}

impl Source<Digests> for Chunks {
    fn next(&mut self) -> Option<Item<Digests>> {
        match self {
            Chunks::Spans(spans) => spans.request().map(Item::Hash),
            Chunks::Serial(name, serial) => {
                let (name, input) = (Arc::clone(name), Input::Serial(serial.take()?));
                Some(Item::Hash(Request { name, expected: (), input }))
            }
        }
    }
}

/// The digests so far, one behind another.
#[derive(Default)]
struct Digests {
    bytes: Vec<u8>,
    count: usize,
    /// The file that could not be read.
    failed: Option<OsString>,
    /// Nobody waits for the digests any more.
    is_stopped: Arc<AtomicBool>,
}

impl Task for Digests {
    type Expected = ();
    type Notice = ();

    fn read_apart(_: &OsStr, (): &mut ()) -> io::Result<(Found, u64)> {
        unreachable!("no source here asks for it")
    }

    /// Keeps the digests, or ends the run at the first file that cannot be read.
    fn outcome(&mut self, outcome: Outcome<Self>) -> io::Result<()> {
        if self.is_stopped.load(Ordering::Relaxed) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let found =
            outcome.found.inspect_err(|_| self.failed = Some(outcome.name.to_os_string()))?;
        let mut keep = |digest: &[u8]| -> io::Result<()> {
            // A large file has many small chunks.
            Appender(&mut self.bytes).write_all(digest)?;
            self.count += 1;
            Ok(())
        };
        match found {
            Found::Digest(digest) => keep(digest.as_bytes())?,
            Found::Chunks(chunks) => {
                chunks.iter().try_for_each(|chunk| keep(chunk.digest.as_bytes()))?;
            }
            Found::Apart => unreachable!("no source here asks for it"),
        }
        Ok(())
    }

    fn notice(&mut self, (): ()) -> io::Result<()> {
        Ok(())
    }

    fn advance(&mut self, _: u64) {}

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Digests {
    /// The digests for Python.
    fn records(self, algorithm: &str, count: usize) -> PyResult<Records> {
        let len = hasher::function(algorithm)?.digest_len();
        assert_eq!(self.bytes.len(), count * len, "each file and each chunk has a digest");
        Ok(Records::Fixed { bytes: self.bytes, len, count })
    }
}
