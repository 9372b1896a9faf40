//! A file that is read on a thread of its own, while what was read before is hashed.

use std::io;
use std::sync::mpsc;
use std::thread;

use crate::reader::{Filled, Reader};
use crate::round::{BUFFER, START};

/// Bytes that a file must have left. With fewer, starting a thread takes longer than it saves.
pub const LEAST: u64 = 1 << 20;

/// Buffers: one is hashed, one is read to, and one is on its way.
const BUFFERS: usize = 3;

/// Reads a file to its end, and calls `take` with each piece and with `true` if it is the last one.
/// When `take` returns `false`, nothing more is read.
///
/// # Errors
/// What [`Reader::fill`] says.
///
/// # Panics
/// If `take` panics.
pub fn read(reader: &mut Reader, take: &mut dyn FnMut(&[u8], bool) -> bool) -> io::Result<()> {
    match beside(reader, take) {
        Some(done) => done,
        // The system gives no thread.
        None => here(reader, take),
    }
}

/// Reads on a thread of its own; `None` if the system gives none.
fn beside(
    reader: &mut Reader,
    take: &mut dyn FnMut(&[u8], bool) -> bool,
) -> Option<io::Result<()>> {
    let (give_back, free) = mpsc::channel();
    let (hand_in, filled) = mpsc::sync_channel::<(Box<[u8]>, io::Result<Filled>)>(BUFFERS);
    for _ in 0..BUFFERS {
        give_back.send(new_buffer()).expect("the receiver is here");
    }
    // The closure owns its ends of both channels, so that they are gone before the scope waits for
    // the thread, which ends when it has nobody to read for.
    thread::scope(move |scope| {
        let read = move || {
            for mut buffer in free {
                let piece = reader.fill(&mut buffer[START..]);
                let is_last = !matches!(piece, Ok(Filled { end: false, .. }));
                if hand_in.send((buffer, piece)).is_err() || is_last {
                    return;
                }
            }
        };
        thread::Builder::new().name("hash ahead".to_owned()).spawn_scoped(scope, read).ok()?;
        for (buffer, piece) in filled {
            let piece = match piece {
                Ok(piece) => piece,
                Err(error) => return Some(Err(error)),
            };
            if !take(&buffer[START..START + piece.len], piece.end) {
                break;
            }
            // After the last piece, the thread has ended and needs no buffer.
            let _ = give_back.send(buffer);
        }
        Some(Ok(()))
    })
}

/// Reads on the calling thread.
fn here(reader: &mut Reader, take: &mut dyn FnMut(&[u8], bool) -> bool) -> io::Result<()> {
    let mut buffer = new_buffer();
    loop {
        let piece = reader.fill(&mut buffer[START..])?;
        if !take(&buffer[START..START + piece.len], piece.end) || piece.end {
            return Ok(());
        }
    }
}

fn new_buffer() -> Box<[u8]> {
    vec![0; BUFFER].into()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    type Take<'t> = &'t mut dyn FnMut(&[u8], bool) -> bool;

    /// A file of some buffers and a rest, and what is in it.
    fn file() -> (tempfile::NamedTempFile, Vec<u8>) {
        let bytes: Vec<u8> = (0..5 * BUFFER + 77).map(|at| (at % 251) as u8).collect();
        let mut file = tempfile::NamedTempFile::new().expect("there is room");
        file.write_all(&bytes).expect("it is written");
        (file, bytes)
    }

    fn reader(file: &tempfile::NamedTempFile, size: usize) -> Reader {
        Reader::to_end(file.reopen().expect("it is there"), size as u64)
    }

    #[test]
    fn all_pieces_come_in_their_order_and_the_last_is_known() {
        let (file, bytes) = file();
        for read in [read, here] {
            let (mut back, mut lasts) = (Vec::new(), Vec::new());
            let mut take = |piece: &[u8], last| {
                back.extend_from_slice(piece);
                lasts.push(last);
                true
            };
            read(&mut reader(&file, bytes.len()), &mut take as Take<'_>).expect("it is read");
            assert!(back == bytes, "{} bytes of {}", back.len(), bytes.len());
            assert_eq!(lasts.iter().position(|&last| last), Some(lasts.len() - 1));
        }
    }

    #[test]
    fn nothing_is_taken_after_an_end_that_is_asked_for() {
        let (file, bytes) = file();
        for read in [read, here] {
            let mut taken = 0;
            let mut take = |_: &[u8], _| {
                taken += 1;
                taken < 2
            };
            read(&mut reader(&file, bytes.len()), &mut take as Take<'_>).expect("it is read");
            assert_eq!(taken, 2);
        }
    }

    #[test]
    fn a_file_that_becomes_shorter_is_an_error() {
        let (file, bytes) = file();
        for read in [read, here] {
            let error = read(&mut reader(&file, bytes.len() + 1), &mut |_, _| true);
            let error = error.expect_err("a byte is missing").to_string();
            assert!(error.contains("truncated"), "{error}");
        }
    }
}
