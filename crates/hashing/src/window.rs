//! A worker: a window of open files, all hashed together, piece by piece.
//!
//! Each round reads the next piece of every open file into the worker's buffer, fills what is left
//! of the buffer with further files (a small one is read whole and closed at once), and hashes all
//! of it in one call. However many and however large the files are, a worker holds one buffer, a
//! bounded number of open files, and a bounded number of results.

use std::io;
use std::path::Path;

use broadloom_ordered::Next;

use crate::ahead;
use crate::digest::Digest;
use crate::exchange::Presence;
use crate::hasher::{Message, Piece, PieceHasher};
use crate::order::Shared;
use crate::reader::{self, Opened, Reader};
use crate::round::{self, BUFFER, MAX_OPEN, Round, Ticket, WholeFile};
use crate::serial;
use crate::source::{Input, PIECE, Request, Serial};
use crate::task::{ChunkDigest, Found, Outcome, Task, Turn};

/// How a worker works.
#[derive(Clone, Copy)]
pub struct WindowOptions {
    /// Bytes in a chunk, if chunks have digests of their own.
    pub chunk: Option<u64>,
    /// Files held open at most, 1 to `MAX_OPEN`.
    pub max_open: usize,
}

/// One thread's part of the work.
pub struct Worker<'s, T: Task> {
    shared: &'s Shared<T>,
    hasher: Box<dyn PieceHasher>,
    present: Presence<'s, OpenFile<T>>,
    options: WindowOptions,
    buffer: Box<[u8]>,
    open: Vec<OpenFile<T>>,
    /// Something to be read on its own, once the open files are done.
    serial: Option<(Ticket<T>, Serial)>,
    /// There are no more requests.
    ended: bool,
    round: Round<T>,
}

/// A file that takes more than one round.
pub struct OpenFile<T: Task> {
    ticket: Ticket<T>,
    reader: Reader,
    message: Message,
    /// If it is a chunk, where in the file it begins.
    chunk_offset: Option<u64>,
    /// This round's piece, in the buffer.
    piece: std::ops::Range<usize>,
    /// It is the last piece.
    last: bool,
}

impl<'s, T: Task> Worker<'s, T> {
    /// A worker with an empty window.
    pub fn new(
        shared: &'s Shared<T>,
        hasher: Box<dyn PieceHasher>,
        present: Presence<'s, OpenFile<T>>,
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
        let _guard = self.shared.stop_in_panic();
        while !self.shared.stopped() && self.step() {}
    }

