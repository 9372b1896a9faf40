//! Which chaining values are combined.
//!
//! The tree of a message is complete from the left: two neighbours have a parent as soon as both
//! are there, level after level, and a value without a right neighbour waits. A message that comes
//! in pieces keeps what waits on a [`Stack`]: one value for each bit that is set in the number of
//! chunks so far, the highest level first. A piece climbs like this ([`Climb`]):
//!
//! ```text
//! chunks so far: 5 = 0b101, so that the stack holds A (of 4 chunks) and B (of 1)
//! a piece of four chunks has the numbers 5, 6, 7 and 8:
//!   level 0:  5 6 7 8    5 is odd: B + 5 = C.   6 + 7 = D.   8 is left over, and waits.
//!   level 1:  C D        the numbers are 2 and 3: C + D = E.
//!   level 2:  E          the number is 1, odd: A + E = F.
//!   level 3:  F          is left over, and waits. The stack is now F (of 8 chunks) and 8.
//! ```
//!
//! In the last piece of a message nothing waits: what is left over moves up a level as it is, until
//! one value is left and the stack is empty. What made that value is the root.

use zeroize::Zeroize;

/// A chaining value as the message of a parent has it.
pub(super) type Bytes = [u8; 32];

/// The levels of a tree of 2^64 bytes.
const MAX_DEPTH: usize = 54;

/// Values that wait for a right neighbour.
#[derive(Clone)]
pub(super) struct Stack {
    values: [Bytes; MAX_DEPTH],
    len: usize,
}

impl Stack {
    pub const fn new() -> Self {
        Stack { values: [[0; 32]; MAX_DEPTH], len: 0 }
    }

    /// Returns the value below so many others.
    pub fn below(&self, others: usize) -> &Bytes {
        &self.values[self.len - 1 - others]
    }

    /// Returns the values, the highest level first.
    pub fn values(&self) -> &[Bytes] {
        &self.values[..self.len]
    }

    pub fn len(&self) -> usize {
        self.len
    }

    /// Replaces the last values, so many of them, by another one.
    pub fn replace(&mut self, taken: usize, values: impl Iterator<Item = Bytes>) {
        self.len -= taken;
        for value in values {
            self.values[self.len] = value;
            self.len += 1;
        }
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        self.values.as_flattened_mut().zeroize();
    }
}

/// The way of a piece's values up the tree. They lie one behind the other, and a level's take the
/// places of the values that they are made of.
#[derive(Clone, Copy)]
pub(super) struct Climb {
    /// The place of the first value.
    pub first: usize,
    /// The number of values on this level.
    pub count: usize,
    /// The number of the first value among all of its level.
    number: u64,
    /// The number of values on the stack that are not taken yet.
    stacked: usize,
    /// The number of values that were taken from the stack.
    pub taken: usize,
    /// `true` if the message ends with this piece.
    is_last: bool,
    /// Places of values that wait, the lowest level first.
    waiting: [u16; MAX_WAITING],
    waits: usize,
}

/// As many values may wait as a piece has levels.
const MAX_WAITING: usize = 16;

/// Two neighbours.
pub(super) enum Pair {
    /// The value on the stack below so many others, and the first of the piece.
    Stacked(usize),
    /// The values at this place and the next one.
    Places(usize),
}

impl Climb {
    /// Begins with the values of chunks.
    pub fn new(first: usize, count: usize, number: u64, stacked: usize, is_last: bool) -> Self {
        let (waiting, waits) = ([0; MAX_WAITING], 0);
        Climb { first, count, number, stacked, taken: 0, is_last, waiting, waits }
    }

    /// Returns `true` if no value is left to be combined.
    pub fn is_over(&self) -> bool {
        match self.is_last {
            true => self.count == 1 && self.stacked == 0,
            false => self.count == 0,
        }
    }

    /// Returns whether the first value has its neighbour on the stack, the number of pairs of other
    /// values, and whether the last value has no neighbour.
    fn shape(&self) -> (bool, usize, bool) {
        let is_odd = self.number % 2 == 1;
        let others = self.count - usize::from(is_odd);
        (is_odd, others / 2, others % 2 == 1)
    }

    /// Calls a function with the pairs of this level, from left to right, with the place of the
    /// parent, and with whether the parent is the root.
    pub fn pairs(&self, mut take: impl FnMut(Pair, usize, bool)) {
        let (is_odd, pairs, is_left) = self.shape();
        let parents = usize::from(is_odd) + pairs;
        let is_root =
            self.is_last && parents == 1 && !is_left && self.stacked == usize::from(is_odd);
        if is_odd {
            take(Pair::Stacked(self.taken), self.first, is_root);
        }
        for pair in 0..pairs {
            let left = self.first + usize::from(is_odd) + 2 * pair;
            take(Pair::Places(left), self.first + usize::from(is_odd) + pair, is_root);
        }
    }

    /// Goes up a level, now that the parents are made. Where the last value moves up as it is,
    /// returns its place and its new one.
    pub fn rise(&mut self) -> Option<(usize, usize)> {
        let (is_odd, pairs, is_left) = self.shape();
        let last = self.first + self.count - 1;
        self.count = usize::from(is_odd) + pairs;
        self.taken += usize::from(is_odd);
        self.stacked -= usize::from(is_odd);
        self.number /= 2;
        if !is_left {
            return None;
        }
        if self.is_last {
            self.count += 1;
            return Some((last, self.first + self.count - 1));
        }
        self.waiting[self.waits] = last as u16;
        self.waits += 1;
        None
    }

    /// Returns the places of values that wait, the highest level first.
    pub fn waiting(&self) -> impl Iterator<Item = usize> {
        self.waiting[..self.waits].iter().rev().map(|place| usize::from(*place))
    }
}
