//! Powers of the numbers in lanes.

use alloc::boxed::Box;
use alloc::vec;

use zeroize::Zeroize;

use super::modulus::Modulus;
use crate::kernels::bignum::Number;
use crate::kernels::bignum::{BignumKernel, ENTRIES, MAX_LANES, Modulo, WINDOW};

/// Words of a cache line.
const LINE: usize = 8;

/// A cache line: numbers of every lane begin with one, or with half of one, so that vectors do not
/// lie across lines.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct NumberLine([u64; LINE]);

/// A number of every lane.
#[derive(Clone, Copy)]
enum NumberPlace {
    /// The moduli.
    Modulus,
    /// Room for the kernel.
    Quotients,
    /// R² for each modulus, and then R, which stands for 1.
    Square,
    /// The number 1, and in the end 2^64.
    One,
    /// The bases, and then what stands for them.
    Base,
    /// What is becoming the power.
    Power,
    /// Factors.
    Other,
    Second,
    /// The table of powers.
    Table,
}

/// Where the inverses of the moduli are, and the indices of two entries.
const INVERSES: usize = 0;
const INDICES: [usize; 2] = [LINE, 2 * LINE];

/// Words before the numbers.
const HEAD: usize = 3 * LINE;

/// Room to raise a number to a power in each lane of a kernel.
///
/// What is in a lane that nothing was put in is zero, modulus and all, and stays zero. All of it is
/// wiped when this is dropped.
pub(crate) struct Powers {
    lines: Box<[NumberLine]>,
    kernel: &'static BignumKernel,
    limbs: usize,
}

