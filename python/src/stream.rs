//! A compression or a decompression that goes on beside Python: input goes in as it comes, output
//! comes out as it is made.
//!
//! A thread of its own runs the coder between a [`Reader`] and a [`Writer`], which share a monitor
//! with the calls of Python. No thread here runs Python code, so that an interpreter can end while
//! one works.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use broadloom::encryption::{Input, Output};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::age;
use crate::arguments;
use crate::buffers::Buffers;
use crate::compression::{self, Failure};

/// Bytes that wait on either side at most, but for the piece that goes beyond.
const WAITING: usize = 4 << 20;

/// Compresses or decompresses a stream on threads of its own.
#[pyclass(module = "broadloom._broadloom", frozen)]
pub struct Coder(Arc<Monitor>);

#[derive(Default)]
struct Monitor {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    input: VecDeque<Vec<u8>>,
    input_len: usize,
    /// How much of the first piece of input was read.
    read: usize,
    /// No more input will come.
    ended: bool,
    /// The coder waits for input.
    hungry: bool,
    output: VecDeque<Vec<u8>>,
    output_len: usize,
    /// How the coder ended, if it has.
    end: Option<Result<(), Failure>>,
    /// Nobody waits for the output any more.
    abandoned: bool,
}

impl Monitor {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'s>(&self, state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }
}

/// The end that the coder reads.
struct Reader(Arc<Monitor>);

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut state = self.0.lock();
        loop {
            if state.abandoned {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            let from = state.read;
            if let Some(piece) = state.input.front() {
                let len = buffer.len().min(piece.len() - from);
                buffer[..len].copy_from_slice(&piece[from..][..len]);
                let is_read = from + len == piece.len();
                state.read = if is_read { 0 } else { from + len };
                state.input_len -= len;
                if is_read {
                    state.input.pop_front();
                }
                self.0.changed.notify_all();
                return Ok(len);
            }
            if state.ended {
                return Ok(0);
            }
            state.hungry = true;
            self.0.changed.notify_all();
            state = self.0.wait(state);
        }
    }
}

/// The end that the coder writes.
struct Writer(Arc<Monitor>);

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.0.lock();
        while state.output_len > WAITING && !state.abandoned {
            state = self.0.wait(state);
        }
        if state.abandoned {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        state.output_len += bytes.len();
        state.output.push_back(bytes.to_vec());
        self.0.changed.notify_all();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
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
        let coder = Coder(Arc::clone(&monitor));
        let run = move || {
            let (reader, writer) = (Reader(Arc::clone(&monitor)), Writer(Arc::clone(&monitor)));
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
    fn encrypt(recipients: Vec<String>, threads: Option<isize>) -> PyResult<Coder> {
        let encryptor = age::encryptor(&recipients, threads)?;
        Coder::start(move |mut reader, mut writer| {
            let (input, output) = (Input::Stream(&mut reader), Output::Stream(&mut writer));
            encryptor.encrypt(input, output).map(drop)
        })
    }

    /// A coder that decrypts with identities of age.
    #[staticmethod]
    #[pyo3(signature = (identities, *, threads))]
    fn decrypt(identities: Vec<String>, threads: Option<isize>) -> PyResult<Coder> {
        let decryptor = age::decryptor(&identities, threads)?;
        Coder::start(move |mut reader, mut writer| {
            let (input, output) = (Input::Stream(&mut reader), Output::Stream(&mut writer));
            decryptor.decrypt(input, output).map(drop)
        })
    }

    /// A coder that decompresses.
    #[staticmethod]
    #[pyo3(signature = (format, *, threads, limit))]
    fn decompress(
        format: Option<&str>,
        threads: Option<isize>,
        limit: Option<u64>,
    ) -> PyResult<Coder> {
        let threads = arguments::threads(threads)?;
        let format = format.map(compression::format).transpose()?;
        let decompressor = compression::decompressor(format, threads, limit)?;
        Coder::start(move |reader, writer| decompressor.decompress_stream(reader, writer).map(drop))
    }

    /// Takes input, waits while more than enough of it waits, and gives the output that there is.
    fn feed<'py>(&self, data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        let py = data.py();
        let data = Buffers::one(data, "data")?;
        let output = py.detach(|| {
            let mut output = Vec::new();
            let mut state = self.0.lock();
            if !data.get(0).is_empty() && state.end.is_none() {
                state.input_len += data.get(0).len();
                state.input.push_back(data.get(0).to_vec());
                state.hungry = false;
                self.0.changed.notify_all();
            }
            loop {
                state.drain(&mut output);
                self.0.changed.notify_all();
                if state.end.is_some() {
                    return state.last(output);
                }
                if state.input_len <= WAITING {
                    return Ok(output);
                }
                state = self.0.wait(state);
            }
        });
        Ok(PyBytes::new(py, &output.map_err(|failure| failure.raise(""))?))
    }

    /// Says that no more input will come, waits for the end, and gives the rest of the output.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let output = py.detach(|| {
            let mut output = Vec::new();
            let mut state = self.0.lock();
            state.ended = true;
            loop {
                state.drain(&mut output);
                self.0.changed.notify_all();
                if state.end.is_some() {
                    return state.last(output);
                }
                state = self.0.wait(state);
            }
        });
        Ok(PyBytes::new(py, &output.map_err(|failure| failure.raise(""))?))
    }

    /// Says that no more input will come.
    fn end(&self) {
        self.0.lock().ended = true;
        self.0.changed.notify_all();
    }

    /// Waits for output and gives it: empty at the end, `None` where the coder needs more input.
    fn pull<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let output = py.detach(|| {
            let mut output = Vec::new();
            let mut state = self.0.lock();
            loop {
                state.drain(&mut output);
                self.0.changed.notify_all();
                if !output.is_empty() {
                    return Ok(Some(output));
                }
                if state.end.is_some() {
                    return state.last(output).map(Some);
                }
                if state.hungry && !state.ended {
                    return Ok(None);
                }
                state = self.0.wait(state);
            }
        });
        let output = output.map_err(|failure| failure.raise(""))?;
        Ok(output.map(|output| PyBytes::new(py, &output)))
    }

    /// Stops the coder. Its output is lost.
    fn abandon(&self) {
        self.0.lock().abandoned = true;
        self.0.changed.notify_all();
    }
}

impl Drop for Coder {
    fn drop(&mut self) {
        self.abandon();
    }
}

impl State {
    /// Takes the output that there is.
    fn drain(&mut self, output: &mut Vec<u8>) {
        self.output.drain(..).for_each(|piece| output.extend(piece));
        self.output_len = 0;
    }

    /// The last of the output, or why the coder failed; once it has ended.
    fn last(&mut self, output: Vec<u8>) -> Result<Vec<u8>, Failure> {
        match self.end.replace(Ok(())) {
            Some(Err(failure)) => Err(failure),
            _ => Ok(output),
        }
    }
}
