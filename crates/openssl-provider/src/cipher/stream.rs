//! Modes without authentication, whose texts come in pieces.
//!
//! A piece goes through the default provider's context up to a boundary of blocks, then through the
//! engine, and its rest through that context again. What the engine has done, that context learns
//! when it is next needed, by a new IV.

use std::ffi::{c_int, c_uint};
use std::{mem, ptr};

use broadloom::CipherAlgorithm;
use zeroize::Zeroize;

use super::apart::Apart;
use super::keyed::{Keyed, Purpose};
use super::trial::{self, Tried};
use super::{Cipher, Given, Piece};
use crate::digest::given;
use crate::interface::{OCTETS_POINTER, Param, UNSIGNED};
use crate::job;
use crate::libcrypto::fail;
use crate::line::{Place, Text, process, process_beside};
use crate::pipe;
use crate::settings;

/// How blocks depend on those before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Ecb,
    Cbc,
    Ctr,
    Cfb,
    Ofb,
    Xts,
}

const BLOCK: usize = 16;
type Block = [u8; BLOCK];

/// Bytes from which on the engine may be faster, alone.
const WORTHWHILE: usize = 1024;
/// The same for CFB, of which the default provider decrypts one block after the other.
const WORTHWHILE_CFB: usize = 64;

/// Bytes of the longest data unit that the default provider takes.
const MAX_UNIT: usize = BLOCK << 20;

/// Who processes a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// The default provider.
    Theirs,
    /// The engine, at once.
    Alone,
    /// The engine, with the pieces of other jobs.
    Beside,
}

/// A text that is encrypted or decrypted.
pub struct Stream {
    /// The place of the algorithm among all.
    at: usize,
    apart: Apart,
    mode: Mode,
    algorithm: CipherAlgorithm,
    keyed: Keyed,
    encrypts: bool,
    /// What the default provider's context has expanded its key for.
    key_encrypts: bool,
    /// The IV that the text began with.
    first_iv: Block,
    has_iv: bool,
    /// The default provider's context has been given another IV since.
    is_moved: bool,
    /// Bytes of the text behind the last whole block.
    position: usize,
    has_begun: bool,
    /// Bytes that were passed on to the default provider, and not counted yet.
    passed_on: usize,
    /// The IV of the next block, where the default provider's context does not have it yet.
    ahead: Option<Block>,
    /// Whether a last block of ciphertext is held back; `None` until it is asked for.
    pads: Option<bool>,
    /// No parameter was set but those that every text has: none of TLS's, above all.
    is_plain: bool,
    /// Bytes of a piece from which on the engine may be asked.
    least: usize,
    /// This length is known, and not to be found by a trial.
    is_tried: bool,
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.ahead.zeroize();
    }
}

impl Stream {
    pub fn new(at: usize, apart: Apart, mode: Mode, algorithm: CipherAlgorithm) -> Stream {
        Stream {
            at,
            apart,
            mode,
            algorithm,
            keyed: Keyed::new(),
            encrypts: false,
            key_encrypts: false,
            first_iv: [0; BLOCK],
            has_iv: false,
            is_moved: false,
            position: 0,
            has_begun: false,
            passed_on: 0,
            ahead: None,
            pads: None,
            is_plain: true,
            least: 0,
            is_tried: false,
        }
    }

    /// Returns `true` if whole blocks are collected; other modes take any length.
    fn collects(&self) -> bool {
        matches!(self.mode, Mode::Ecb | Mode::Cbc)
    }

    /// Returns `true` if a kernel computes the blocks of one text in parallel.
    fn is_parallel(&self) -> bool {
        match self.mode {
            Mode::Ecb | Mode::Ctr | Mode::Xts => true,
            Mode::Cbc | Mode::Cfb => !self.encrypts,
            Mode::Ofb => false,
        }
    }

    /// Bytes of a piece from which on the engine may be asked.
    fn least(&self) -> usize {
        match self.mode {
            _ if !self.is_parallel() => settings::bulk_threshold(),
            Mode::Cfb => WORTHWHILE_CFB,
            _ => WORTHWHILE,
        }
    }

