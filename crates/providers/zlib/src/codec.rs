//! Whole buffers through either library. Streams are made once and reset for every buffer, except a
//! stream of zlib-rs that ran out of room: its reset forgets pending output, but not its place, so
//! it is made anew.

use zlib_rs::{DeflateConfig, DeflateFlush, InflateError, InflateFlush, Strategy};

use crate::ffi::{self, LibraryError, Libz};

/// The longest buffer that a step is given: the libraries count in 32 bits.
const LONGEST: usize = u32::MAX as usize;

/// Which library works.
#[derive(Clone)]
pub(crate) enum Library {
    /// libz, found at run time.
    System(&'static Libz),
    /// The crate, and why libz does not work instead, where it was looked for.
    Rust { instead_of: Option<LibraryError> },
}

impl Library {
    /// Its name and, where it says so, its version.
    pub(crate) fn name(&self) -> String {
        match self {
            Library::System(libz) => format!("zlib {}", libz.version()),
            Library::Rust { .. } => "zlib-rs".to_owned(),
        }
    }
}

/// The parameters of a compressor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    /// 0 to 9.
    pub level: u8,
    /// The logarithm of the window, 9 to 15.
    pub window: u8,
    /// The codes that the standard gives, and no other.
    pub fixed: bool,
}

/// The flush mode for the input so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flush {
    None,
    Full,
    Finish,
}

/// The result of one call of a library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step {
    pub consumed: usize,
    pub produced: usize,
    /// The final block is complete.
    pub ended: bool,
}

/// Why a call failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StepError {
    /// The compressed data are wrong.
    Malformed,
    /// The library's own code.
    Code(i32),
}

/// The bytes that a decompression read and wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Inflated {
    pub consumed: usize,
    pub produced: usize,
}

/// Why there is no whole result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CodecError {
    /// There is more than there was room for.
    Full,
    /// The compressed data are wrong.
    Malformed,
    /// The compressed data end before their final block does.
    Truncated,
    /// The library's own code.
    Code(i32),
}

impl From<StepError> for CodecError {
    fn from(error: StepError) -> CodecError {
        match error {
            StepError::Malformed => CodecError::Malformed,
            StepError::Code(code) => CodecError::Code(code),
        }
    }
}

/// A compressor of one shape.
pub(crate) struct Deflater {
    shape: Shape,
    stream: DeflateStream,
    longest: usize,
}

enum DeflateStream {
    System(ffi::Deflate),
    Rust(zlib_rs::Deflate),
}

impl DeflateStream {
    fn step(&mut self, input: &[u8], output: &mut [u8], flush: Flush) -> Result<Step, StepError> {
        match self {
            DeflateStream::System(stream) => stream.step(input, output, flush),
            DeflateStream::Rust(stream) => step_deflate(stream, input, output, flush),
        }
    }

    /// Whether all of a stream that is being finished was written already.
    fn ends_here(&mut self) -> Result<bool, StepError> {
        let step = self.step(&[], &mut [0], Flush::Finish)?;
        Ok(step.ended && step.produced == 0)
    }
}

impl Deflater {
    /// Makes one.
    ///
    /// # Errors
    /// The library's code.
    pub(crate) fn new(library: &Library, shape: Shape) -> Result<Deflater, CodecError> {
        let stream = match library {
            Library::System(libz) => DeflateStream::System(ffi::Deflate::new(libz, shape)?),
            Library::Rust { .. } => DeflateStream::Rust(new_deflate(shape)),
        };
        Ok(Deflater { shape, stream, longest: LONGEST })
    }

    pub(crate) fn shape(&self) -> Shape {
        self.shape
    }

    /// Compresses a whole buffer: bytes written. With `closes` it is a complete deflate stream;
    /// else it ends on a byte boundary, without a final block.
    ///
    /// # Errors
    /// [`CodecError::Full`], and the library's code. Without `closes` the libraries do not say that
    /// they are done but by room that they leave: a byte of it must be left over.
    pub(crate) fn compress(
        &mut self,
        input: &[u8],
        output: &mut [u8],
        closes: bool,
    ) -> Result<usize, CodecError> {
        match &mut self.stream {
            DeflateStream::System(stream) => stream.reset(),
            DeflateStream::Rust(stream) => stream.reset(),
        }
        let at_end = if closes { Flush::Finish } else { Flush::Full };
        let Deflater { stream, longest, .. } = self;
        let total = whole(input, output, *longest, at_end, |input, output, flush| {
            stream.step(input, output, flush)
        })?;
        let all_read = total.consumed == input.len();
        let whole = if closes {
            // If the output fits exactly, only another step, which writes nothing, shows that it is
            // whole.
            total.ended || (all_read && stream.ends_here()?)
        } else {
            all_read && total.produced < output.len()
        };
        if whole {
            return Ok(total.produced);
        }
        if let DeflateStream::Rust(stream) = &mut self.stream {
            // Its reset forgets what was left to be written, but not the place that it took.
            *stream = new_deflate(self.shape);
        }
        Err(CodecError::Full)
    }
}

