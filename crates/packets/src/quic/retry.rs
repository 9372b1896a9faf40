//! The tag of Retry packets (RFC 9001, 5.8).

use broadloom_engine::{AeadAlgorithm, AesSize, Job, JobError, Processor, Registry};
use broadloom_engine::{Session, Transform};

use super::flow::TAG;
use super::suite::QuicVersion;
use crate::error::{FlowError, PacketError};

/// Makes and checks the tag with which a Retry packet ends. Its key is public: the tag shows that
/// the packet is whole, and that its sender saw the client's Initial packet.
pub struct RetryIntegrity {
    seal: Session,
    open: Session,
    nonce: &'static [u8; 12],
}

impl RetryIntegrity {
    /// Opens the sessions of a version.
    ///
    /// # Errors
    /// No provider opens AES-128-GCM.
    pub fn new(registry: &Registry, version: QuicVersion) -> Result<Self, FlowError> {
        let (key, nonce) = version.retry_key();
        let aead = AeadAlgorithm::AesGcm(AesSize::Aes128);
        Ok(RetryIntegrity {
            seal: registry.open(&Transform::aead(aead, key).seal()?)?,
            open: registry.open(&Transform::aead(aead, key).open()?)?,
            nonce,
        })
    }

    /// Returns the tag of a Retry packet that does not have one yet. `original_id` is the
    /// Destination Connection ID of the Initial packet that the Retry answers.
    ///
    /// # Errors
    /// [`PacketError::Job`]: the provider failed.
    pub fn tag(&self, original_id: &[u8], packet: &[u8]) -> Result<[u8; TAG], PacketError> {
        let job = self.run(&self.seal, original_id, packet, None)?;
        let tag = job.tag().and_then(|tag| tag.try_into().ok());
        tag.ok_or(PacketError::Job(JobError::NotDone))
    }

    /// Checks a Retry packet with its tag.
    ///
    /// # Errors
    /// [`PacketError::Runt`], or [`PacketError::Integrity`]: the client ignores the packet.
    pub fn check(&self, original_id: &[u8], packet: &[u8]) -> Result<(), PacketError> {
        let len = packet.len();
        let parts = packet.split_last_chunk::<TAG>();
        let (packet, tag) = parts.ok_or(PacketError::Runt { len, min: TAG })?;
        self.run(&self.open, original_id, packet, Some(tag)).map(|_| ())
    }

    /// Processes an empty message whose associated data are the Retry's pseudo-packet.
    fn run<'s>(
        &self,
        session: &'s Session,
        original_id: &[u8],
        packet: &[u8],
        tag: Option<&[u8; TAG]>,
    ) -> Result<Job<'s>, PacketError> {
        let id_len = u8::try_from(original_id.len());
        let max = usize::from(u8::MAX);
        let id_len = id_len.map_err(|_| PacketError::TooLong { len: original_id.len(), max })?;
        let associated = [&[id_len], original_id, packet].concat();
        let mut job = Job::new(session, Vec::new()).nonce(self.nonce).associated(associated);
        if let Some(tag) = tag {
            job.set_expected_tag(tag);
        }
        Processor::new().process_many(std::slice::from_mut(&mut job));
        job.status().unwrap_or(Err(JobError::NotDone))?;
        Ok(job)
    }
}