    /// Returns `true` if the engine is faster for a lone piece.
    fn is_worthwhile(&mut self, len: usize) -> bool {
        if !self.is_tried && self.keyed.is_earned() {
            self.is_tried = true;
            self.least = trial::find(self.at, self.encrypts, self, self.least());
        }
        len >= self.least
    }

    fn way(&mut self, len: usize) -> Way {
        let is_parallel = self.is_parallel();
        // With the other direction's key, the default provider gives answers of its own.
        let is_turned = self.encrypts != self.key_encrypts
            && matches!(self.mode, Mode::Ecb | Mode::Cbc | Mode::Xts);
        let is_short = len < self.least;
        if is_short || !self.is_plain || is_turned || !self.has_iv && self.mode != Mode::Ecb {
            Way::Theirs
        } else if is_parallel {
            // The texts of a pipeline come together, so that they share the lanes.
            match pipe::is_inside() {
                true => Way::Beside,
                false if self.is_worthwhile(len) => Way::Alone,
                false => Way::Theirs,
            }
        } else if job::can_wait() {
            Way::Beside
        } else {
            Way::Theirs
        }
    }

    /// Returns `true` if the default provider's context holds the last whole block back: it may be
    /// padding.
    fn holds_back(&mut self) -> bool {
        let apart = &self.apart;
        !self.encrypts
            && self.collects()
            && *self.pads.get_or_insert_with(|| {
                let mut value: c_uint = 1;
                let mut list = [Param::number(c"padding", UNSIGNED, &mut value), Param::END];
                // SAFETY: the list ends.
                unsafe { apart.get(list.as_mut_ptr()) };
                value != 0
            })
    }

    /// The IV of the next block.
    fn next_iv(&self) -> Option<Block> {
        if self.ahead.is_some() || self.mode == Mode::Ecb {
            return self.ahead.or(Some([0; BLOCK]));
        }
        // By its place: OpenSSL 3.5 leaves an error behind when it is asked for bytes.
        let mut place: *const Block = ptr::null();
        let mut list = [Param::number(c"updated-iv", OCTETS_POINTER, &mut place), Param::END];
        // SAFETY: the list ends.
        let got = unsafe { self.apart.get(list.as_mut_ptr()) } == 1;
        let is_iv = got && list[0].return_size == BLOCK;
        // SAFETY: the place is null, or that of a block in the default provider's context.
        if is_iv { unsafe { place.as_ref() }.copied() } else { None }
    }

    /// Tells the default provider's context where the text is now.
    fn settle(&mut self) -> c_int {
        let Some(iv) = self.ahead.take() else { return 1 };
        self.is_moved = true;
        let (key, key_len, list) = (ptr::null(), 0, ptr::null());
        let (iv, iv_len) = match self.mode {
            Mode::Ecb => (ptr::null(), 0),
            _ => (iv.as_ptr(), BLOCK),
        };
        // SAFETY: so many bytes are there; null stands for what was there before.
        unsafe { self.apart.init(self.encrypts, Given { key, key_len, iv, iv_len, list }) }
    }

    /// # Safety
    /// The piece keeps libcrypto's rules, as [`Piece`] defines them.
    unsafe fn theirs(&mut self, piece: Piece) -> c_int {
        self.keyed.count(piece.len);
        // SAFETY: the piece keeps libcrypto's rules, by this function's contract.
        let status = c_int::from(self.settle() == 1 && unsafe { self.apart.update(piece) } == 1);
        if status == 1 {
            self.position = (self.position + piece.len) % BLOCK;
            self.has_begun |= piece.len > 0;
        }
        status
    }

