//! DES and triple DES.

use broadloom_engine::provider::Text;
use broadloom_engine::{Algorithm, CipherAlgorithm, Direction, Transform};
use broadloom_lanes::{Cpu, DesKey, DesLanes, Loan};

use super::WRITABLE;
use crate::kind::{Kind, Message, Opened, laned, refused};

/// DES or triple DES, as the key is, in any mode.
pub(crate) struct Des {
    key: DesKey,
    mode: Mode,
    encrypts: bool,
}

enum Mode {
    Cbc,
    Ecb,
    Counter,
}

/// Whether weak keys are welcome, the transform has asked.
pub(crate) fn open(transform: &Transform, cpu: &Cpu) -> Opened {
    let mode = match transform.algorithm() {
        Algorithm::Cipher(CipherAlgorithm::TripleDesCbc | CipherAlgorithm::DesCbc) => Mode::Cbc,
        Algorithm::Cipher(CipherAlgorithm::TripleDesEcb | CipherAlgorithm::DesEcb) => Mode::Ecb,
        _ => Mode::Counter,
    };
    let key = DesKey::allowing_weak(transform.key()).map_err(refused)?;
    let encrypts = transform.direction() == Direction::Encrypt;
    Des { key, mode, encrypts }.session(laned(cpu, "des"))
}

impl Kind for Des {
    const TAG_LEN: usize = 0;
    type Lanes = DesLanes;

    #[inline(always)]
    fn lend<'v>(&'v self, message: Message<'v>) -> Loan<'v, DesLanes> {
        let Des { key, mode, encrypts } = self;
        let Message { text, nonce, .. } = message;
        let iv = || nonce.try_into().expect("the engine checks the length of nonces");
        let loan = match (mode, encrypts, text) {
            (Mode::Cbc, true, Text::InPlace(bytes)) => Loan::des_cbc_encrypt(key, iv(), bytes),
            (Mode::Cbc, false, Text::InPlace(bytes)) => Loan::des_cbc_decrypt(key, iv(), bytes),
            (Mode::Ecb, true, Text::InPlace(bytes)) => Loan::des_ecb_encrypt(key, bytes),
            (Mode::Ecb, false, Text::InPlace(bytes)) => Loan::des_ecb_decrypt(key, bytes),
            (Mode::Counter, _, Text::InPlace(bytes)) => Ok(Loan::des_ctr(key, iv(), bytes)),
            (Mode::Cbc, true, Text::Apart(source, bytes)) => {
                Loan::des_cbc_encrypt_to(key, iv(), source, bytes)
            }
            (Mode::Cbc, false, Text::Apart(source, bytes)) => {
                Loan::des_cbc_decrypt_to(key, iv(), source, bytes)
            }
            (Mode::Ecb, true, Text::Apart(source, bytes)) => {
                Loan::des_ecb_encrypt_to(key, source, bytes)
            }
            (Mode::Ecb, false, Text::Apart(source, bytes)) => {
                Loan::des_ecb_decrypt_to(key, source, bytes)
            }
            (Mode::Counter, _, Text::Apart(source, bytes)) => {
                Ok(Loan::des_ctr_to(key, iv(), source, bytes))
            }
            (_, _, Text::Read(_)) => unreachable!("{WRITABLE}"),
        };
        loan.expect("the engine asks for whole blocks")
    }
}
