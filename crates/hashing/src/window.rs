//! A worker: a window of open files, all hashed together, piece by piece.
//!
//! Each round reads the next piece of every open file into the worker's buffer, fills what is left
//! of the buffer with further files (a small one is read whole and closed at once), and hashes all
//! of it in one call. However many and however large the files are, a worker holds one buffer, a
//! bounded number of open files, and a bounded number of results.

use std::path::Path;

use crate::exchange::Presence;
use crate::function::Function;
use crate::hasher::{Hasher, Piece};
use crate::order::{Next, Shared};
use crate::reader::{self, Opened, Reader};
use crate::round::{self, BUFFER, MAX_OPEN, Round, Ticket, WholeFile};
use crate::serial;
use crate::source::{Input, PIECE, Request, Serial};
use crate::task::{ChunkDigest, Found, Task, Turn};

/// How a worker works.
#[derive(Clone, Copy)]
pub struct WindowOptions {
    /// Bytes in a chunk, if chunks have digests of their own.
    pub chunk: Option<u64>,
    /// Files held open at most, 1 to `MAX_OPEN`.
    pub max_open: usize,
}

/// One thread's part of the work.
pub struct Worker<'s, A: Function, T: Task> {
    shared: &'s Shared<T>,
    hasher: Hasher<'s, A>,
    present: Presence<'s, OpenFile<A, T>>,
    options: WindowOptions,
    buffer: Box<[u8]>,
    open: Vec<OpenFile<A, T>>,
    /// Something to be read on its own, once the open files are done.
    serial: Option<(Ticket<T>, Serial)>,
    /// There are no more requests.
    ended: bool,
    round: Round<T>,
}

/// A file that takes more than one round.
pub struct OpenFile<A: Function, T: Task> {
    ticket: Ticket<T>,
    reader: Reader,
    stream: A::Stream,
    /// If it is a chunk, where in the file it begins.
    chunk_offset: Option<u64>,
    /// This round's piece, in the buffer.
    piece: std::ops::Range<usize>,
    /// It is the last piece.
    last: bool,
}

impl<'s, A: Function, T: Task> Worker<'s, A, T> {
    /// A worker with an empty window.
    pub fn new(
        shared: &'s Shared<T>,
        hasher: Hasher<'s, A>,
        present: Presence<'s, OpenFile<A, T>>,
        options: WindowOptions,
    ) -> Self {
        Worker {
            shared,
            hasher,
            present,
            options,
            buffer: vec![0; BUFFER].into_boxed_slice(),
            open: Vec::with_capacity(MAX_OPEN),
            serial: None,
            ended: false,
            round: Round::new(),
        }
    }

    /// Works until there is nothing left to do.
    pub fn run(mut self) {
        while !self.shared.stopped() && self.step() {}
    }

    /// Does one round; `false` where there is nothing left to do.
    fn step(&mut self) -> bool {
        self.read_on();
        self.admit();
        if !self.round.is_idle() {
            self.hash();
            self.round.finish(self.shared);
            // Others wait only when there are no more requests.
            self.present.share(&mut self.open);
        } else if let Some((ticket, input)) = self.serial.take() {
            let chunk = self.options.chunk;
            let buffer = &mut self.buffer[round::START..];
            serial::run(self.shared, &mut self.hasher, buffer, ticket, input, chunk);
        } else if self.ended {
            self.present.take(&mut self.open, self.options.max_open);
            return !self.open.is_empty();
        }
        true
    }

    /// Reads the next piece of each open file.
    fn read_on(&mut self) {
        // Once there are no others to come, those that are open have the buffer to themselves.
        let piece = if self.ended { round::share(self.open.len().max(1)) } else { PIECE };
        let mut index = 0;
        while let Some(file) = self.open.get_mut(index) {
            match file.reader.fill(&mut self.buffer[self.round.room(piece)]) {
                Ok(filled) => {
                    file.piece = self.round.keep(&filled, 1);
                    file.last = filled.end;
                    index += 1;
                }
                Err(error) => {
                    let file = self.open.swap_remove(index);
                    self.round.done.push(file.ticket.end(Err(error)));
                }
            }
        }
    }

    /// Begins further files, as far as the buffer has room.
    fn admit(&mut self) {
        while self.open.len() < self.options.max_open
            && self.round.has_room()
            && self.serial.is_none()
            && !self.ended
        {
            let idle = self.open.is_empty() && self.round.is_idle();
            match self.shared.next(idle) {
                Next::Request(turn, request) => self.begin(turn, request),
                Next::Later => return,
                Next::End => self.ended = true,
            }
        }
    }

