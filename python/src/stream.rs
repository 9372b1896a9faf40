//! A compression or a decompression that goes on beside Python: input goes in as it comes, output
//! comes out as it is made.
//!
//! A thread of its own runs the coder between a [`Reader`] and a [`Writer`], which share a monitor
//! with the calls of Python. No thread here runs Python code, so that an interpreter can end while
//! one works. A child of fork, which has no such thread, is refused.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::mem;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use broadloom::compression::Pause;
use broadloom::compression::inflate::{Options, inflate};
use broadloom::encryption::{Input, Output};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyBytes;

use crate::age;
use crate::arguments;
use crate::buffers::{self, Buffers};
use crate::compression::{self, Failure};
use crate::memory::{self, Appender};
use crate::process::Resident;
use crate::signals;

/// Bytes that wait on either side at most, but for the piece that goes beyond.
const WAITING: usize = 4 << 20;
/// Pieces that are kept to be used again: the system clears new memory page by page.
const SPARE: usize = 32;

/// Compresses or decompresses a stream on threads of its own.
#[pyclass(module = "broadloom._broadloom", frozen)]
pub struct Coder(Resident<Arc<Monitor>>);

#[derive(Default)]
struct Monitor {
    state: Mutex<StreamState>,
    changed: Condvar,
}

#[derive(Default)]
struct StreamState {
    input: VecDeque<Vec<u8>>,
    input_len: usize,
    /// No more input will come.
    ended: bool,
    /// The coder waits for input.
    hungry: bool,
    /// Output is wanted for all input so far, before more comes.
    pauses: bool,
    /// Pauses that the coder was told of.
    given: u64,
    /// Pauses before which all output was written.
    flushes: u64,
    /// Input came since the last flush.
    is_unflushed: bool,
    output: VecDeque<Vec<u8>>,
    output_len: usize,
    /// How much of the first piece of output was taken.
    taken: usize,
    /// Pieces without a use.
    spare: Vec<Vec<u8>>,
    /// How the coder ended, if it has.
    end: Option<Result<(), Failure>>,
    /// Nobody waits for the output any more.
    abandoned: bool,
}

impl Monitor {
    fn lock(&self) -> MutexGuard<'_, StreamState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A piece with these bytes. They are copied while nobody has to wait.
    ///
    /// # Errors
    /// There is no memory.
    fn piece(&self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut piece = self.lock().spare.pop().unwrap_or_default();
        Appender(&mut piece).write_all(bytes)?;
        Ok(piece)
    }

    /// Adds input.
    ///
    /// # Errors
    /// `MemoryError`.
    fn give(&self, data: &[u8]) -> PyResult<()> {
        let piece = self.piece(data).map_err(|_| memory::none_left(data.len()))?;
        let mut state = self.lock();
        if !piece.is_empty() && state.end.is_none() {
            state.input_len += piece.len();
            state.input.push_back(piece);
            state.hungry = false;
            state.is_unflushed = true;
            self.changed.notify_all();
        }
        Ok(())
    }

    fn wait<'s>(&self, state: MutexGuard<'s, StreamState>) -> MutexGuard<'s, StreamState> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits without the GIL until `look` gives something, and looks for signals meanwhile.
    ///
    /// # Errors
    /// That of a signal's handler: `KeyboardInterrupt`.
    fn until<R: Send>(
        &self,
        py: Python<'_>,
        look: &mut (dyn FnMut(&mut StreamState) -> Option<R> + Send),
    ) -> PyResult<R> {
        loop {
            let found = py.detach(|| {
                let mut state = self.lock();
                let until = Instant::now() + signals::INTERVAL;
                loop {
                    if let Some(found) = look(&mut state) {
                        self.changed.notify_all();
                        return Some(found);
                    }
                    let left = until.checked_duration_since(Instant::now())?;
                    let waited = self.changed.wait_timeout(state, left);
                    state = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
            });
            match found {
                Some(found) => return Ok(found),
                None => py.check_signals()?,
            }
        }
    }
}