    /// Does one round; `false` where there is nothing left to do.
    fn step(&mut self) -> bool {
        if self.is_last_file_long() {
            self.hash_last_file();
            return true;
        }
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
            serial::run(self.shared, &mut *self.hasher, buffer, ticket, input, chunk);
        } else if self.ended {
            self.present.take(&mut self.open, self.options.max_open);
            return !self.open.is_empty();
        }
        true
    }

    /// Returns `true` if one file is all that is left to this worker, if much of it is left to
    /// read, and if another worker has nothing to do, so that a core is free to read.
    fn is_last_file_long(&self) -> bool {
        let is_last = self.ended && self.serial.is_none() && self.present.waiting() > 0;
        matches!(&*self.open, [file] if is_last && file.reader.left() >= ahead::LEAST)
    }

    /// Hashes the only open file to its end, while another thread reads it.
    fn hash_last_file(&mut self) {
        let Some(mut file) = self.open.pop() else { return };
        let (shared, hasher, digests) = (self.shared, &mut self.hasher, &mut self.round.digests);
        let read = ahead::read(&mut file.reader, &mut |data, is_last| {
            let message = &mut file.message;
            let piece =
                if is_last { Piece::Last(message, data) } else { Piece::More(message, data) };
            hasher.process(vec![piece], digests);
            shared.advance(data.len() as u64);
            !shared.stopped()
        });
        let digest = match (read, digests.pop()) {
            (Err(error), _) => Err(error),
            (Ok(()), Some(digest)) => Ok(digest),
            // It was stopped: nobody will be told.
            (Ok(()), None) => return,
        };
        self.round.done.push(file.end(digest));
        self.round.finish(self.shared);
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
                Next::Item(turn, request) => self.begin(turn, request),
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
                Ok(Opened::Regular(file, size)) => {
                    let is_stopped = || self.shared.stopped();
                    let whole = self.options.chunk.is_none();
                    let alone = whole.then(|| self.hasher.on_all_cores(&file, size, &is_stopped));
                    if let Some(digest) = alone.flatten() {
                        let found = digest.map(Found::Digest);
                        return self.round.done.push(ticket.end(found));
                    }
                    (Reader::to_end(file, size), None)
                }
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
                let message = self.hasher.message();
                let file = OpenFile { ticket, reader, message, chunk_offset, piece, last: false };
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
                Piece::Last(&mut file.message, data)
            } else {
                Piece::More(&mut file.message, data)
            }
        });
        let whole = round.whole.iter().flat_map(messages);
        let whole = whole.map(|(_, piece)| Piece::Whole(&buffer[piece]));
        self.hasher.process(open.chain(whole).collect(), &mut round.digests);

        let mut digests = round.digests.drain(..);
        let mut next_digest = || digests.next().expect("each last and whole piece has a digest");
        for file in self.open.extract_if(.., |file| file.last) {
            let digest = next_digest();
            round.done.push(file.end(Ok(digest)));
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

impl<T: Task> OpenFile<T> {
    /// Ends the file's request with the digest of all its bytes.
    fn end(self, digest: io::Result<Digest>) -> (Turn, Outcome<T>) {
        let (offset, len) = (self.chunk_offset, self.reader.count());
        let found = digest.map(|digest| match offset {
            None => Found::Digest(digest),
            Some(offset) => Found::Chunks(vec![ChunkDigest { offset, len, digest }]),
        });
        self.ticket.end(found)
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::fs::File;
    use std::thread;

    use broadloom_engine::HashAlgorithm;
    use broadloom_lanes::Cpu;
    use sha2::Digest as _;

    use super::*;
    use crate::exchange::Exchange;
    use crate::function::HashMode;
    use crate::hasher::hasher;
    use crate::source::{Item, Source};

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

    /// Files of zeros, all of the same size, and what two workers make of them: the second starts
    /// when `first` has begun all of them, and has no file then.
    fn digests_of(files: usize, size: usize, first: impl Fn(&mut Worker<'_, Digests>)) {
        let place = tempfile::tempdir().unwrap();
        let digest = Digest::new(&sha2::Sha256::digest(vec![0; size]));
        let items: Vec<Item<Digests>> = (0..files)
            .map(|i| {
                let name = place.path().join(i.to_string()).into_os_string();
                File::create(&name).unwrap().set_len(size as u64).unwrap();
                Item::Hash(Request { name: name.into(), expected: (), input: Input::Path })
            })
            .collect();
        let shared = Shared::new(Box::new(Items(items.into_iter())), Digests::default());
        let exchange = Exchange::new();
        let cpu = Cpu::detect();
        let options = WindowOptions { chunk: None, max_open: FILES };
        let worker = |present| {
            let hasher = hasher(HashAlgorithm::Sha256, &cpu, &HashMode::default());
            Worker::<Digests>::new(&shared, hasher, present, options)
        };
        let (mut one, other) = (worker(exchange.enter()), exchange.enter());
        assert!(one.step());
        assert_eq!(one.open.len(), files);
        thread::scope(|scope| {
            scope.spawn(|| worker(other).run());
            while one.present.waiting() == 0 {
                thread::yield_now();
            }
            first(&mut one);
            one.run();
        });
        let (digests, error) = shared.into_task();
        assert!(error.is_none());
        assert_eq!(digests.0, vec![digest.as_bytes(); files]);
    }

    /// The thread that starts late finds that the other has opened every file.
    #[test]
    fn a_worker_that_starts_late_gets_half_of_the_files() {
        digests_of(FILES, SIZE, |first| {
            assert!(first.step());
            assert_eq!(first.open.len(), FILES / 2);
        });
    }

    /// One file cannot be shared: the core of the worker without files reads ahead for the other.
    #[test]
    fn a_last_long_file_is_read_ahead_when_a_worker_waits() {
        digests_of(1, 3 * ahead::LEAST as usize + 77, |first| {
            // Asks for another file, and finds that there is none.
            while !first.is_last_file_long() {
                assert!(first.step() && first.open.len() == 1);
            }
            assert!(first.step());
            assert!(first.open.is_empty());
        });
    }
}
