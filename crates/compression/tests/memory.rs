//! Streams take a window of memory, and no more however long they are.
//!
//! A program of its own: its allocator counts what the whole process has in use.

#[allow(dead_code, reason = "the other tests use more of it")]
#[path = "all/toy.rs"]
mod toy;

use std::io::{self, Read, Write};

use broadloom_compression::format::Format;
use broadloom_compression::{Compressor, Settings};
use peak_alloc::PeakAlloc;
use toy::{Toy, session, zlib};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Some bytes again and again, as many as asked for.
fn bytes(len: u64) -> impl Read + Send {
    io::repeat(b'x').take(len)
}

/// Notes how much memory is in use when it is written to.
struct Watch {
    most: usize,
}

impl Write for Watch {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.most = self.most.max(ALLOCATOR.current_usage());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// One test alone: others would allocate beside it.
#[test]
fn a_stream_takes_a_window_whatever_its_length() {
    let sessions = [
        session(zlib(), Format::Gzip),
        Toy::default().session(Format::Gzip),
        Toy { is_device: true, ..Toy::default() }.session(Format::Gzip),
    ];
    for session in &sessions {
        for (threads, outstanding) in [(1, 4), (3, 2)] {
            let settings =
                Settings { chunk: 16 << 10, threads, outstanding, ..Settings::new(Format::Gzip) };
            let compressor = Compressor::new(session.clone(), settings).expect("it fits");
            let before = ALLOCATOR.current_usage();
            let [short, long] = [8u64 << 20, 64 << 20].map(|len| {
                let mut watch = Watch { most: 0 };
                let report = compressor.compress_stream(bytes(len), &mut watch).expect("it works");
                assert_eq!(report.input, len);
                watch.most - before
            });
            // Each job has a chunk and room for what comes of it; contexts take some for each
            // thread.
            let window = 2 * threads * outstanding * (2 * (16 << 10) + 2048) + threads * (1 << 20);
            assert!(long <= window, "{long} bytes, not {window}");
            // How much of it several threads take depends on which of them runs when.
            assert!(threads > 1 || long <= short + (64 << 10), "{short} bytes, then {long}");
        }
    }
}