/// The end that the coder reads.
struct Reader {
    monitor: Arc<Monitor>,
    piece: Vec<u8>,
    /// How much of the piece was read.
    read: usize,
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.read == self.piece.len() {
            let mut state = self.monitor.lock();
            if state.abandoned {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            if let Some(piece) = state.input.pop_front() {
                state.input_len -= piece.len();
                state.keep(mem::replace(&mut self.piece, piece));
                self.read = 0;
                self.monitor.changed.notify_all();
            } else if state.ended {
                return Ok(0);
            } else if mem::take(&mut state.pauses) {
                state.given += 1;
                return Err(Pause.into());
            } else {
                state.hungry = true;
                self.monitor.changed.notify_all();
                drop(self.monitor.wait(state));
            }
        }
        let len = buffer.len().min(self.piece.len() - self.read);
        buffer[..len].copy_from_slice(&self.piece[self.read..][..len]);
        self.read += len;
        Ok(len)
    }
}

/// The end that the coder writes.
struct Writer(Arc<Monitor>);

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let piece = self.0.piece(bytes)?;
        let mut state = self.0.lock();
        while state.output_len > WAITING && !state.abandoned {
            state = self.0.wait(state);
        }
        if state.abandoned {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        state.output_len += bytes.len();
        state.output.push_back(piece);
        self.0.changed.notify_all();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.lock().flushes += 1;
        self.0.changed.notify_all();
        Ok(())
    }
}

/// Tells the monitor how the coder ended, in a panic too.
struct Ending {
    monitor: Arc<Monitor>,
    end: Option<Result<(), Failure>>,
}

impl Drop for Ending {
    fn drop(&mut self) {
        self.monitor.lock().end = Some(self.end.take().unwrap_or(Err(Failure::Panic)));
        self.monitor.changed.notify_all();
    }
}

impl Coder {
    fn start<E: Into<Failure>>(
        code: impl FnOnce(Reader, Writer) -> Result<(), E> + Send + 'static,
    ) -> PyResult<Coder> {
        let monitor = Arc::new(Monitor::default());
        let coder = Coder(Resident::new(Arc::clone(&monitor)));
        let run = move || {
            let reader = Reader { monitor: Arc::clone(&monitor), piece: Vec::new(), read: 0 };
            let writer = Writer(Arc::clone(&monitor));
            let mut ending = Ending { monitor, end: None };
            ending.end = Some(code(reader, writer).map_err(Into::into));
        };
        match thread::Builder::new().name("broadloom coder".to_owned()).spawn(run) {
            Ok(_) => Ok(coder),
            Err(error) => {
                Err(PyRuntimeError::new_err(format!("no thread can be started: {error}")))
            }
        }
    }

    fn monitor(&self) -> PyResult<&Monitor> {
        self.0.get("a stream").map(|monitor| &**monitor)
    }

    /// Gives all output that comes until the coder has ended, or `enough`.
    ///
    /// # Errors
    /// Those of the coder; those of a signal's handler, and then no output is lost.
    fn gather<'py>(
        monitor: &Monitor,
        py: Python<'py>,
        enough: &(dyn Fn(&StreamState) -> bool + Sync),
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let mut output = Vec::new();
        let done = monitor.until(py, &mut |state| {
            // The coder may wait for room.
            if state.drain(&mut output) {
                monitor.changed.notify_all();
            }
            match state.end.is_some() {
                true => Some(state.last(())),
                false => enough(state).then_some(Ok(())),
            }
        });
        match done {
            Ok(done) => Coder::give(monitor, py, done.map(|()| output)),
            Err(signal) => {
                monitor.lock().restore(output);
                Err(signal)
            }
        }
    }

    /// Gives output to Python, and keeps its pieces.
    fn give<'py>(
        monitor: &Monitor,
        py: Python<'py>,
        output: Result<Vec<Vec<u8>>, Failure>,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let output = output.map_err(|failure| failure.raise(""))?;
        let objects = output.iter().map(|piece| memory::bytes(py, piece)).collect();
        let mut state = monitor.lock();
        output.into_iter().for_each(|piece| state.keep(piece));
        objects
    }
}

