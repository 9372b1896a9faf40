//! A text for measurements. It compresses about as well as prose, and is the same everywhere.

/// Bytes of the sample.
pub(super) const LEN: usize = 64 << 10;

/// Different words.
const WORDS: usize = 4096;

/// The sample.
pub(super) fn sample() -> Vec<u8> {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let words: Vec<Vec<u8>> = (0..WORDS).map(|_| random.word()).collect();
    let mut text = Vec::with_capacity(LEN + 16);
    while text.len() < LEN {
        // As in prose, a few words are most of the text.
        let rank = random.below(WORDS).min(random.below(WORDS)).min(random.below(WORDS));
        text.extend_from_slice(&words[rank * rank / WORDS]);
        text.extend_from_slice(match random.below(16) {
            0 => b", ",
            1 => b".\n",
            _ => b" ",
        });
    }
    text.truncate(LEN);
    text
}

/// Marsaglia's xorshift: not for secrets.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 32) as usize) % bound
    }

    fn word(&mut self) -> Vec<u8> {
        const LETTERS: &[u8] = b"eeeeeetttttaaaaooooiiiinnnnsssshhhrrrdddlllcuumwfgypbvkxqjz";
        let len = 1 + self.below(5) + self.below(5);
        (0..len).map(|_| LETTERS[self.below(LETTERS.len())]).collect()
    }
}
