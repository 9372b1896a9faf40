//! Streams are decompressed in a bounded amount of memory, however much comes out of them.
//!
//! A program of its own: its allocator counts what the whole process has in use.

use std::io::{self, Read, Write};
use std::sync::Arc;

use broadloom_compression::Decompressor;
use broadloom_compression::decompress::Settings;
use broadloom_compression::format::gzip::{self, Metadata, Trailer};
use broadloom_compression::format::{Format, parcomp};
use broadloom_engine::{Checksum, CompressionAlgorithm, Session, Transform};
use broadloom_libdeflate::Libdeflate;
use peak_alloc::PeakAlloc;
use zlib_rs::{Deflate, DeflateFlush};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// A deflate stream for so many zeros.
fn zeros(len: usize) -> Vec<u8> {
    let mut state = Deflate::new(9, false, 15);
    let mut stream = vec![0; len / 500 + 100];
    let done = state.compress(&vec![0; len], &mut stream, DeflateFlush::Finish);
    done.expect("there is room");
    stream.truncate(state.total_out() as usize);
    stream
}

/// A member of so many zeros; it says how many, or it does not.
fn member(len: usize, says: bool) -> Vec<u8> {
    let stream = zeros(len);
    let mut member = Vec::new();
    match says {
        true => gzip::write_header(&mut member, &Metadata::default(), stream.len(), len)
            .expect("it fits"),
        false => member.extend([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]),
    }
    member.extend(stream);
    let crc = crc32fast::hash(&vec![0; len]);
    member.extend(Trailer { crc, len: len as u32 }.to_bytes());
    member
}

fn chunk(len: usize) -> Vec<u8> {
    let stream = zeros(len);
    [&parcomp::prefix(stream.len()).expect("it fits")[..], &stream].concat()
}

/// Some bytes again and again.
struct Again<'b> {
    bytes: &'b [u8],
    at: usize,
    times: usize,
}

impl Read for Again<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.bytes.len() && self.times > 0 {
            (self.at, self.times) = (0, self.times - 1);
        }
        let read = (&self.bytes[self.at..]).read(buffer)?;
        self.at += read;
        Ok(read)
    }
}

/// Notes how much memory is in use when it is written to.
struct Watch(usize);

impl Write for Watch {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.max(ALLOCATOR.current_usage());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// One test alone: others would allocate beside it.
#[test]
fn a_stream_takes_a_window_whatever_comes_out_of_it() {
    const MEMORY: usize = 8 << 20;
    let transform = Transform::decompress(CompressionAlgorithm::Deflate, Checksum::Crc32);
    let provider = Arc::new(Libdeflate::load(&[]).expect("it is built in"));
    let session = Session::open(provider, &transform.expect("it can be")).expect("it decompresses");
    let inputs = [
        (member(64 << 10, true), 64 << 10, 500, None),
        (member(64 << 10, false), 64 << 10, 500, None),
        // Larger than a job's part of the memory, and saying so.
        (member(16 << 20, true), 16 << 20, 4, None),
        // The same, and not saying so.
        (chunk(16 << 20), 16 << 20, 4, Some(Format::Parcomp)),
    ];
    for (bytes, len, times, format) in &inputs {
        for threads in [1, 2] {
            let settings =
                Settings { format: *format, threads, memory: MEMORY, ..Settings::default() };
            let decompressor =
                Decompressor::new(session.clone(), settings).expect("they are valid");
            let before = ALLOCATOR.current_usage();
            let mut watch = Watch(before);
            let again = Again { bytes, at: bytes.len(), times: *times };
            let report =
                decompressor.decompress_stream(again, &mut watch).expect("it is sound").report;
            assert_eq!((report.chunks, report.output), (*times as u64, (len * times) as u64));
            let most = watch.0 - before;
            assert!(most < MEMORY + (1 << 20), "{most} bytes for {len} by {threads} threads");
        }
    }
}
