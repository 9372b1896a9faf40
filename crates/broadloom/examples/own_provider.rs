//! A provider of one's own: SHA-256 by the crate `sha2`, added to the registry beside the providers
//! that Broadloom brings.
//!
//! ```sh
//! cargo run --release -p broadloom --example own_provider
//! ```

use std::error::Error;
use std::sync::Arc;

use broadloom::provider::{
    AnyQueue, Factory, FactoryError, Operation, Provider, ProviderError, ProviderSession, Queue,
};
use broadloom::{Algorithm, HashAlgorithm, Job, JobError, Processor, Registry, Transform};
use sha2::{Digest, Sha256};

/// What this provider can do.
const ALGORITHM: Algorithm = Algorithm::Hash(HashAlgorithm::Sha256);

/// Returns what a registry opens the provider with. A crate that offers a provider exports this
/// function.
pub fn factory() -> Factory {
    Factory::new("rustcrypto", "SHA-256 by the crate sha2", |options, _registry| {
        match options.first() {
            None => Ok(Arc::new(RustCrypto)),
            Some((name, value)) => Err(FactoryError::Option(format!(
                "rustcrypto takes no {name}={value}: it takes no options"
            ))),
        }
    })
}

/// The provider.
struct RustCrypto;

/// Its part of a session: SHA-256 has no key to expand.
struct RustCryptoSession;

/// What one thread needs to work: nothing.
struct RustCryptoQueue;

impl Provider for RustCrypto {
    fn name(&self) -> &str {
        "rustcrypto"
    }

    fn description(&self) -> String {
        "the crate sha2".to_owned()
    }

    fn supports(&self, algorithm: Algorithm) -> bool {
        algorithm == ALGORITHM
    }

    fn open_session(
        &self,
        transform: &Transform,
    ) -> Result<Box<dyn ProviderSession>, ProviderError> {
        match transform.algorithm() {
            ALGORITHM => Ok(Box::new(RustCryptoSession)),
            other => {
                Err(ProviderError::new(format!("rustcrypto has no {other}, only {ALGORITHM}")))
            }
        }
    }

    fn open_queue(&self) -> Result<AnyQueue, ProviderError> {
        Ok(AnyQueue::local(RustCryptoQueue))
    }
}

impl ProviderSession for RustCryptoSession {
    fn kernel(&self) -> String {
        "sha2".to_owned()
    }
}

impl Queue for RustCryptoQueue {
    /// Operations gain nothing from waiting for others.
    fn batch(&mut self, _class: u8) -> usize {
        1
    }

    fn run(&mut self, operations: &mut [&mut Operation<'_>]) {
        for operation in operations {
            match operation.parts::<RustCryptoSession>() {
                Some(parts) => {
                    let digest = Sha256::digest(parts.text.input());
                    parts.tag[..digest.len()].copy_from_slice(&digest);
                    operation.complete(Ok(()));
                }
                None => operation.complete(Err(JobError::NotDone)),
            }
        }
    }
}

/// Digests of messages, computed by the provider of that name.
fn digests(
    registry: &Registry,
    provider: &str,
    messages: &[&[u8]],
) -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
    let session = registry.open_at(provider, &Transform::hash(HashAlgorithm::Sha256))?;
    let mut jobs: Vec<_> = messages.iter().map(|message| Job::new(&session, *message)).collect();
    Processor::new().process_many(&mut jobs);
    let tag = |job: &Job| {
        job.tag().map(<[u8]>::to_vec).ok_or_else(|| format!("no digest: {:?}", job.status()).into())
    };
    jobs.iter().map(tag).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut registry = broadloom::registry();
    registry.add_factory(factory());
    let messages = [b"one".as_slice(), b"two", b"a longer message"];
    for provider in ["native", "rustcrypto"] {
        for digest in digests(&registry, provider, &messages)? {
            let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            println!("{provider:10} {hex}");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    broadloom_conformance::suite!(Ok::<_, FactoryError>(Arc::new(RustCrypto) as Arc<dyn Provider>));

    #[test]
    fn it_agrees_with_native() {
        let mut registry = broadloom::registry();
        registry.add_factory(factory());
        let messages = [b"".as_slice(), b"abc", &[7; 1000]];
        let native = digests(&registry, "native", &messages).expect("native has SHA-256");
        assert_eq!(digests(&registry, "rustcrypto", &messages).expect("it was added"), native);
    }

    #[test]
    fn an_option_is_refused() {
        let mut registry = Registry::new();
        registry.add_factory(factory());
        let spec = registry.parse("rustcrypto:speed=11").expect("it has the form");
        let error = registry.open_provider(&spec).err().expect("there are no options");
        assert_eq!(error.to_string(), "rustcrypto takes no speed=11: it takes no options");
    }
}
