//! AES in the modes that only encrypt.

use broadloom_engine::{Direction, ProviderError, Transform};
use broadloom_lanes::{
    AesKey, CbcLanes, CfbLanes, Cpu, CtrLanes, EcbLanes, Loan, OfbLanes, XtsKey, XtsLanes,
};

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

pub(crate) fn open_cbc(transform: &Transform, cpu: &Cpu) -> Opened {
    let encrypts = encrypts(transform);
    Cbc { key: key(transform, cpu)?, encrypts }.session(laned_one_way(encrypts, cpu, "aes-cbc"))
}

pub(crate) fn open_ctr(transform: &Transform, cpu: &Cpu) -> Opened {
    Ctr(key(transform, cpu)?).session(pipelined(cpu, "aes-ctr"))
}

pub(crate) fn open_cfb(transform: &Transform, cpu: &Cpu) -> Opened {
    let encrypts = encrypts(transform);
    Cfb { key: key(transform, cpu)?, encrypts }.session(laned_one_way(encrypts, cpu, "aes-cfb"))
}

pub(crate) fn open_ofb(transform: &Transform, cpu: &Cpu) -> Opened {
    Ofb(key(transform, cpu)?).session(laned(cpu, "aes-ofb"))
}

pub(crate) fn open_ecb(transform: &Transform, cpu: &Cpu) -> Opened {
    let kernel = pipelined(cpu, "aes-ecb");
    Ecb { key: key(transform, cpu)?, encrypts: encrypts(transform) }.session(kernel)
}

pub(crate) fn open_xts(transform: &Transform, cpu: &Cpu) -> Opened {
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
    const CLASS: u8 = super::CBC;
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
    const CLASS: u8 = super::CTR;
    const TAG_LEN: usize = 0;
    type Lanes = CtrLanes;

    #[inline(always)]
    fn lend<'v>(&'v self, parts: Parts<'v, Self>) -> Loan<'v, CtrLanes> {
        Loan::ctr(&self.0, nonce(parts.nonce), buffers(parts.text))
    }
}

impl Kind for Cfb {
    const CLASS: u8 = super::CFB;
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
    const CLASS: u8 = super::OFB;
    const TAG_LEN: usize = 0;
    type Lanes = OfbLanes;

    #[inline(always)]
    fn lend<'v>(&'v self, parts: Parts<'v, Self>) -> Loan<'v, OfbLanes> {
        Loan::ofb(&self.0, nonce(parts.nonce), buffers(parts.text))
    }
}

impl Kind for Ecb {
    const CLASS: u8 = super::ECB;
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
    const CLASS: u8 = super::XTS;
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
