//! Messages that a provider takes as a whole.

use crate::wipe::wipe;

/// A message of which everything is kept. It is wiped when it is dropped.
#[derive(Default)]
pub(super) struct Kept(Vec<u8>);

impl Kept {
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Adds a piece. Memory that is outgrown is wiped.
    pub fn add(&mut self, piece: &[u8]) {
        let len = self.0.len() + piece.len();
        if len > self.0.capacity() {
            let mut larger = Kept(Vec::with_capacity(len.max(2 * self.0.capacity())));
            larger.0.extend_from_slice(&self.0);
            *self = larger;
        }
        self.0.extend_from_slice(piece);
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        wipe(&mut self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_grows_and_stays() {
        let mut kept = Kept::default();
        let all: Vec<u8> = (0..=255).cycle().take(3000).collect();
        all.chunks(7).for_each(|piece| kept.add(piece));
        assert_eq!(kept.bytes(), all);
    }
}
