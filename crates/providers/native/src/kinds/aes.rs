//! AES: which mode is of which kind; and the modes that only encrypt.

use broadloom_engine::provider::ProviderError;
use broadloom_engine::{
    AeadAlgorithm, Algorithm, CipherAlgorithm, Direction, MacAlgorithm, Transform,
};
use broadloom_lanes::{
    AesKey, CbcLanes, CfbLanes, Cpu, CtrLanes, EcbLanes, Loan, OfbLanes, XtsKey, XtsLanes,
};

use super::{Opener, cbc_mac, ccm, gcm};
use crate::kind::{Kind, Opened, Parts, buffers, laned, nonce, pipelined, refused};

/// AES in CBC mode.
pub(crate) struct Cbc {
    key: AesKey,
    encrypts: bool,
}

/// AES in counter mode, whatever the direction and the number of bits that count.
pub(crate) struct Ctr(AesKey);

/// AES in CFB mode.
pub(crate) struct Cfb {
    key: AesKey,
    encrypts: bool,
}

/// AES in OFB mode, whatever the direction.
pub(crate) struct Ofb(AesKey);

/// AES in ECB mode.
pub(crate) struct Ecb {
    key: AesKey,
    encrypts: bool,
}

/// XTS-AES.
pub(crate) struct Xts {
    key: XtsKey,
    encrypts: bool,
}

pub(super) fn opener(algorithm: Algorithm) -> Option<Opener> {
    Some(match algorithm {
        Algorithm::Cipher(CipherAlgorithm::AesCbc(_)) => open_cbc,
        Algorithm::Cipher(CipherAlgorithm::AesCtr(_) | CipherAlgorithm::AesCtr32(_)) => open_ctr,
        Algorithm::Cipher(CipherAlgorithm::AesCfb(_)) => open_cfb,
        Algorithm::Cipher(CipherAlgorithm::AesOfb(_)) => open_ofb,
        Algorithm::Cipher(CipherAlgorithm::AesEcb(_)) => open_ecb,
        Algorithm::Cipher(CipherAlgorithm::AesXts(_)) => open_xts,
        Algorithm::Aead(AeadAlgorithm::AesGcm(_)) | Algorithm::Mac(MacAlgorithm::AesGmac(_)) => {
            gcm::open
        }
        Algorithm::Aead(AeadAlgorithm::AesCcm(_)) => ccm::open,
        Algorithm::Mac(MacAlgorithm::AesCmac(_)) => cbc_mac::open_cmac,
        Algorithm::Mac(MacAlgorithm::AesXcbc) => cbc_mac::open_xcbc,
        _ => return None,
    })
}

fn open_cbc(transform: &Transform, cpu: &Cpu) -> Opened {
    let encrypts = encrypts(transform);
    Cbc { key: key(transform, cpu)?, encrypts }.session(laned_one_way(encrypts, cpu, "aes-cbc"))
}

fn open_ctr(transform: &Transform, cpu: &Cpu) -> Opened {
    Ctr(key(transform, cpu)?).session(pipelined(cpu, "aes-ctr"))
}

fn open_cfb(transform: &Transform, cpu: &Cpu) -> Opened {
    let encrypts = encrypts(transform);
    Cfb { key: key(transform, cpu)?, encrypts }.session(laned_one_way(encrypts, cpu, "aes-cfb"))
}

fn open_ofb(transform: &Transform, cpu: &Cpu) -> Opened {
    Ofb(key(transform, cpu)?).session(laned(cpu, "aes-ofb"))
}

fn open_ecb(transform: &Transform, cpu: &Cpu) -> Opened {
    let kernel = pipelined(cpu, "aes-ecb");
    Ecb { key: key(transform, cpu)?, encrypts: encrypts(transform) }.session(kernel)
}

fn open_xts(transform: &Transform, cpu: &Cpu) -> Opened {
    let key = XtsKey::with_cpu(transform.key(), cpu).map_err(refused)?;
    Xts { key, encrypts: encrypts(transform) }.session(pipelined(cpu, "aes-xts"))
}

fn key(transform: &Transform, cpu: &Cpu) -> Result<AesKey, ProviderError> {
    AesKey::with_cpu(transform.key(), cpu).map_err(refused)
}

fn encrypts(transform: &Transform) -> bool {
    transform.direction() == Direction::Encrypt
}

/// What a kernel is called that has lanes for buffers that are encrypted.
fn laned_one_way(encrypts: bool, cpu: &Cpu, algorithm: &str) -> String {
    if encrypts { laned(cpu, algorithm) } else { pipelined(cpu, algorithm) }
}

impl Kind for Cbc {
    const TAG_LEN: usize = 0;
    type Lanes = CbcLanes;

    #[inline(always)]
    fn lend<'v>(&'v self, parts: Parts<'v, Self>) -> Loan<'v, CbcLanes> {
        let (Cbc { key, encrypts }, iv) = (self, nonce(parts.nonce));
        let buffers = buffers(parts.text);
        if *encrypts { Loan::encrypt(key, iv, buffers) } else { Loan::decrypt(key, iv, buffers) }
    }
}

impl Kind for Ctr {
    const TAG_LEN: usize = 0;
    type Lanes = CtrLanes;

    #[inline(always)]
    fn lend<'v>(&'v self, parts: Parts<'v, Self>) -> Loan<'v, CtrLanes> {
        Loan::ctr(&self.0, nonce(parts.nonce), buffers(parts.text))
    }
}

impl Kind for Cfb {
    const TAG_LEN: usize = 0;
    type Lanes = CfbLanes;

    #[inline(always)]
    fn lend<'v>(&'v self, parts: Parts<'v, Self>) -> Loan<'v, CfbLanes> {
        let (Cfb { key, encrypts }, iv) = (self, nonce(parts.nonce));
        let buffers = buffers(parts.text);
        match encrypts {
            true => Loan::cfb_encrypt(key, iv, buffers),
            false => Loan::cfb_decrypt(key, iv, buffers),
        }
    }
}

impl Kind for Ofb {
    const TAG_LEN: usize = 0;
    type Lanes = OfbLanes;

    #[inline(always)]
    fn lend<'v>(&'v self, parts: Parts<'v, Self>) -> Loan<'v, OfbLanes> {
        Loan::ofb(&self.0, nonce(parts.nonce), buffers(parts.text))
    }
}

impl Kind for Ecb {
    const TAG_LEN: usize = 0;
    type Lanes = EcbLanes;

    #[inline(always)]
    fn lend<'v>(&'v self, parts: Parts<'v, Self>) -> Loan<'v, EcbLanes> {
        let Ecb { key, encrypts } = self;
        let buffers = buffers(parts.text);
        let loan = match encrypts {
            true => Loan::ecb_encrypt(key, buffers),
            false => Loan::ecb_decrypt(key, buffers),
        };
        loan.expect("the engine asks for whole blocks")
    }
}

impl Kind for Xts {
    const TAG_LEN: usize = 0;
    type Lanes = XtsLanes;

    #[inline(always)]
    fn lend<'v>(&'v self, parts: Parts<'v, Self>) -> Loan<'v, XtsLanes> {
        let (Xts { key, encrypts }, tweak) = (self, nonce(parts.nonce));
        let buffers = buffers(parts.text);
        let loan = match encrypts {
            true => Loan::xts_encrypt(key, tweak, buffers),
            false => Loan::xts_decrypt(key, tweak, buffers),
        };
        loan.expect("the engine checks the lengths of data units")
    }
}