#[pymethods]
impl Coder {
    /// A coder that compresses.
    #[staticmethod]
    #[pyo3(signature = (format, level, *, threads, mtime))]
    fn compress(format: &str, level: i64, threads: Option<isize>, mtime: u32) -> PyResult<Coder> {
        let threads = arguments::threads(threads)?;
        let format = compression::format(format)?;
        let compressor = compression::compressor(format, level, threads, mtime)?;
        Coder::start(move |reader, writer| compressor.compress_stream(reader, writer).map(drop))
    }

    /// A coder that encrypts for recipients of age.
    #[staticmethod]
    #[pyo3(signature = (recipients, *, threads))]
    fn encrypt(recipients: Vec<PyBackedStr>, threads: Option<isize>) -> PyResult<Coder> {
        let encryptor = age::encryptor(&recipients, threads)?;
        Coder::start(move |mut reader, mut writer| {
            let (input, output) = (Input::Stream(&mut reader), Output::Stream(&mut writer));
            encryptor.encrypt(input, output).map(drop)
        })
    }

    /// A coder that decrypts with identities of age.
    #[staticmethod]
    #[pyo3(signature = (identities, *, threads))]
    fn decrypt(identities: Vec<PyBackedStr>, threads: Option<isize>) -> PyResult<Coder> {
        let decryptor = age::decryptor(&identities, threads)?;
        Coder::start(move |mut reader, mut writer| {
            let (input, output) = (Input::Stream(&mut reader), Output::Stream(&mut writer));
            decryptor.decrypt(input, output).map(drop)
        })
    }

    /// A coder that decompresses. With `at_once`, one thread gives the data that the input so far
    /// stands for, and waits for no more of it.
    #[staticmethod]
    #[pyo3(signature = (format, *, threads, limit, at_once = false))]
    fn decompress(
        format: Option<&str>,
        threads: Option<isize>,
        limit: Option<u64>,
        at_once: bool,
    ) -> PyResult<Coder> {
        let threads = arguments::threads(threads)?;
        let format = format.map(compression::format).transpose()?;
        if at_once {
            let options = Options { format, limit, ..Options::default() };
            return Coder::start(move |reader, writer| inflate(reader, writer, options).map(drop));
        }
        let decompressor = compression::decompressor(format, threads, limit)?;
        Coder::start(move |reader, writer| decompressor.decompress_stream(reader, writer).map(drop))
    }

