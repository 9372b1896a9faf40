//! AES: the jobs and schedulers of all modes, and MACs. Their kernels, and the round keys that
//! these read, are in `kernels/aes`.

mod ccm;
pub(crate) mod cfb;
pub(crate) mod ctr;
mod ecb;
mod feedback;
pub(crate) mod gcm;
mod info;
mod job;
pub(crate) mod key;
mod lanes;
pub(crate) mod mac;
pub(crate) mod ofb;
mod select;
mod xts;

pub use crate::kernels::aes::gcm::key::GcmKey;
pub use ccm::{CcmError, CcmJob, CcmLanes};
pub use cfb::{CfbJob, CfbLanes};
pub(crate) use ctr::Ctr;
pub use ctr::{CounterError, CtrJob, CtrLanes, Keystream, KeystreamError};
pub use ecb::{BlockCipher, EcbJob, EcbLanes};
pub use gcm::{GcmError, GcmJob, GcmLanes, GmacJob};
pub(crate) use info::kernel_infos;
pub(crate) use job::Cbc;
pub use job::CbcJob;
pub use lanes::CbcLanes;
pub(crate) use lanes::Direction;
pub use mac::{CmacJob, CmacKey, CmacLanes, XcbcKey};
pub use ofb::{OfbJob, OfbLanes};
pub use xts::{XtsJob, XtsKey, XtsKeyError, XtsLanes, XtsLengthError};
