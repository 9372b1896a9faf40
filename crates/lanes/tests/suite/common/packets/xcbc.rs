//! XCBC, whose keys have 16 bytes: longer ones are cut.

use aes::Aes128;
use aes::cipher::{BlockCipherEncrypt, KeyInit};
use broadloom_lanes::{CmacLanes, Cpu, Loan, Planner, XcbcKey};

use super::{Message, Mode, Text, View};

/// XCBC.
pub struct Xcbc;

impl Mode for Xcbc {
    const NAME: &'static str = "aes-xcbc";
    const NONCES: &'static [usize] = &[0];
    const TAG: usize = 16;
    type Key = XcbcKey;

    fn key(bytes: &[u8]) -> XcbcKey {
        XcbcKey::new(bytes.first_chunk().expect("16 bytes"))
    }

    fn process(cpu: &Cpu, keys: &[XcbcKey], views: Vec<View<'_>>) {
        let all = views.into_iter().zip(keys);
        Planner::<CmacLanes>::new(cpu).process_each(all.map(|(View { text, tag, .. }, key)| {
            match text {
                Text::InPlace(data) => Loan::xcbc(key, data, tag),
                Text::Apart(from, to) => {
                    to.copy_from_slice(from);
                    Loan::xcbc(key, from, tag)
                }
            }
        }));
    }

    /// RFC 3566, section 4.
    fn expected(Message { key, plain, .. }: &Message) -> (Vec<u8>, Vec<u8>) {
        let cipher = |key: &[u8], block: [u8; 16]| -> [u8; 16] {
            let mut block = aes::Block::from(block);
            Aes128::new_from_slice(key).expect("16 bytes").encrypt_block(&mut block);
            block.into()
        };
        let [first, whole, padded] = [1, 2, 3].map(|byte| cipher(&key[..16], [byte; 16]));
        let mut text = plain.clone();
        let last = if !text.is_empty() && text.len() % 16 == 0 { whole } else { padded };
        if last == padded {
            text.push(0x80);
            text.resize(text.len().next_multiple_of(16), 0);
        }
        let end = text.len() - 16;
        text[end..].iter_mut().zip(last).for_each(|(byte, key)| *byte ^= key);
        let tag = text.chunks_exact(16).fold([0; 16], |state: [u8; 16], block| {
            cipher(&first, std::array::from_fn(|i| state[i] ^ block[i]))
        });
        (plain.clone(), tag.to_vec())
    }
}
