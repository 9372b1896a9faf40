//! Broadloom's own lanes as a provider.
//!
//! Hashes and HMACs; AES in CBC, CTR, CFB, OFB, ECB, XTS, GCM and CCM mode, GMAC, CMAC and
//! XCBC-MAC; ChaCha20, ChaCha20-Poly1305 and XChaCha20-Poly1305; DES and triple DES; KASUMI; and
//! with the option `legacy=yes` RC4; RSA, ECDSA and ECDH on P-256, P-384, P-521, secp256k1, K-283
//! and B-283, X25519, Ed25519, SLH-DSA, ML-DSA, ML-KEM and its hybrids: many buffers side by side,
//! on the kernels of [`broadloom_lanes`]. The provider chooses kernels at run time and works on
//! every machine.

#![forbid(unsafe_code)]

mod curves;
mod drawn;
mod ec;
mod factory;
mod hybrid;
mod kind;
mod kinds;
mod ml_dsa;
mod ml_kem;
mod names;
mod queue;
mod rsa;
mod slh_dsa;

use broadloom_engine::provider::{AnyQueue, Provider, ProviderError, ProviderSession};
use broadloom_engine::{Algorithm, Family, Transform};
use broadloom_lanes::Cpu;

pub use factory::factory;
use kinds::Opener;
use queue::NativeQueue;
pub use slh_dsa::{RandomError, generate_slh_dsa, generate_slh_dsa_from_seeds};

/// The provider `native`.
#[derive(Debug)]
pub struct Native {
    cpu: Cpu,
    /// `true` if RC4 is offered, which is broken.
    legacy: bool,
}

impl Native {
    /// The provider's name.
    pub const NAME: &str = "native";

    /// The provider with the kernels for a CPU: [`Cpu::detect`], or one held to less.
    pub fn new(cpu: Cpu) -> Self {
        Native { cpu, legacy: false }
    }

    /// Returns the same provider with RC4, which is broken (RFC 7465): for what cannot be changed.
    pub fn with_legacy(self) -> Self {
        Native { legacy: true, ..self }
    }

    /// Returns what opens the sessions of an algorithm that this provider offers.
    fn opener(&self, algorithm: Algorithm) -> Option<Opener> {
        let offered = self.legacy || algorithm.family() != Family::Rc4;
        kinds::opener(algorithm).filter(|_| offered)
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
            Algorithm::Chain(cipher, mac, _) => {
                self.supports(Algorithm::Cipher(cipher)) && self.supports(Algorithm::Mac(mac))
            }
            _ => self.opener(algorithm).is_some(),
        }
    }

    fn chains_whole(&self, chain: Algorithm) -> bool {
        self.opener(chain).is_some()
    }

    fn open_session(
        &self,
        transform: &Transform,
    ) -> Result<Box<dyn ProviderSession>, ProviderError> {
        let algorithm = transform.algorithm();
        match self.opener(algorithm) {
            Some(open) => open(transform, &self.cpu),
            None if algorithm.family() == Family::Rc4 => Err(ProviderError::new(format!(
                "native offers {algorithm}, which is broken, only with the option legacy=yes"
            ))),
            None => Err(ProviderError::new(format!("native has no kernel for {algorithm}"))),
        }
    }

    fn open_queue(&self) -> Result<AnyQueue, ProviderError> {
        Ok(AnyQueue::local(NativeQueue::new(&self.cpu)))
    }
}