    /// A data unit of XTS: each piece is one.
    ///
    /// # Safety
    /// The piece keeps libcrypto's rules, as [`Piece`] defines them.
    unsafe fn unit(&mut self, piece: Piece) -> c_int {
        let Piece { out, out_len, room, data, len } = piece;
        let purpose = self.purpose();
        // SAFETY: the piece keeps libcrypto's rules, by this function's contract, so that both
        // places are valid for `len` bytes.
        let place = unsafe { Place::new(data, out, len) };
        let (Some(session), Some(place)) = (self.keyed.session(purpose), place) else {
            // SAFETY: as above.
            return unsafe { self.theirs(piece) };
        };
        if room < len || len % BLOCK != 0 || len > MAX_UNIT {
            // SAFETY: as above.
            return unsafe { self.theirs(piece) };
        }
        let text = Text { session, nonce: &self.first_iv, associated: &[], expected: None };
        match process(&text, place) {
            Ok(_) => {
                // SAFETY: as above.
                unsafe { *out_len = len };
                1
            }
            Err(error) => fail(c"cipher_update", &error.to_string()),
        }
    }

    /// Takes note of the pieces that were passed on.
    fn take_note(&mut self) {
        let len = mem::take(&mut self.passed_on);
        self.keyed.count(len);
        self.position = self.position.wrapping_add(len) % BLOCK;
        self.has_begun |= len > 0;
    }

    fn purpose(&self) -> Purpose {
        match self.encrypts {
            true => Purpose::Encrypt(self.algorithm),
            false => Purpose::Decrypt(self.algorithm),
        }
    }

    /// A piece of which the engine processes what it can.
    ///
    /// # Safety
    /// The piece keeps libcrypto's rules, as [`Piece`] defines them.
    unsafe fn long(&mut self, piece: Piece, way: Way) -> c_int {
        let Piece { out, out_len, room, data, len } = piece;
        let holds_back = self.holds_back();
        // Up to a boundary of blocks. Where a block is held back, one more brings it, and is itself
        // held back then; the engine begins with that one.
        let align = (BLOCK - self.position) % BLOCK;
        let (head, start, before) = match (self.collects(), holds_back && self.has_begun) {
            (false, _) => (align, align, align),
            (true, true) => (align + BLOCK, align, BLOCK),
            (true, false) => (align, align, self.position + align),
        };
        let left = len - start;
        let body = match holds_back {
            false => left / BLOCK * BLOCK,
            true => (left - 1) / BLOCK * BLOCK,
        };
        let purpose = self.purpose();
        let fits = room >= before + body;
        // SAFETY: the piece keeps libcrypto's rules, by this function's contract; the body lies
        // within the piece, and its output within the room.
        let place =
            fits.then(|| unsafe { Place::new(data.add(start), out.add(before), body) }).flatten();
        let (Some(_), Some(place)) = (self.keyed.session(purpose), place) else {
            // SAFETY: as above.
            return unsafe { self.theirs(piece) };
        };
        let mut written = 0;
        if head > 0 {
            let first = Piece { out_len: &mut written, len: head, ..piece };
            // SAFETY: as above.
            if unsafe { self.theirs(first) } != 1 {
                return 0;
            }
            if written != before {
                return fail(c"cipher_update", "the default provider holds back other blocks");
            }
        }
        let Some(iv) = self.next_iv() else { return 0 };
        // SAFETY: as above.
        let Some(next) =
            (unsafe { self.body(iv, data.add(start), out.add(before), body, place, way) })
        else {
            return 0;
        };
        (self.ahead, self.has_begun, self.position) = (Some(next), true, 0);
        let mut last = 0;
        if left > body {
            let rest = Piece {
                out: out.wrapping_add(before + body),
                out_len: &mut last,
                room: room - before - body,
                data: data.wrapping_add(start + body),
                len: left - body,
            };
            // SAFETY: as above.
            if unsafe { self.theirs(rest) } != 1 {
                return 0;
            }
        }
        // SAFETY: as above.
        unsafe { *out_len = before + body + last };
        1
    }

