//! Broadloom's own lanes as a provider.
//!
//! Hashes, HMACs, AES in CBC, CTR, CFB, ECB, XTS, GCM and CCM mode, GMAC, CMAC and XCBC-MAC, many buffers
//! side by side, on the kernels of [`broadloom_lanes`]. What it needs of the machine it finds out at run time,
//! so it is always there.

mod ciphers;
mod class;
mod queue;
mod session;

use broadloom_engine::{
    AeadAlgorithm, Algorithm, AnyQueue, CipherAlgorithm, MacAlgorithm, Provider, ProviderError,
    ProviderSession, Transform,
};
use broadloom_lanes::Cpu;

use queue::NativeQueue;

/// The provider `native`.
#[derive(Debug)]
pub struct Native {
    cpu: Cpu,
}

impl Native {
    /// The provider's name.
    pub const NAME: &str = "native";

    /// The provider with the kernels for a CPU: [`Cpu::detect`], or one held to less.
    pub fn new(cpu: Cpu) -> Self {
        Native { cpu }
    }
}

impl Provider for Native {
    fn name(&self) -> &str {
        Native::NAME
    }

    fn description(&self) -> String {
        format!("Broadloom {}, {} lanes", env!("CARGO_PKG_VERSION"), self.cpu.isa())
    }

    fn supports(&self, algorithm: Algorithm) -> bool {
        match algorithm {
            Algorithm::Hash(_) => true,
            Algorithm::Mac(
                MacAlgorithm::Hmac(_)
                | MacAlgorithm::AesGmac(_)
                | MacAlgorithm::AesCmac(_)
                | MacAlgorithm::AesXcbc,
            ) => true,
            Algorithm::Aead(AeadAlgorithm::AesGcm(_) | AeadAlgorithm::AesCcm(_)) => true,
            Algorithm::Cipher(
                CipherAlgorithm::AesCbc(_)
                | CipherAlgorithm::AesCtr(_)
                | CipherAlgorithm::AesCtr32(_)
                | CipherAlgorithm::AesCfb(_)
                | CipherAlgorithm::AesEcb(_)
                | CipherAlgorithm::AesXts(_),
            ) => true,
            Algorithm::Chain(cipher, mac, _) => {
                self.supports(Algorithm::Cipher(cipher)) && self.supports(Algorithm::Mac(mac))
            }
            _ => false,
        }
    }

    fn open_session(&self, transform: &Transform) -> Result<Box<dyn ProviderSession>, ProviderError> {
        session::open(transform, &self.cpu)
    }

    fn open_queue(&self) -> Result<AnyQueue, ProviderError> {
        Ok(AnyQueue::local(NativeQueue::new(&self.cpu)))
    }
}
