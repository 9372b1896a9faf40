//! What is encrypted is decrypted to what it was; what is damaged is not.

use std::io::{self, IoSlice, Read, Write};
use std::num::NonZeroU32;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use broadloom_encryption::age::{Decryptor, Encryptor, Identity, PayloadError};
use broadloom_encryption::openssl::{Mode, OpenSsl};
use broadloom_encryption::{EncryptionError, Input, Output, ReadAt, Report, WriteAt};

use crate::common::{noise, registry, threads, told};

const CHUNK: usize = 64 << 10;

/// Lengths around the ends of chunks and of groups of chunks.
fn lengths() -> impl Iterator<Item = usize> {
    let edges = [0, 16, CHUNK, 2 * CHUNK, 4 * CHUNK, 8 * CHUNK];
    let around = edges.into_iter().flat_map(|edge| [edge.wrapping_sub(1), edge, edge + 1]);
    around.filter(|&len| len < usize::MAX).chain([100_000, 30 * CHUNK + 17])
}

/// A file in memory.
#[derive(Default)]
struct Memory(Mutex<Vec<u8>>);

impl WriteAt for Memory {
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let mut all = self.0.lock().expect("no panic");
        let (start, end) = (offset as usize, offset as usize + bytes.len());
        if all.len() < end {
            all.resize(end, 0);
        }
        all[start..end].copy_from_slice(bytes);
        Ok(())
    }
}

/// A reader that gives a few bytes at a time.
struct Slow<'b>(&'b [u8]);

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = buffer.len().min(4099);
        self.0.read(&mut buffer[..len])
    }
}

/// A writer that takes a chunk and a part of the next at a time.
#[derive(Default)]
struct Reluctant(Vec<u8>);

