//! How a session is opened at a provider.

use std::any::Any;
use std::sync::Arc;

use crate::algorithm::{Algorithm, ChainOrder, Direction};
use crate::provider::contract::Provider;
use crate::provider::session::ProviderError;
use crate::session::stage::{Part, Stage, Stages};
use crate::session::{Fallback, Home, Session};
use crate::transform::Transform;

/// Bytes of the stack that are wiped once a provider has expanded keys there: bytes, and numbers,
/// whose checks take more.
const STACK: usize = 16 << 10;
const STACK_OF_NUMBERS: usize = 96 << 10;

/// A provider as the home of its sessions.
struct AtProvider(Arc<dyn Provider>);

impl Home for AtProvider {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn id(&self) -> usize {
        Arc::as_ptr(&self.0).cast::<()>() as usize
    }
}

impl Session {
    /// Opens a session at a provider. [`Registry`](crate::Registry) finds a provider by name, or by
    /// its algorithms.
    ///
    /// # Errors
    /// The provider's reason.
    pub fn open(
        provider: Arc<dyn Provider>,
        transform: &Transform,
    ) -> Result<Session, ProviderError> {
        Session::open_with(provider, transform, None)
    }

    pub(crate) fn open_with(
        provider: Arc<dyn Provider>,
        transform: &Transform,
        fallback: Option<Fallback>,
    ) -> Result<Session, ProviderError> {
        let stages = open_stages(&*provider, transform);
        // A value that is moved leaves its bytes where it was made.
        match transform.asymmetric() {
            None => zeroize::zeroize_stack::<STACK>(),
            Some(_) => zeroize::zeroize_stack::<STACK_OF_NUMBERS>(),
        }
        Ok(Session::new(AtProvider(provider), transform, stages?, fallback))
    }

    /// The provider at which the session was opened.
    pub(crate) fn provider_handle(&self) -> &Arc<dyn Provider> {
        let home: &dyn Any = self.home();
        match home.downcast_ref() {
            Some(AtProvider(provider)) => provider,
            None => unreachable!("sessions are opened here alone"),
        }
    }
}

/// Opens a transform at a provider: in one go, or a chain half by half.
#[inline(never)]
fn open_stages(provider: &dyn Provider, transform: &Transform) -> Result<Stages, ProviderError> {
    let open = |transform: &Transform, part| {
        let session = provider.open_session(transform)?;
        Ok::<_, ProviderError>(Stage { part, class: session.class(), session })
    };
    let algorithm = transform.algorithm();
    let Algorithm::Chain(_, _, order) = algorithm else {
        let part = match algorithm {
            Algorithm::Cipher(_) | Algorithm::Aead(_) => Part::Cipher,
            Algorithm::Compression(_) => Part::Compression,
            Algorithm::PublicKey(_) => Part::PublicKey,
            _ => Part::Mac,
        };
        return Ok(open(transform, part)?.into());
    };
    match transform.halves().filter(|_| !provider.chains_whole(algorithm)) {
        Some((cipher, mac)) => {
            let cipher = open(&cipher, Part::Cipher)?;
            let mac = open(&mac, Part::Mac)?;
            let encrypts = transform.direction() == Direction::Encrypt;
            Ok(match encrypts == (order == ChainOrder::CipherThenMac) {
                true => Stages { first: cipher, second: Some(mac) },
                false => Stages { first: mac, second: Some(cipher) },
            })
        }
        None => Ok(open(transform, Part::Chain)?.into()),
    }
}