    /// Opens what a request names, and reads its first piece.
    fn begin(&mut self, turn: Turn, request: Request<T>) {
        let Request { name, expected, input } = request;
        let mut ticket = Ticket { turn, name, expected };
        let (mut reader, chunk_offset) = match input {
            Input::Serial(serial) => return self.serial = Some((ticket, serial)),
            Input::Apart => {
                let found = T::read_apart(&ticket.name, &mut ticket.expected);
                return self.round.end_apart(ticket, found);
            }
            Input::Span { file, offset, len } => (Reader::part(file, offset, len), Some(offset)),
            Input::Path => match reader::open(Path::new(&ticket.name)) {
                Ok(Opened::Regular(file, size)) => (Reader::to_end(file, size), None),
                Ok(Opened::Serial) => return self.serial = Some((ticket, Serial::Device)),
                Err(error) => return self.round.done.push(ticket.end(Err(error))),
            },
        };
        match reader.fill(&mut self.buffer[self.round.room(PIECE)]) {
            Ok(filled) if filled.end => {
                let jobs = match (chunk_offset, self.options.chunk) {
                    (Some(_), Some(chunk)) => (filled.len as u64).div_ceil(chunk) as usize,
                    _ => 1,
                };
                let piece = self.round.keep(&filled, jobs);
                self.round.whole.push(WholeFile { ticket, piece, chunk_offset });
            }
            Ok(filled) => {
                let piece = self.round.keep(&filled, 1);
                let stream = self.hasher.stream();
                let file = OpenFile { ticket, reader, stream, chunk_offset, piece, last: false };
                self.open.push(file);
            }
            Err(error) => self.round.done.push(ticket.end(Err(error))),
        }
    }

    /// Hashes the round's pieces together, and ends the requests that are done.
    fn hash(&mut self) {
        let (buffer, round) = (&*self.buffer, &mut self.round);
        // Whoever has chunk offsets has a chunk size; for the others, the file is the chunk.
        let chunk = self.options.chunk.unwrap_or(u64::MAX);
        let messages =
            |file: &WholeFile<T>| round::chunks(&file.piece, file.chunk_offset.unwrap_or(0), chunk);

        let open = self.open.iter_mut().map(|file| {
            let data = &buffer[file.piece.clone()];
            if file.last {
                Piece::Last(&mut file.stream, data)
            } else {
                Piece::More(&mut file.stream, data)
            }
        });
        let whole = round.whole.iter().flat_map(messages);
        let whole = whole.map(|(_, piece)| Piece::Whole(&buffer[piece]));
        self.hasher.process(open.chain(whole), &mut round.digests);

        let mut digests = round.digests.drain(..);
        let mut next_digest = || digests.next().expect("each last and whole piece has a digest");
        for file in self.open.extract_if(.., |file| file.last) {
            let digest = next_digest();
            let found = match file.chunk_offset {
                None => Found::Digest(digest),
                Some(offset) => {
                    Found::Chunks(vec![ChunkDigest { offset, len: file.reader.count(), digest }])
                }
            };
            round.done.push(file.ticket.end(Ok(found)));
        }
        for file in round.whole.drain(..) {
            let found = match file.chunk_offset {
                None => Found::Digest(next_digest()),
                Some(_) => Found::Chunks(
                    messages(&file)
                        .map(|(offset, piece)| ChunkDigest {
                            offset,
                            len: piece.len() as u64,
                            digest: next_digest(),
                        })
                        .collect(),
                ),
            };
            round.done.push(file.ticket.end(Ok(found)));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::fs::File;
    use std::io;
    use std::thread;

    use broadloom_lanes::{Cpu, Sha256};
    use sha2::Digest as _;

    use super::*;
    use crate::digest::Digest;
    use crate::exchange::Exchange;
    use crate::source::{Item, Source};
    use crate::task::Outcome;

    const FILES: usize = 16;
    const SIZE: usize = 64 * PIECE;

    struct Items(std::vec::IntoIter<Item<Digests>>);

    impl Source<Digests> for Items {
        fn next(&mut self) -> Option<Item<Digests>> {
            self.0.next()
        }
    }

    /// Keeps every digest.
    #[derive(Default)]
    struct Digests(Vec<Vec<u8>>);

    impl Task for Digests {
        type Expected = ();
        type Notice = ();

        fn read_apart(_: &OsStr, (): &mut ()) -> io::Result<(Found, u64)> {
            unreachable!("no request is to be read apart")
        }

        fn outcome(&mut self, outcome: Outcome<Self>) -> io::Result<()> {
            let Found::Digest(digest) = outcome.found? else { panic!("there are no chunks") };
            self.0.push(digest.as_bytes().to_vec());
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

    /// The thread that starts late finds that the other has opened every file.
    #[test]
    fn a_worker_that_starts_late_gets_half_of_the_files() {
        let place = tempfile::tempdir().unwrap();
        let digest = Digest::new(&sha2::Sha256::digest(vec![0; SIZE]));
        let items: Vec<Item<Digests>> = (0..FILES)
            .map(|i| {
                let name = place.path().join(i.to_string()).into_os_string();
                File::create(&name).unwrap().set_len(SIZE as u64).unwrap();
                Item::Hash(Request { name: name.into(), expected: (), input: Input::Path })
            })
            .collect();
        let shared = Shared::new(Box::new(Items(items.into_iter())), Digests::default());
        let exchange = Exchange::new();
        let cpu = Cpu::detect();
        let options = WindowOptions { chunk: None, max_open: FILES };
        let worker = |present| {
            Worker::<Sha256, Digests>::new(&shared, Hasher::new(&cpu, None), present, options)
        };
        let (mut first, second) = (worker(exchange.enter()), worker(exchange.enter()));
        assert!(first.step());
        assert_eq!(first.open.len(), FILES);
        thread::scope(|scope| {
            scope.spawn(|| second.run());
            while first.present.waiting() == 0 {
                thread::yield_now();
            }
            assert!(first.step());
            assert_eq!(first.open.len(), FILES / 2);
            first.run();
        });
        let (digests, error) = shared.into_task();
        assert!(error.is_none());
        assert_eq!(digests.0, vec![digest.as_bytes(); FILES]);
    }
}