impl Write for Reluctant {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_vectored(&[IoSlice::new(bytes)])
    }

    fn write_vectored(&mut self, pieces: &[IoSlice<'_>]) -> io::Result<usize> {
        let mut left = CHUNK + 4099;
        for piece in pieces {
            let len = piece.len().min(left);
            self.0.extend_from_slice(&piece[..len]);
            left -= len;
        }
        Ok(CHUNK + 4099 - left)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Every way in and out gives the same.
fn every_way<E: std::fmt::Debug>(
    input: &[u8],
    code: impl Fn(Input<'_>, Output<'_>) -> Result<(), E>,
) -> [Vec<u8>; 3] {
    let (mut streamed, mut mixed, places) = (Reluctant::default(), Vec::new(), Memory::default());
    code(Input::Stream(&mut Slow(input)), Output::Stream(&mut streamed)).expect("it is right");
    code(Input::memory(&input), Output::Stream(&mut mixed)).expect("it is right");
    code(Input::memory(&input), Output::Places(&places)).expect("it is right");
    [streamed.0, mixed, places.0.into_inner().expect("no panic")]
}

#[test]
fn age_files_are_decrypted_to_what_they_were() {
    let identity = Identity::generate().expect("random bytes");
    let others = [(); 2].map(|()| Identity::generate().expect("random bytes").recipient());
    let recipients = vec![others[0], identity.recipient(), others[1]];
    for len in lengths() {
        let text = noise(len);
        for (number, armor) in [(1, false), (3, false), (2, true)] {
            let encryptor = Encryptor::to_recipients(registry(), recipients.clone())
                .threads(threads(number))
                .armor(armor);
            let decryptor =
                Decryptor::new(registry(), vec![identity.clone()]).threads(threads(number));
            let files = every_way(&text, |input, output| {
                let report = encryptor.encrypt(input, output)?;
                assert_eq!(report.input, len as u64);
                Ok::<_, EncryptionError>(())
            });
            for file in files {
                assert_eq!(file.starts_with(b"-----BEGIN"), armor);
                let texts = every_way(&file, |input, output| {
                    let report = decryptor.decrypt(input, output)?;
                    assert_eq!(report.output, len as u64);
                    Ok::<_, EncryptionError>(())
                });
                assert!(texts.iter().all(|back| *back == text), "{len} bytes, {number} threads");
            }
        }
    }
}

/// A file in memory that keeps how many bytes it was told to expect.
#[derive(Default)]
struct Expecting(Memory, AtomicU64);

impl WriteAt for Expecting {
    fn expect_len(&self, len: u64) {
        self.1.store(len, Ordering::Relaxed);
    }

    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.0.write_all_at(bytes, offset)
    }
}

#[test]
fn an_output_by_place_is_told_its_length_beforehand() {
    let identity = Identity::generate().expect("random bytes");
    let encryptor = Encryptor::to_recipients(registry(), vec![identity.recipient()]);
    let decryptor = Decryptor::new(registry(), vec![identity]);
    let passphrase = || broadloom_encryption::age::Passphrase::new("the warp");
    let [cbc, ctr] = [Mode::Cbc, Mode::Ctr]
        .map(|mode| OpenSsl::new(registry(), mode, passphrase()).iterations(NonZeroU32::MIN));
    /// Returns what was written, if no more than `off` bytes more or fewer were expected.
    fn written(
        off: u64,
        code: impl FnOnce(Output<'_>) -> Result<Report, EncryptionError>,
    ) -> Vec<u8> {
        let output = Expecting::default();
        code(Output::Places(&output)).expect("it is right");
        let Expecting(Memory(bytes), expected) = output;
        let (bytes, expected) = (bytes.into_inner().expect("no panic"), expected.into_inner());
        assert!(expected.abs_diff(bytes.len() as u64) <= off, "{expected} of {}", bytes.len());
        bytes
    }
    for len in lengths() {
        let text = noise(len);
        let text = &text.as_slice();
        let file = written(0, |output| encryptor.encrypt(Input::memory(text), output));
        let file = &file.as_slice();
        written(0, |output| decryptor.decrypt(Input::memory(file), output));
        let range = len as u64 / 3..len as u64 / 2;
        let bytes = (file as &dyn ReadAt, file.len() as u64);
        written(0, |output| decryptor.decrypt_range(bytes, |_| range, output));
        for (openssl, off) in [(&cbc, 16), (&ctr, 0)] {
            let file = written(off, |output| openssl.encrypt(Input::memory(text), output));
            let file = &file.as_slice();
            written(off, |output| openssl.decrypt(Input::memory(file), output));
        }
    }
}

#[test]
fn a_passphrase_opens_what_it_closed() {
    let encryptor = Encryptor::to_passphrase(
        registry(),
        broadloom_encryption::age::Passphrase::new("the warp"),
        4,
    );
    let mut file = Vec::new();
    encryptor
        .encrypt(Input::memory(&&b"text"[..]), Output::Stream(&mut file))
        .expect("it is right");
    let decrypt = |decryptor: Decryptor| {
        let mut text = Vec::new();
        decryptor.decrypt(Input::memory(&file.as_slice()), Output::Stream(&mut text)).map(|_| text)
    };
    let decryptor = || Decryptor::new(registry(), Vec::new());
    assert_eq!(decrypt(decryptor().asking(told("the warp"))).expect("it is right"), b"text");
    let wrong = decrypt(decryptor().asking(told("the weft"))).expect_err("it is wrong");
    assert_eq!(wrong.to_string(), "no passphrase fits: the file is for a passphrase");
    let identity = Identity::generate().expect("random bytes");
    let other = decrypt(Decryptor::new(registry(), vec![identity])).expect_err("it is no key");
    assert_eq!(other.to_string(), "no identity fits: the file is for a passphrase");
}

/// A file of four chunks and some bytes, its plaintext, and what decrypts it.
fn four_chunks() -> (Vec<u8>, Vec<u8>, Decryptor) {
    let identity = Identity::generate().expect("random bytes");
    let encryptor = Encryptor::to_recipients(registry(), vec![identity.recipient()]);
    let (text, mut file) = (noise(4 * CHUNK + 100), Vec::new());
    let output = Output::Stream(&mut file);
    encryptor.encrypt(Input::memory(&text.as_slice()), output).expect("it is right");
    (text, file, Decryptor::new(registry(), vec![identity]).threads(threads(2)))
}

/// Returns what is written of a file, and its error.
fn decrypt(decryptor: &Decryptor, file: &[u8]) -> (Vec<u8>, Option<EncryptionError>) {
    let mut text = Vec::new();
    let outcome = decryptor.decrypt(Input::Stream(&mut &file[..]), Output::Stream(&mut text));
    (text, outcome.err())
}

#[test]
fn nothing_is_written_of_what_is_damaged_moved_cut_or_added() {
    let (text, file, decryptor) = four_chunks();
    let stride = CHUNK + 16;
    let start = file.len() - (4 * stride + 116);
    let refused = |file: &[u8], chunks: usize, offset: usize, cause: PayloadError| {
        let (written, error) = decrypt(&decryptor, file);
        assert!(written == text[..chunks * CHUNK], "{} bytes written", written.len());
        match error {
            Some(EncryptionError::Payload { offset: at, cause: why }) => {
                assert_eq!((at, why), (offset as u64, cause));
            }
            other => panic!("{other:?}"),
        }
    };
    for chunk in 0..4 {
        for bit in [0, 100, CHUNK + 3] {
            let mut damaged = file.clone();
            damaged[start + chunk * stride + bit] ^= 4;
            refused(&damaged, chunk, start + chunk * stride, PayloadError::Damaged);
        }
    }
    let mut swapped = file.clone();
    let (left, right) = swapped[start + stride..].split_at_mut(stride);
    left.swap_with_slice(&mut right[..stride]);
    refused(&swapped, 1, start + stride, PayloadError::Damaged);
    let cut = |len: usize| &file[..start + len];
    refused(cut(4 * stride), 4, start + 4 * stride, PayloadError::CutShort);
    refused(cut(2 * stride + 30), 2, start + 2 * stride, PayloadError::Damaged);
    refused(cut(2 * stride + 5), 2, start + 2 * stride + 5, PayloadError::Truncated);
    refused(cut(0), 0, start, PayloadError::Truncated);
    let longer = [&file[..], b"more"].concat();
    refused(&longer, 4, start + 4 * stride, PayloadError::Damaged);
    for len in 0..start {
        let (written, error) = decrypt(&decryptor, &file[..len]);
        assert!(written.is_empty() && error.is_some(), "cut to {len} bytes");
    }
}

#[test]
fn the_header_is_authenticated() {
    let (_, file, decryptor) = four_chunks();
    let stanza = b"-> grease x\n\n";
    let place = file.windows(3).position(|bytes| bytes == b"---").expect("it ends");
    let added = [&file[..place], stanza, &file[place..]].concat();
    assert!(matches!(decrypt(&decryptor, &added).1, Some(EncryptionError::HeaderMac)));
}

#[test]
fn ranges_are_parts_of_the_whole() {
    let (text, file, decryptor) = four_chunks();
    let bytes = file.as_slice();
    let part = |from: u64, to: u64| {
        let mut part = Vec::new();
        let output = Output::Stream(&mut part);
        let source = (&bytes as &dyn broadloom_encryption::ReadAt, bytes.len() as u64);
        decryptor.decrypt_range(source, |_| from..to, output).map(|_| part)
    };
    let len = text.len() as u64;
    for from in [0, 1, CHUNK as u64 - 1, CHUNK as u64, 3 * CHUNK as u64 + 7, len - 1, len] {
        for to in [from, from + 1, from + CHUNK as u64, len, u64::MAX] {
            let to_end = to.min(len).max(from) as usize;
            let expected = &text[from as usize..to_end];
            assert!(part(from, to).expect("it is there") == expected, "{from} to {to}");
        }
    }
    let beyond = part(len + 1, len + 2).expect_err("it is beyond");
    assert!(matches!(beyond, EncryptionError::Range { .. }), "{beyond}");
    // A file that is cut short has no ranges: nobody knows how long it was.
    let cut = &file[..file.len() - 116];
    let mut nothing = Vec::new();
    let source = (&cut as &dyn broadloom_encryption::ReadAt, cut.len() as u64);
    let output = Output::Stream(&mut nothing);
    let error = decryptor.decrypt_range(source, |_| 0..1, output).expect_err("it is cut");
    let cause = matches!(error, EncryptionError::Payload { cause: PayloadError::CutShort, .. });
    assert!(cause && nothing.is_empty(), "{error}");
}

#[test]
fn openssl_files_are_decrypted_to_what_they_were() {
    for mode in [Mode::Cbc, Mode::Ctr] {
        for number in [1, 3] {
            let passphrase = broadloom_encryption::age::Passphrase::new("the warp");
            let openssl = OpenSsl::new(registry(), mode, passphrase).threads(threads(number));
            for len in lengths() {
                let text = noise(len);
                let files =
                    every_way(&text, |input, output| openssl.encrypt(input, output).map(drop));
                for file in files {
                    let texts =
                        every_way(&file, |input, output| openssl.decrypt(input, output).map(drop));
                    assert!(texts.iter().all(|back| *back == text), "{mode:?}, {len} bytes");
                }
            }
        }
    }
}

#[test]
fn cut_openssl_files_say_where_they_end() {
    let text: &[u8] = b"0123456789abcdef";
    let openssl = OpenSsl::new(
        registry(),
        Mode::Cbc,
        broadloom_encryption::age::Passphrase::new("a passphrase"),
    );
    let mut file = Vec::new();
    openssl.encrypt(Input::memory(&text), Output::Stream(&mut file)).expect("it is encrypted");
    assert_eq!(file.len(), 48);
    for len in 0..file.len() {
        let (mut cut, mut nothing) = (&file[..len], Vec::new());
        let of_places = openssl.decrypt(Input::memory(&&file[..len]), Output::Stream(&mut nothing));
        let of_stream = openssl.decrypt(Input::Stream(&mut cut), Output::Stream(&mut nothing));
        let (at, why) = match len {
            0..16 => (len, "the input ends within the 16 bytes of \"Salted__\" and a salt"),
            16 => (len, "the input ends before its first block"),
            32 => (16, "the padding is wrong"),
            _ => (len, "the input ends within a block of 16 bytes"),
        };
        for result in [of_places, of_stream] {
            let error = result.expect_err("it is cut").to_string();
            assert!(error.starts_with(&format!("at byte {at}: {why}")), "{len} bytes: {error}");
        }
        assert_eq!(nothing, b"", "{len} bytes");
    }
    let error = openssl.decrypt(Input::memory(&&b"Sealed__"[..]), Output::Stream(&mut Vec::new()));
    let error = error.expect_err("it is none").to_string();
    assert!(error.contains("begins with \"Sealed__\", not with \"Salted__\""), "{error}");
}

/// Fails behind what it has.
struct Broken<'d>(&'d [u8]);

impl Read for Broken<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.read(buffer)? {
            0 => Err(io::Error::other("the disk is gone")),
            count => Ok(count),
        }
    }
}

/// Takes so many bytes.
struct Narrow(usize);

impl Write for Narrow {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.checked_sub(bytes.len()) {
            Some(left) => self.0 = left,
            None => return Err(io::ErrorKind::StorageFull.into()),
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn ends_that_fail_are_reported_where_they_fail() {
    let (text, file, decryptor) = four_chunks();
    let start = file.len() - (4 * (CHUNK + 16) + 116);
    let broken = start + 2 * (CHUNK + 16) + 50;
    let mut written = Vec::new();
    let input = Input::Stream(&mut Broken(&file[..broken]));
    let error = decryptor.decrypt(input, Output::Stream(&mut written)).expect_err("it breaks");
    assert!(matches!(error, EncryptionError::Read { .. }), "{error}");
    assert!(written == text[..2 * CHUNK]);
    let mut narrow = Narrow(CHUNK + 5);
    let output = Output::Stream(&mut narrow);
    let error = decryptor.decrypt(Input::memory(&file.as_slice()), output).expect_err("it is full");
    let EncryptionError::Write { offset, .. } = error else { panic!("{error}") };
    assert_eq!(offset, CHUNK as u64);
}