    /// Has the engine process whole blocks, and gives the IV of the next one.
    ///
    /// # Safety
    /// `data` is readable for `len` bytes and `out` for as many once they are written, and `place`
    /// is made of both.
    unsafe fn body(
        &mut self,
        iv: Block,
        data: *const u8,
        out: *const u8,
        len: usize,
        place: Place<'_>,
        way: Way,
    ) -> Option<Block> {
        // SAFETY: `data` and `out` have `len` bytes, at least a block, by this function's contract.
        let last = |from: *const u8| unsafe { from.add(len - BLOCK).cast::<Block>().read() };
        // What is read may be written over.
        let read = last(data);
        self.keyed.count(len);
        let nonce: &[u8] = if self.mode == Mode::Ecb { &[] } else { &iv };
        let purpose = self.purpose();
        let session = self.keyed.session(purpose)?;
        let text = Text { session, nonce, associated: &[], expected: None };
        let done =
            if way == Way::Alone { process(&text, place) } else { process_beside(&text, place) };
        if let Err(error) = done {
            fail(c"cipher_update", &error.to_string());
            return None;
        }
        Some(match (self.mode, self.encrypts) {
            (Mode::Ecb | Mode::Xts, _) => iv,
            (Mode::Cbc | Mode::Cfb, true) => last(out),
            (Mode::Cbc | Mode::Cfb, false) => read,
            (Mode::Ctr, _) => {
                u128::from_be_bytes(iv).wrapping_add((len / BLOCK) as u128).to_be_bytes()
            }
            (Mode::Ofb, _) => {
                let written = last(out);
                std::array::from_fn(|at| read[at] ^ written[at])
            }
        })
    }
}

impl Cipher for Stream {
    fn copy(&self) -> Option<Stream> {
        Some(Stream { apart: self.apart.copy()?, keyed: self.keyed.clone(), ..*self })
    }

    unsafe fn init(&mut self, encrypts: bool, mut begin: Given) -> c_int {
        self.take_note();
        let keeps_iv = begin.iv.is_null();
        // CTR goes on where it is, and modes that chain go back to the first IV.
        if keeps_iv && self.mode == Mode::Ctr && self.settle() != 1 {
            return 0;
        }
        if keeps_iv && self.is_moved && self.mode != Mode::Ctr && self.mode != Mode::Ecb {
            (begin.iv, begin.iv_len) = (self.first_iv.as_ptr(), BLOCK);
        }
        // SAFETY: `begin` keeps libcrypto's rules for what is given, by the contract of `init`.
        let status = unsafe { self.apart.init(encrypts, begin) };
        if status != 1 {
            return status;
        }
        // SAFETY: `key` is null or readable for `key_len` bytes, and `iv` for `iv_len`, by the
        // contract of `init`.
        unsafe {
            if !begin.key.is_null() {
                self.keyed.replace(given(begin.key, begin.key_len));
                self.key_encrypts = encrypts;
            }
            if !keeps_iv && begin.iv_len == BLOCK && self.mode != Mode::Ecb {
                self.first_iv.copy_from_slice(given(begin.iv, BLOCK));
                self.has_iv = true;
            }
            self.note(begin.list);
        }
        self.is_moved &= keeps_iv && self.mode == Mode::Ctr;
        (self.encrypts, self.position, self.has_begun) = (encrypts, 0, false);
        self.ahead = None;
        let known = trial::known(self.at, encrypts).filter(|_| self.is_parallel());
        self.is_tried = known.is_some();
        self.least = known.unwrap_or_else(|| self.least());
        1
    }

    /// A piece that the default provider refuses is counted, too: it refuses those that come before
    /// a key, and a key begins to count anew.
    #[inline(always)]
    fn pass_on(&mut self, _: bool, _: *const u8, len: usize) -> Option<&Apart> {
        if len >= self.least || self.ahead.is_some() {
            return None;
        }
        self.passed_on = self.passed_on.wrapping_add(len);
        Some(&self.apart)
    }

    unsafe fn update(&mut self, piece: Piece) -> c_int {
        self.take_note();
        let way = self.way(piece.len);
        // SAFETY: the piece keeps libcrypto's rules, by the contract of `update`.
        unsafe {
            match (way, self.mode) {
                (Way::Theirs, _) => self.theirs(piece),
                (_, Mode::Xts) => self.unit(piece),
                (_, _) => self.long(piece, way),
            }
        }
    }