    /// Takes input, waits while more than enough of it waits, and gives the output that there is,
    /// in pieces: one object of all would cost another copy.
    fn feed<'py>(&self, data: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let (py, monitor) = (data.py(), self.monitor()?);
        let data = Buffers::one(data, "data")?;
        py.detach(|| monitor.give(data.get(0)))?;
        Coder::gather(monitor, py, &|state| state.input_len <= WAITING)
    }

    /// Takes input, and waits for nothing.
    fn push(&self, data: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, monitor) = (data.py(), self.monitor()?);
        let data = Buffers::one(data, "data")?;
        py.detach(|| monitor.give(data.get(0)))
    }

    /// Gives all output for the input so far, of a coder that compresses: what decompresses it gets
    /// all of that input.
    fn flush<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let monitor = self.monitor()?;
        let flushes = {
            let mut state = monitor.lock();
            state.pauses |= mem::take(&mut state.is_unflushed);
            state.given + u64::from(state.pauses)
        };
        monitor.changed.notify_all();
        Coder::gather(monitor, py, &|state| state.flushes >= flushes)
    }

    /// Waits for output, and writes some of it to a buffer: gives how many bytes, 0 at the end,
    /// `None` where the coder needs more input.
    fn read_into(&self, buffer: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
        let (py, monitor) = (buffer.py(), self.monitor()?);
        let buffer = buffers::Output::new(buffer)?;
        loop {
            {
                // Nobody waits for the GIL and holds this lock.
                let mut state = monitor.lock();
                let count = state.take(py, &buffer);
                if count > 0 {
                    monitor.changed.notify_all();
                    return Ok(Some(count));
                }
                if state.end.is_some() {
                    return state.last(()).map(|()| Some(0)).map_err(|failure| failure.raise(""));
                }
                if state.hungry && !state.ended {
                    return Ok(None);
                }
            }
            monitor.until(py, &mut |state| {
                let is_ready = !state.output.is_empty() || state.end.is_some();
                (is_ready || state.hungry && !state.ended).then_some(())
            })?;
        }
    }

    /// Says that no more input will come, waits for the end, and gives the rest of the output in
    /// pieces.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let monitor = self.monitor()?;
        monitor.lock().ended = true;
        monitor.changed.notify_all();
        Coder::gather(monitor, py, &|_| false)
    }

    /// Says that no more input will come.
    fn end(&self) -> PyResult<()> {
        let monitor = self.monitor()?;
        monitor.lock().ended = true;
        monitor.changed.notify_all();
        Ok(())
    }

    /// Waits for output and gives it in pieces: none at the end, `None` where the coder needs more
    /// input.
    fn pull<'py>(&self, py: Python<'py>) -> PyResult<Option<Vec<Bound<'py, PyBytes>>>> {
        let monitor = self.monitor()?;
        let output = monitor.until(py, &mut |state| {
            let mut output = Vec::new();
            if state.drain(&mut output) {
                return Some(Ok(Some(output)));
            }
            if state.end.is_some() {
                return Some(state.last(Some(output)));
            }
            (state.hungry && !state.ended).then_some(Ok(None))
        })?;
        output.transpose().map(|output| Coder::give(monitor, py, output)).transpose()
    }

    /// Stops the coder. Its output is lost. In a child of fork it does nothing.
    fn abandon(&self) {
        if let Some(monitor) = self.0.here() {
            monitor.lock().abandoned = true;
            monitor.changed.notify_all();
        }
    }

    /// Whether the calling process has the threads: a child of fork does not.
    #[getter]
    fn is_here(&self) -> bool {
        self.0.is_here()
    }
}

impl Drop for Coder {
    fn drop(&mut self) {
        self.abandon();
    }
}

impl StreamState {
    /// Keeps a piece to be used again.
    fn keep(&mut self, mut piece: Vec<u8>) {
        if self.spare.len() < SPARE {
            piece.clear();
            self.spare.push(piece);
        }
    }

    /// Takes the output that there is, and says whether there was some.
    fn drain(&mut self, output: &mut Vec<Vec<u8>>) -> bool {
        if let Some(first) = self.output.front_mut() {
            first.drain(..mem::take(&mut self.taken));
        }
        let some = !self.output.is_empty();
        output.extend(self.output.drain(..));
        self.output_len = 0;
        some
    }

    /// Puts output back that was taken and could not be given.
    fn restore(&mut self, output: Vec<Vec<u8>>) {
        for piece in output.into_iter().rev() {
            self.output_len += piece.len();
            self.output.push_front(piece);
        }
    }

    /// Takes as much output as a buffer has room for.
    fn take(&mut self, py: Python<'_>, buffer: &buffers::Output) -> usize {
        let mut count = 0;
        while count < buffer.len() {
            let Some(piece) = self.output.front() else { break };
            let len = (buffer.len() - count).min(piece.len() - self.taken);
            buffer.write_at(py, count, &piece[self.taken..][..len]);
            count += len;
            self.taken += len;
            if self.taken == piece.len() {
                self.taken = 0;
                let piece = self.output.pop_front().expect("it is the first");
                self.output_len -= piece.len();
                self.keep(piece);
            }
        }
        count
    }

    /// The last of the output, or why the coder failed; once it has ended.
    fn last<O>(&mut self, output: O) -> Result<O, Failure> {
        match self.end.replace(Ok(())) {
            Some(Err(failure)) => Err(failure),
            _ => Ok(output),
        }
    }
}
