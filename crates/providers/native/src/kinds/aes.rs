//! AES: which mode is of which kind; and the modes that only encrypt.

use broadloom_engine::provider::ProviderError;
use broadloom_engine::{
    AeadAlgorithm, Algorithm, CipherAlgorithm, Direction, MacAlgorithm, Transform,
};
use broadloom_lanes::{
    AesKey, BlockCipher, CbcLanes, CfbLanes, Cpu, CtrLanes, EcbLanes, KernelInfo, Loan, OfbLanes,
    XtsKey, XtsLanes,
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
    /// What works on single blocks.
    cipher: BlockCipher,
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
    let kernel = laned_one_way(encrypts, CbcLanes::kernel_info(cpu));
    Cbc { key: key(transform, cpu)?, encrypts }.session(kernel)
}

fn open_ctr(transform: &Transform, cpu: &Cpu) -> Opened {
    Ctr(key(transform, cpu)?).session(pipelined(CtrLanes::kernel_info(cpu)))
}

fn open_cfb(transform: &Transform, cpu: &Cpu) -> Opened {
    let encrypts = encrypts(transform);
    let kernel = laned_one_way(encrypts, CfbLanes::kernel_info(cpu));
    Cfb { key: key(transform, cpu)?, encrypts }.session(kernel)
}

fn open_ofb(transform: &Transform, cpu: &Cpu) -> Opened {
    Ofb(key(transform, cpu)?).session(laned(OfbLanes::kernel_info(cpu)))
}

fn open_ecb(transform: &Transform, cpu: &Cpu) -> Opened {
    let kernel = pipelined(EcbLanes::kernel_info(cpu));
    let (key, cipher) = (key(transform, cpu)?, BlockCipher::new(cpu));
    Ecb { key, encrypts: encrypts(transform), cipher }.session(kernel)
}

fn open_xts(transform: &Transform, cpu: &Cpu) -> Opened {
    let key = XtsKey::with_cpu(transform.key(), cpu).map_err(refused)?;
    let kernel = pipelined(XtsLanes::kernel_info(cpu));
    Xts { key, encrypts: encrypts(transform) }.session(kernel)
}

fn key(transform: &Transform, cpu: &Cpu) -> Result<AesKey, ProviderError> {
    AesKey::with_cpu(transform.key(), cpu).map_err(refused)
}

fn encrypts(transform: &Transform) -> bool {
    transform.direction() == Direction::Encrypt
}

/// Returns the name of a kernel that has a lane for each buffer that is encrypted, and works on the
/// blocks of one buffer side by side to decrypt.
fn laned_one_way(encrypts: bool, info: KernelInfo) -> String {
    if encrypts { laned(info) } else { pipelined(info) }
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
        let Ecb { key, encrypts, .. } = self;
        let buffers = buffers(parts.text);
        let loan = match encrypts {
            true => Loan::ecb_encrypt(key, buffers),
            false => Loan::ecb_decrypt(key, buffers),
        };
        loan.expect("the engine asks for whole blocks")
    }

    #[inline(always)]
    fn encrypt_block(&self, block: &mut [u8; 16]) -> bool {
        if self.encrypts {
            self.cipher.encrypt(&self.key, block);
        }
        self.encrypts
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
