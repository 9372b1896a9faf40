//! The place of a tag in the data, and whether two tags are the same.

use broadloom_lanes::Buffers;
use subtle::ConstantTimeEq;

use super::Operation;
use crate::data::Text;

impl Operation<'_> {
    /// Takes the tag to check from where it is in the data.
    pub(super) fn read_tag(&mut self) {
        let len = self.session().tag_len();
        if let Some(at) = self.tag.at {
            let chain = self.session().rules().chain;
            let range = at..at + len;
            match (self.data.text(), chain) {
                (Text::Write(Buffers::Apart(_, destination)), true) => {
                    self.tag.bytes[..len].copy_from_slice(&destination[range]);
                }
                (text, _) => self.tag.bytes[..len].copy_from_slice(&text.into_input()[range]),
            }
        }
    }

    /// Puts the tag that was made where it goes in the data.
    pub(super) fn write_tag(&mut self) {
        let len = self.session().tag_len();
        if let Some(at) = self.tag.at
            && let Some(bytes) = self.data.text().into_output()
        {
            bytes[at..at + len].copy_from_slice(&self.tag.bytes[..len]);
        }
    }
}

/// Compares tags of one length in constant time: by words, each of which costs what a byte would.
#[inline]
pub(crate) fn are_same(a: &[u8], b: &[u8]) -> bool {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks(), b.as_chunks());
    let words = a.iter().zip(b).map(|(a, b)| u64::from_ne_bytes(*a) ^ u64::from_ne_bytes(*b));
    let rest = a_rest.iter().zip(b_rest).map(|(a, b)| u64::from(a ^ b));
    let difference = words.chain(rest).fold(0, |all, difference| all | difference);
    broadloom_lanes::public(difference.ct_eq(&0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::MAX_TAG;

    #[test]
    fn tags_are_the_same_if_every_byte_is() {
        let tag: Vec<u8> = (0..MAX_TAG as u8).map(|byte| byte.wrapping_mul(37)).collect();
        for len in 0..=MAX_TAG {
            assert!(are_same(&tag[..len], &tag[..len]));
            for at in 0..len {
                let mut other = tag[..len].to_vec();
                other[at] ^= 1 << (at % 8);
                assert!(!are_same(&tag[..len], &other), "byte {at} of {len}");
            }
        }
    }
}
