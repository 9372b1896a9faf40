//! CCM, with nonces and tags of every length.

use aes::cipher::KeyInit;
use aes::cipher::typenum::{U4, U6, U7, U8, U9, U10, U11, U12, U13, U14, U16};
use broadloom_lanes::{AesKey, CcmLanes, Cpu, Loan, Planner};
use ccm::aead::AeadInOut;

use super::{Message, Mode, View, of_aes};

/// Bytes of the tag for a nonce: each length goes with another.
pub fn ccm_tag_len(nonce: &[u8]) -> usize {
    2 * nonce.len() - 10
}

macro_rules! ccm {
    ($($(#[$doc:meta])* $mode:ident, $undoes:literal, $way:ident;)*) => { $(
        $(#[$doc])*
        pub struct $mode;

        impl Mode for $mode {
            const NAME: &'static str = concat!("aes-ccm ", stringify!($way));
            const NONCES: &'static [usize] = &[13, 12, 7, 8, 13, 9, 10, 12, 11, 13, 12];
            const ASSOCIATED: bool = true;
            const TAG: usize = 16;
            const UNDOES: bool = $undoes;
            type Key = AesKey;

            fn key(bytes: &[u8]) -> AesKey {
                AesKey::new(bytes).expect("a good length")
            }

            fn process(cpu: &Cpu, keys: &[AesKey], views: Vec<View<'_>>) {
                Planner::<CcmLanes>::new(cpu).process_each(views.into_iter().zip(keys).map(
                    |(View { nonce, associated, text, tag }, key)| {
                        let tag = &mut tag[..ccm_tag_len(nonce)];
                        let loan = Loan::<CcmLanes>::$way(key, nonce, associated, text, tag);
                        loan.expect("good lengths")
                    },
                ));
            }

            /// The tag with zeros behind it, where nothing is written.
            fn expected(message: &Message) -> (Vec<u8>, Vec<u8>) {
                let (text, mut tag) = sealed(message);
                tag.resize(16, 0);
                (text, tag)
            }
        }
    )* };
}

ccm! {
    /// CCM, sealing.
    CcmSeal, false, seal;
    /// CCM, opening.
    CcmOpen, true, open;
}

fn sealed(message: &Message) -> (Vec<u8>, Vec<u8>) {
    fn of<C: KeyInit + AeadInOut>(message: &Message) -> (Vec<u8>, Vec<u8>) {
        let Message { key, nonce, associated, plain } = message;
        let mut text = plain.clone();
        let cipher = C::new_from_slice(key).expect("a good length");
        let nonce = nonce.as_slice().try_into().expect("a good length");
        let tag = cipher.encrypt_inout_detached(nonce, associated, text.as_mut_slice().into());
        (text, tag.expect("a good length").to_vec())
    }
    of_aes!(message.key, Aes => match message.nonce.len() {
        7 => of::<ccm::Ccm<Aes, U4, U7>>(message),
        8 => of::<ccm::Ccm<Aes, U6, U8>>(message),
        9 => of::<ccm::Ccm<Aes, U8, U9>>(message),
        10 => of::<ccm::Ccm<Aes, U10, U10>>(message),
        11 => of::<ccm::Ccm<Aes, U12, U11>>(message),
        12 => of::<ccm::Ccm<Aes, U14, U12>>(message),
        _ => of::<ccm::Ccm<Aes, U16, U13>>(message),
    })
}