/// A decompressor.
pub(crate) struct Inflater {
    stream: InflateStream,
    longest: usize,
}

enum InflateStream {
    System(ffi::Inflate),
    Rust(zlib_rs::Inflate),
}

impl Inflater {
    /// Makes one.
    ///
    /// # Errors
    /// The library's code.
    pub(crate) fn new(library: &Library) -> Result<Inflater, CodecError> {
        let stream = match library {
            Library::System(libz) => InflateStream::System(ffi::Inflate::new(libz)?),
            Library::Rust { .. } => InflateStream::Rust(zlib_rs::Inflate::new(false, 15)),
        };
        Ok(Inflater { stream, longest: LONGEST })
    }

    /// Decompresses the deflate stream that `input` begins with.
    ///
    /// # Errors
    /// [`CodecError`].
    pub(crate) fn decompress(
        &mut self,
        input: &[u8],
        output: &mut [u8],
    ) -> Result<Inflated, CodecError> {
        match &mut self.stream {
            InflateStream::System(stream) => stream.reset(),
            InflateStream::Rust(stream) => stream.reset(false),
        }
        let Inflater { stream, longest } = self;
        let total =
            whole(input, output, *longest, Flush::Finish, |input, output, flush| match stream {
                InflateStream::System(stream) => stream.step(input, output, flush),
                InflateStream::Rust(stream) => step_inflate(stream, input, output, flush),
            })?;
        if total.ended {
            Ok(Inflated { consumed: total.consumed, produced: total.produced })
        } else if total.produced == output.len() {
            Err(CodecError::Full)
        } else {
            Err(CodecError::Truncated)
        }
    }
}

/// Takes steps until the stream ends, or until there is nothing left to read and room left to
/// write, or until a step gets nowhere. The last of the input is flushed as `at_end` says.
fn whole(
    input: &[u8],
    output: &mut [u8],
    longest: usize,
    at_end: Flush,
    mut step: impl FnMut(&[u8], &mut [u8], Flush) -> Result<Step, StepError>,
) -> Result<Step, StepError> {
    let mut total = Step { consumed: 0, produced: 0, ended: false };
    loop {
        let rest = &input[total.consumed..];
        let last = rest.len() <= longest;
        let piece = &rest[..rest.len().min(longest)];
        let room = &mut output[total.produced..];
        let len = room.len().min(longest);
        let room = &mut room[..len];
        let done = step(piece, room, if last { at_end } else { Flush::None })?;
        total.consumed += done.consumed;
        total.produced += done.produced;
        total.ended = done.ended;
        let stuck = done.consumed == 0 && done.produced == 0;
        let drained = last && done.consumed == piece.len() && done.produced < len;
        if total.ended || stuck || drained {
            return Ok(total);
        }
    }
}

fn new_deflate(shape: Shape) -> zlib_rs::Deflate {
    zlib_rs::Deflate::new_with_config(DeflateConfig {
        level: i32::from(shape.level),
        window_bits: -i32::from(shape.window),
        strategy: if shape.fixed { Strategy::Fixed } else { Strategy::Default },
        ..DeflateConfig::default()
    })
}

fn step_deflate(
    stream: &mut zlib_rs::Deflate,
    input: &[u8],
    output: &mut [u8],
    flush: Flush,
) -> Result<Step, StepError> {
    let flush = match flush {
        Flush::None => DeflateFlush::NoFlush,
        Flush::Full => DeflateFlush::FullFlush,
        Flush::Finish => DeflateFlush::Finish,
    };
    let (read, written) = (stream.total_in(), stream.total_out());
    let status = stream.compress(input, output, flush);
    let status = status.map_err(|error| StepError::Code(error as i32))?;
    Ok(step_of(status, stream.total_in() - read, stream.total_out() - written))
}

fn step_inflate(
    stream: &mut zlib_rs::Inflate,
    input: &[u8],
    output: &mut [u8],
    flush: Flush,
) -> Result<Step, StepError> {
    let flush = if flush == Flush::Finish { InflateFlush::Finish } else { InflateFlush::NoFlush };
    let (read, written) = (stream.total_in(), stream.total_out());
    let status = stream.decompress(input, output, flush).map_err(|error| match error {
        InflateError::DataError | InflateError::NeedDict { .. } => StepError::Malformed,
        InflateError::StreamError => StepError::Code(-2),
        InflateError::MemError => StepError::Code(-4),
    })?;
    Ok(step_of(status, stream.total_in() - read, stream.total_out() - written))
}

/// Both counts are of one step, whose buffers are slices.
fn step_of(status: zlib_rs::Status, consumed: u64, produced: u64) -> Step {
    let ended = status == zlib_rs::Status::StreamEnd;
    Step { consumed: consumed as usize, produced: produced as usize, ended }
}

#[cfg(test)]
mod tests;
