//! DES and triple DES.

use broadloom_engine::{Algorithm, CipherAlgorithm, Direction, Transform};
use broadloom_lanes::{Cpu, DesKey, DesLanes, Loan};

use crate::kind::{self, Kind, Opened, Parts, buffers, laned, refused};

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
    Des { key, mode, encrypts }.session(laned(DesLanes::kernel_info(cpu)))
}

impl Kind for Des {
    const TAG_LEN: usize = 0;
    type Lanes = DesLanes;

    #[inline(always)]
    fn lend<'v>(&'v self, parts: Parts<'v, Self>) -> Loan<'v, DesLanes> {
        let Des { key, mode, encrypts } = self;
        let Parts { text, nonce, .. } = parts;
        let iv = || kind::nonce(nonce);
        let text = buffers(text);
        let loan = match (mode, encrypts) {
            (Mode::Cbc, true) => Loan::des_cbc_encrypt(key, iv(), text),
            (Mode::Cbc, false) => Loan::des_cbc_decrypt(key, iv(), text),
            (Mode::Ecb, true) => Loan::des_ecb_encrypt(key, text),
            (Mode::Ecb, false) => Loan::des_ecb_decrypt(key, text),
            (Mode::Counter, _) => Ok(Loan::des_ctr(key, iv(), text)),
        };
        loan.expect("the engine asks for whole blocks")
    }
}
