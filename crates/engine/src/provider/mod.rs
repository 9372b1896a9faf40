//! What a provider implements, and what it is handed.
//!
//! A [`Provider`] says which algorithms it has, opens sessions (a [`ProviderSession`] each:
//! expanded keys), and opens queues (an [`AnyQueue`] each: what one thread needs to work). A queue
//! is given [operations](Operation), takes the [parts](Operation::parts) of each, computes, and
//! [completes](Operation::complete) it. A [`Factory`] opens a provider with options, so that a
//! [`Registry`](crate::Registry) can list the provider by name.
//!
//! Applications need nothing of this module, but for the trait `Provider` where they add a
//! provider.

pub(crate) mod contract;
pub(crate) mod device;
pub(crate) mod parts;
pub(crate) mod queue;
pub(crate) mod session;
pub(crate) mod stream;

pub use crate::data::Text;
pub use crate::made::Progress;
pub use crate::operation::Operation;
pub use crate::plain::{PlainJobs, PlainOperation};
pub use crate::registry::{Factory, FactoryError};
pub use crate::transform::{AnyKey, Asymmetric};
pub use broadloom_lanes::Buffers;
pub use broadloom_lanes::Occupancy;
pub use contract::Provider;
pub use device::DeviceQueue;
pub use parts::{CompressionParts, Last, Layout, Parts, PublicKeyParts};
pub use queue::{AnyQueue, Queue};
pub use session::{ProviderError, ProviderSession};
pub use stream::{Portion, PortionParts, ProviderStream};