impl Powers {
    /// Makes room for every one of some kernels, for moduli of up to so many bits with secret
    /// exponents and with public ones.
    pub fn new(kernels: &[&'static BignumKernel], secret: usize, public: usize) -> Self {
        let words = |kernel: &BignumKernel, bits, entries: usize| {
            let limbs = kernel.radix.limbs(bits);
            let table = entries * kernel.radix.entry(limbs);
            HEAD + (NumberPlace::Table as usize * limbs + table) * kernel.lanes
        };
        let each = kernels
            .iter()
            .map(|kernel| words(kernel, secret, ENTRIES).max(words(kernel, public, 0)));
        let lines = each.max().expect("there is a kernel").div_ceil(LINE);
        Powers { lines: vec![NumberLine([0; LINE]); lines].into(), kernel: kernels[0], limbs: 0 }
    }

    /// Begins with empty lanes of a kernel, for moduli of so many bits.
    pub fn start(&mut self, kernel: &'static BignumKernel, bits: usize) {
        let limbs = kernel.radix.limbs(bits);
        assert!(kernel.lanes <= MAX_LANES, "{} lanes", kernel.lanes);
        (self.kernel, self.limbs) = (kernel, limbs);
        let used = self.first(NumberPlace::Table);
        self.words()[..used].fill(0);
    }

    /// Puts a number of the size begun with into a lane, with its modulus.
    pub fn put(&mut self, lane: usize, modulus: &Modulus, base: &Number) {
        let radix = self.kernel.radix;
        self.words()[INVERSES + lane] = modulus.inverse();
        self.split(NumberPlace::Modulus, lane, &modulus.multiple(radix));
        self.split(NumberPlace::Square, lane, modulus.square(radix));
        self.split(NumberPlace::Base, lane, base);
        self.number(NumberPlace::One)[lane] = 1;
    }

    /// Raises the base of each lane to an exponent of so many bits, in a time that depends on
    /// nothing else. `window` gives so many bits of a lane's exponent, from a given one on; those
    /// beyond the exponent are zero.
    pub fn raise(&mut self, bits: usize, window: impl Fn(usize, usize, usize) -> u64) {
        self.enter();
        self.keep(0, NumberPlace::Square);
        self.copy(NumberPlace::Power, NumberPlace::Base, |_| true);
        self.keep(1, NumberPlace::Power);
        for entry in 2..ENTRIES {
            self.multiply(NumberPlace::Power, NumberPlace::Power, NumberPlace::Base);
            self.keep(entry, NumberPlace::Power);
        }
        // The table is read for two windows at a time, the highest first. If their number is odd,
        // the highest of all is by itself.
        let windows = bits.div_ceil(WINDOW);
        let is_odd = windows % 2 == 1;
        let mut left = windows - (2 - usize::from(is_odd));
        let begin = if is_odd { [left, left] } else { [left + 1, left] };
        self.select([NumberPlace::Power, NumberPlace::Other], begin, &window);
        if !is_odd {
            self.append(NumberPlace::Other);
        }
        while left > 0 {
            left -= 2;
            let factors = [NumberPlace::Other, NumberPlace::Second];
            self.select(factors, [left + 1, left], &window);
            factors.into_iter().for_each(|factor| self.append(factor));
        }
        self.leave();
    }

    /// Takes the power on to the next window, whose factor is given.
    fn append(&mut self, factor: NumberPlace) {
        (0..WINDOW).for_each(|_| self.square(NumberPlace::Power, NumberPlace::Power));
        self.multiply(NumberPlace::Power, NumberPlace::Power, factor);
    }

    /// Raises the base of each lane to a public exponent that is not zero. Exponents of lanes that
    /// nothing was put in have no meaning.
    pub fn raise_public(&mut self, exponents: &[u64; MAX_LANES]) {
        self.enter();
        let exponents = &exponents[..self.kernel.lanes];
        let all = exponents.iter().fold(1, |all, exponent| all | exponent);
        let is_set = |bit: u32| move |lane: usize| exponents[lane] >> bit & 1 == 1;
        self.copy(NumberPlace::Power, NumberPlace::Square, |_| true);
        self.copy(NumberPlace::Power, NumberPlace::Base, is_set(all.ilog2()));
        for bit in (0..all.ilog2()).rev() {
            self.square(NumberPlace::Power, NumberPlace::Power);
            if (0..exponents.len()).any(is_set(bit)) {
                self.multiply(NumberPlace::Other, NumberPlace::Power, NumberPlace::Base);
                self.copy(NumberPlace::Power, NumberPlace::Other, is_set(bit));
            }
        }
        self.leave();
    }

    /// Returns the power in a lane, which is below the modulus.
    pub fn take(&mut self, lane: usize, modulus: &Modulus) -> Number {
        let (bits, lanes) = (self.kernel.radix.bits(), self.kernel.lanes);
        // It is at most the multiple of the modulus, which is a word longer.
        let mut number = Number::zero(modulus.value().words().len() + 1);
        let words = number.words_mut();
        let limbs = self.number(NumberPlace::Power).iter().skip(lane).step_by(lanes);
        for (i, limb) in limbs.enumerate() {
            let both = u128::from(*limb) << (bits * i % 64);
            let places = words.iter_mut().skip(bits * i / 64);
            places.zip([both as u64, (both >> 64) as u64]).for_each(|(word, part)| *word |= part);
        }
        modulus.divide_by_word(&number)
    }

    /// Puts what stands for 1 and for the base in their places.
    fn enter(&mut self) {
        self.multiply(NumberPlace::Base, NumberPlace::Base, NumberPlace::Square);
        self.multiply(NumberPlace::Square, NumberPlace::Square, NumberPlace::One);
    }

    /// Puts the product of the power itself and 2^64 in the place of what stands for the power.
    fn leave(&mut self) {
        let (bits, lanes) = (self.kernel.radix.bits(), self.kernel.lanes);
        let word = self.number(NumberPlace::One);
        word[..lanes].fill(0);
        word[64 / bits * lanes..][..lanes].fill(1 << (64 % bits));
        self.multiply(NumberPlace::Power, NumberPlace::Power, NumberPlace::One);
    }

    /// Returns all words.
    fn words(&mut self) -> &mut [u64] {
        let words = LINE * self.lines.len();
        // SAFETY: a line is LINE words and nothing else, so that the lines are this many words side
        // by side.
        unsafe { core::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), words) }
    }

    /// Returns where a number begins.
    fn first(&self, place: NumberPlace) -> usize {
        HEAD + place as usize * self.limbs * self.kernel.lanes
    }

    /// Returns a number of every lane.
    fn number(&mut self, place: NumberPlace) -> &mut [u64] {
        let (first, words) = (self.first(place), self.limbs * self.kernel.lanes);
        &mut self.words()[first..first + words]
    }

    /// Writes a number's limbs into a lane.
    fn split(&mut self, place: NumberPlace, lane: usize, number: &Number) {
        let (bits, lanes) = (self.kernel.radix.bits(), self.kernel.lanes);
        let limbs = self.number(place).iter_mut().skip(lane).step_by(lanes);
        limbs.enumerate().for_each(|(i, limb)| *limb = number.bits_at(bits * i, bits));
    }

    /// Copies a number in some lanes.
    fn copy(&mut self, to: NumberPlace, from: NumberPlace, is_copied: impl Fn(usize) -> bool) {
        let (to, from, lanes) = (self.first(to), self.first(from), self.kernel.lanes);
        let count = self.limbs * lanes;
        let words = self.words();
        (0..count).filter(|i| is_copied(i % lanes)).for_each(|i| words[to + i] = words[from + i]);
    }

    fn square(&mut self, out: NumberPlace, a: NumberPlace) {
        let (modulo, [out, a]) = (self.modulo(), [out, a].map(|place| self.pointer(place)));
        // SAFETY: the kernel is from the table of this CPU; all places are within the words.
        unsafe { (self.kernel.square)(out, a, &modulo) }
    }

    fn multiply(&mut self, out: NumberPlace, a: NumberPlace, b: NumberPlace) {
        let (modulo, [out, a, b]) = (self.modulo(), [out, a, b].map(|place| self.pointer(place)));
        // SAFETY: the kernel is from the table of this CPU; all places are within the words.
        unsafe { (self.kernel.multiply)(out, a, b, &modulo) }
    }

    /// Writes a number to an entry of the table.
    fn keep(&mut self, entry: usize, from: NumberPlace) {
        let words = self.kernel.lanes * self.kernel.radix.entry(self.limbs);
        let (from, first) = (self.pointer(from), self.first(NumberPlace::Table) + entry * words);
        let entry = self.words()[first..][..words].as_mut_ptr();
        // SAFETY: the kernel is from the table of this CPU; there is room for the entry.
        unsafe { (self.kernel.keep)(entry, from, self.limbs) }
    }

    /// Writes the entries of two windows of each lane's exponent.
    fn select(
        &mut self,
        outs: [NumberPlace; 2],
        windows: [usize; 2],
        window: &impl Fn(usize, usize, usize) -> u64,
    ) {
        let lanes = self.kernel.lanes;
        for (indices, at) in INDICES.into_iter().zip(windows) {
            for (lane, index) in self.words()[indices..].iter_mut().enumerate().take(lanes) {
                *index = window(lane, WINDOW * at, WINDOW);
            }
        }
        let table = self.first(NumberPlace::Table);
        let end = table + ENTRIES * lanes * self.kernel.radix.entry(self.limbs);
        assert!(end <= LINE * self.lines.len(), "there is room for the table");
        let outs = outs.map(|out| self.first(out));
        let words = self.words().as_mut_ptr();
        // SAFETY: the kernel is from the table of this CPU; the table, which is the last of all
        // places, is within the words, and the places of two numbers do not overlap.
        unsafe {
            let outs = outs.map(|out| words.add(out));
            let indices = INDICES.map(|indices| words.add(indices).cast_const());
            (self.kernel.select)(outs, words.add(table), indices, self.limbs);
        }
    }

    fn modulo(&mut self) -> Modulo {
        Modulo {
            limbs: self.limbs,
            modulus: self.pointer(NumberPlace::Modulus),
            inverse: self.words()[INVERSES..].as_ptr(),
            quotients: self.pointer(NumberPlace::Quotients),
        }
    }

    /// Returns where a number is, which is within the words.
    fn pointer(&mut self, place: NumberPlace) -> *mut u64 {
        let last = self.first(place) + self.limbs * self.kernel.lanes;
        assert!(last <= LINE * self.lines.len(), "there is room for the number");
        // SAFETY: the number begins within the words.
        unsafe { self.lines.as_mut_ptr().cast::<u64>().add(self.first(place)) }
    }
}

impl Drop for Powers {
    fn drop(&mut self) {
        self.words().zeroize();
    }
}
