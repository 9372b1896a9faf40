//! What comes before a pause of the input is written before the input goes on.

use std::io::{Read, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use broadloom_compression::inflate::{Options, inflate};
use broadloom_compression::{Compressor, Format, Pause, Settings};
use miniz_oxide::inflate::stream::{InflateState, inflate as decode_part};
use miniz_oxide::{DataFormat, MZFlush};

use crate::decode::{self, inputs};
use crate::toy::{session, zlib};

/// A part of an input.
enum Part {
    Data(Vec<u8>),
    /// Nothing more comes before what was read so far has been written.
    Pause,
}

/// Gives parts, and looks at each pause whether the output before it was written.
struct Talk {
    parts: std::vec::IntoIter<Part>,
    data: Vec<u8>,
    has_paused: bool,
    flushed: Receiver<()>,
}

impl Read for Talk {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if std::mem::take(&mut self.has_paused) {
            // Far more than it takes. Without an end, a compressor that waits for more input would
            // wait for ever.
            match self.flushed.recv_timeout(Duration::from_secs(120)) {
                Err(RecvTimeoutError::Timeout) => panic!("nothing was written before the pause"),
                answer => answer.expect("the writer lives as long"),
            }
        }
        while self.data.is_empty() {
            match self.parts.next() {
                Some(Part::Data(data)) => self.data = data,
                Some(Part::Pause) => {
                    self.has_paused = true;
                    return Err(Pause.into());
                }
                None => return Ok(0),
            }
        }
        let len = buffer.len().min(self.data.len()).min(10_007);
        buffer[..len].copy_from_slice(&self.data[..len]);
        self.data.drain(..len);
        Ok(len)
    }
}

/// Collects what is written, and compares it at each flush with what was to come before.
struct Collected {
    written: Vec<u8>,
    expected: std::vec::IntoIter<Vec<u8>>,
    flushed: Sender<()>,
}

impl Write for Collected {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.written.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        // The last flush is behind the end.
        if let Some(expected) = self.expected.next() {
            let mut data = vec![0; expected.len() + 1];
            let mut state = InflateState::new(DataFormat::Zlib);
            let found = decode_part(&mut state, &self.written, &mut data, MZFlush::Sync);
            data.truncate(found.bytes_written);
            assert!(data == expected, "{} of {} bytes", data.len(), expected.len());
            let _ = self.flushed.send(());
        }
        Ok(())
    }
}

#[test]
fn what_comes_before_a_pause_is_written_before_the_input_goes_on() {
    let [text, noise, _] = inputs(300_000);
    for (threads, rsyncable) in [(1, false), (2, false), (5, false), (2, true)] {
        let settings = Settings { threads, rsyncable, ..Settings::new(Format::Zlib) };
        let chunk = settings.chunk;
        // A short one at first; several chunks; a whole chunk; nothing at all.
        let lens = [1, 17, 3 * chunk + 5, chunk, 2 * chunk, 0, 0, 1, 40];
        let (mut parts, mut expected, mut so_far) = (Vec::new(), Vec::new(), Vec::new());
        for (index, len) in lens.into_iter().enumerate() {
            let source = if index % 2 == 0 { &text } else { &noise };
            let data: Vec<u8> = source.iter().copied().cycle().skip(index).take(len).collect();
            so_far.extend_from_slice(&data);
            parts.extend([Part::Data(data), Part::Pause]);
            expected.push(so_far.clone());
        }
        parts.push(Part::Data(b"the end".to_vec()));
        so_far.extend_from_slice(b"the end");
        let (sender, flushed) = channel();
        let talk = Talk { parts: parts.into_iter(), data: Vec::new(), has_paused: false, flushed };
        let mut collected =
            Collected { written: Vec::new(), expected: expected.into_iter(), flushed: sender };
        let session = session(zlib(), Format::Zlib);
        let compressor = Compressor::new(session, settings).expect("they are right");
        let report = compressor.compress_stream(talk, &mut collected).expect("nothing fails");
        assert_eq!(collected.expected.len(), 0, "each pause flushes once");
        assert_eq!(report.input, so_far.len() as u64);
        assert!(decode::decode(Format::Zlib, &collected.written).0 == so_far);
    }
}

/// Gives one piece for each read, and says how many were read.
struct Pieces<'p> {
    pieces: std::slice::Iter<'p, Vec<u8>>,
    read: Sender<()>,
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let Some(piece) = self.pieces.next() else { return Ok(0) };
        let _ = self.read.send(());
        buffer[..piece.len()].copy_from_slice(piece);
        Ok(piece.len())
    }
}

/// Notes how much was written when each piece was read.
struct Noted {
    written: Vec<u8>,
    read: Receiver<()>,
    /// Bytes written before each further piece was read.
    before: Vec<usize>,
}

impl Noted {
    fn note(&mut self) {
        while self.read.try_recv().is_ok() {
            self.before.push(self.written.len());
        }
    }
}

impl Write for Noted {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.note();
        self.written.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.note();
        Ok(())
    }
}

#[test]
fn a_decoder_waits_for_no_more_than_it_needs() {
    let lines: Vec<Vec<u8>> = (0..20).map(|n| format!("line {n}\n").into_bytes()).collect();
    for format in [Format::Gzip, Format::Zlib] {
        let (sender, flushed) = channel();
        let parts = lines.iter().flat_map(|line| [Part::Data(line.clone()), Part::Pause]);
        let parts: Vec<_> = parts.collect();
        // What each line becomes is a piece.
        let mut pieces = Split { pieces: vec![Vec::new()], flushed: sender };
        let talk = Talk { parts: parts.into_iter(), data: Vec::new(), has_paused: false, flushed };
        let compressor = Compressor::new(session(zlib(), format), Settings::new(format));
        let compressor = compressor.expect("they are right");
        compressor.compress_stream(talk, &mut pieces).expect("nothing fails");
        let (read, noted) = channel();
        let mut noted = Noted { written: Vec::new(), read: noted, before: Vec::new() };
        let input = Pieces { pieces: pieces.pieces.iter(), read };
        let options = Options { format: Some(format), ..Options::default() };
        inflate(input, &mut noted, options).expect("it is right");
        assert!(noted.written == lines.concat());
        // A piece was read only after the line before it had been written.
        let mut so_far = 0;
        for (before, line) in noted.before.iter().zip(&lines) {
            assert_eq!(*before, so_far, "{format}");
            so_far += line.len();
        }
    }
}

/// Cuts what is written at each flush.
struct Split {
    pieces: Vec<Vec<u8>>,
    flushed: Sender<()>,
}

impl Write for Split {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.pieces.last_mut().expect("there is one").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.pieces.push(Vec::new());
        let _ = self.flushed.send(());
        Ok(())
    }
}
