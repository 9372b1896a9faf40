//! Compression of many buffers, each into a file of its own, and of one buffer by many threads.

use broadloom::compression::Scratch;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::buffers::Buffers;
use crate::compression::{self, Failure};
use crate::results::{Records, Wanted};
use crate::{arguments, engine, memory, windows};

/// Compresses many buffers, each into a whole file of the format.
///
/// :param format: `gzip`, `bgzf`, `zlib` or `raw` (bare deflate data).
/// :param level: 0 to 12.
/// :raises ValueError: the format or the level is wrong.
///
/// The other parameters are those of `hash_many`.
///
/// >>> import broadloom, gzip
/// >>> [gzip.decompress(file) for file in broadloom.compress_many([b"warp", b"weft"], threads=2)]
/// [b'warp', b'weft']
#[pyfunction]
#[pyo3(
    signature = (buffers, format = "gzip", level = 6, *, threads = Some(1), result = None),
    text_signature = "(buffers, format='gzip', level=6, *, threads=1, result=None)"
)]
pub fn compress_many<'py>(
    buffers: &Bound<'py, PyAny>,
    format: &str,
    level: i64,
    threads: Option<isize>,
    result: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let wanted = Wanted::new(buffers.py(), result, None)?;
    let threads = arguments::threads(threads)?;
    let compressor = compression::compressor(compression::format(format)?, level, 1, 0)?;
    let buffers = Buffers::many(buffers, "buffers")?;
    let files = each(&buffers, threads, wanted.py(), &|scratch, buffer, file| {
        Ok(compressor.compress_with(scratch, buffer, file).map(drop)?)
    })?;
    wanted.give(Records::Apart(files))
}

/// Decompresses many buffers, each a whole file of the format.
///
/// :param format: as of `compress_many`; `None` finds out which of gzip, BGZF and zlib each is.
/// :param limit: the most bytes that one buffer may become.
/// :raises EOFError: a buffer ends too early.
/// :raises MemoryError: there is too little memory for what the buffers become.
/// :raises ValueError: a buffer is damaged, or becomes more than the limit.
///
/// The other parameters are those of `hash_many`.
///
/// >>> import broadloom, zlib
/// >>> broadloom.decompress_many([zlib.compress(b"warp")])
/// [b'warp']
#[pyfunction]
#[pyo3(
    signature = (buffers, format = None, *, limit = None, threads = Some(1), result = None),
    text_signature = "(buffers, format=None, *, limit=None, threads=1, result=None)"
)]
pub fn decompress_many<'py>(
    buffers: &Bound<'py, PyAny>,
    format: Option<&str>,
    limit: Option<u64>,
    threads: Option<isize>,
    result: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let wanted = Wanted::new(buffers.py(), result, None)?;
    let threads = arguments::threads(threads)?;
    let format = format.map(compression::format).transpose()?;
    let decompressor = compression::decompressor(format, 1, limit)?;
    let buffers = Buffers::many(buffers, "buffers")?;
    let data = each(&buffers, threads, wanted.py(), &|scratch, buffer, data| {
        Ok(decompressor.decompress_with(scratch, buffer, data).map(drop)?)
    })?;
    wanted.give(Records::Apart(data))
}

/// What is done to one buffer with what a thread keeps, and where its output goes.
type CompressWork<'a> =
    dyn Fn(&mut Scratch, &[u8], &mut Vec<u8>) -> Result<(), Failure> + Sync + 'a;

/// Does the same to each buffer.
fn each(
    buffers: &Buffers,
    threads: usize,
    py: Python<'_>,
    work: &CompressWork<'_>,
) -> PyResult<Vec<Vec<u8>>> {
    let mut outputs = memory::collect((0..buffers.len()).map(|_| Vec::new()))?;
    let failed = py.detach(|| {
        windows::each((buffers.len(), threads), &mut outputs, &|index, output| {
            engine::with_scratch(|scratch| work(scratch, buffers.get(index), output))
        })
    });
    match failed? {
        Some((index, failure)) => Err(failure.raise(&format!("buffers[{index}]: "))),
        None => Ok(outputs),
    }
}

/// Compresses one buffer, in chunks, by several threads.
#[pyfunction]
#[pyo3(signature = (data, format, level, *, threads, mtime))]
pub fn compress<'py>(
    data: &Bound<'py, PyAny>,
    format: &str,
    level: i64,
    threads: Option<isize>,
    mtime: u32,
) -> PyResult<Bound<'py, PyBytes>> {
    let threads = arguments::threads(threads)?;
    let format = compression::format(format)?;
    let compressor = compression::compressor(format, level, threads, mtime)?;
    one(data, &|scratch, input, output| {
        Ok(compressor.compress_with(scratch, input, output).map(drop)?)
    })
}

/// Decompresses one buffer by several threads, where its pieces are independent.
#[pyfunction]
#[pyo3(signature = (data, format, *, threads, limit))]
pub fn decompress<'py>(
    data: &Bound<'py, PyAny>,
    format: Option<&str>,
    threads: Option<isize>,
    limit: Option<u64>,
) -> PyResult<Bound<'py, PyBytes>> {
    let threads = arguments::threads(threads)?;
    let format = format.map(compression::format).transpose()?;
    let decompressor = compression::decompressor(format, threads, limit)?;
    one(data, &|scratch, input, output| {
        Ok(decompressor.decompress_with(scratch, input, output).map(drop)?)
    })
}

/// Does something to one buffer, without the GIL.
fn one<'py>(data: &Bound<'py, PyAny>, work: &CompressWork<'_>) -> PyResult<Bound<'py, PyBytes>> {
    let py = data.py();
    let data = Buffers::one(data, "data")?;
    let mut output = Vec::new();
    let done =
        py.detach(|| engine::with_scratch(|scratch| work(scratch, data.get(0), &mut output)));
    done.map_err(|failure| failure.raise(""))?;
    memory::bytes(py, &output)
}