    unsafe fn last(&mut self, out: *mut u8, out_len: *mut usize, room: usize) -> c_int {
        self.take_note();
        // SAFETY: the places keep libcrypto's rules, by the contract of `last`.
        if self.settle() != 1 || unsafe { self.apart.last(out, out_len, room) } != 1 {
            return 0;
        }
        if self.collects() {
            (self.position, self.has_begun) = (0, false);
        }
        1
    }

    unsafe fn cipher(&mut self, piece: Piece) -> c_int {
        // SAFETY: the piece keeps libcrypto's rules, by the contract of `cipher`.
        unsafe {
            if !piece.data.is_null() && matches!(self.mode, Mode::Ctr | Mode::Cfb | Mode::Ofb) {
                return self.update(piece);
            }
            // Whole blocks past those that are collected: nobody mixes that with pieces.
            self.is_plain = false;
            c_int::from(self.settle() == 1 && self.apart.cipher(piece) == 1)
        }
    }

    unsafe fn get(&mut self, list: *mut Param) -> c_int {
        // SAFETY: the list is valid, by the contract of `get`.
        unsafe {
            // libcrypto asks for this one before each text.
            if let Some(param) = Param::only(list, c"ivlen") {
                let len = if self.mode == Mode::Ecb { 0 } else { BLOCK };
                return c_int::from(param.put_unsigned(len as u64));
            }
            if self.settle() != 1 || self.apart.get(list) != 1 {
                return 0;
            }
            if !self.is_moved || self.mode == Mode::Ecb {
                return 1;
            }
            match Param::find_mut(list, c"iv") {
                Some(param) => c_int::from(param.put_bytes(&self.first_iv)),
                None => 1,
            }
        }
    }

    unsafe fn set(&mut self, list: *const Param) -> c_int {
        // SAFETY: the list is valid, by the contract of `set`.
        unsafe {
            if self.settle() != 1 || self.apart.set(list) != 1 {
                return 0;
            }
            self.note(list);
        }
        1
    }

    fn expect_long_texts(&mut self, other: Option<&Stream>) {
        self.keyed.earn(other.map(|other| &other.keyed));
        self.least = self.least();
    }
}

impl Tried for Stream {
    fn twin(&self) -> Option<Stream> {
        let mut twin = Stream::new(self.at, self.apart.fresh()?, self.mode, self.algorithm);
        let key: Vec<u8> = (0..self.keyed.key_len()).map(|at| at as u8).collect();
        let (key, key_len, zeros) = (key.as_ptr(), key.len(), [0; BLOCK]);
        let (iv, iv_len) = match self.mode {
            Mode::Ecb => (ptr::null(), 0),
            _ => (zeros.as_ptr(), BLOCK),
        };
        let mut pads: c_uint = 0;
        let list = [Param::number(c"padding", UNSIGNED, &mut pads), Param::END];
        let list = if self.collects() { list.as_ptr() } else { ptr::null() };
        // SAFETY: so many bytes are there, and the list ends.
        let is_begun =
            unsafe { twin.init(self.encrypts, Given { key, key_len, iv, iv_len, list }) };
        twin.expect_long_texts(None);
        (is_begun == 1).then_some(twin)
    }

    fn ask_from(&mut self, least: usize) {
        (self.is_tried, self.least) = (true, least);
    }

    fn process(&mut self, text: &mut [u8]) -> bool {
        let (mut written, len) = (0, text.len());
        let (out, data) = (text.as_mut_ptr(), text.as_ptr());
        // SAFETY: the text is borrowed, and is processed in place: no block is held back.
        unsafe { self.update(Piece { out, out_len: &mut written, room: len, data, len }) == 1 }
    }
}

impl Stream {
    /// # Safety
    /// The list is valid, as [`Param`] defines it.
    unsafe fn note(&mut self, list: *const Param) {
        self.pads = None;
        // SAFETY: the list is valid, by this function's contract.
        self.is_plain &=
            unsafe { Param::each(list).all(|param| param.is(c"padding") || param.is(c"keylen")) };
    }
}
