//! What accompanies a record.

use crate::records::ContentType;

/// What accompanies a record of DTLS: type and padding are given when it is protected; all is found
/// when it is unprotected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DtlsMeta {
    /// The type of the content; application data unless another is given.
    pub content_type: ContentType,
    /// Zeros behind the content type, which hide how long the content is. DTLS 1.2 has padding only
    /// in records with a connection ID. DTLS 1.3 adds what a short record lacks.
    pub padding: usize,
    /// The epoch of the record; set by the flow.
    pub epoch: u64,
    /// The whole number of the record within its epoch; set by the flow.
    pub number: u64,
    /// What DTLS 1.3 has done to the header.
    pub(super) header: HeaderState,
}

/// What was done to the record number in a header of DTLS 1.3.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum HeaderState {
    /// A received header, as it came.
    #[default]
    Received,
    /// A received header, whose number was decrypted with this mask.
    Unmasked([u8; 2]),
    /// A header of ours, whose number is not encrypted yet.
    Written,
}

impl DtlsMeta {
    /// Returns what accompanies a record that is to be protected.
    pub fn new(content_type: ContentType) -> Self {
        DtlsMeta { content_type, ..DtlsMeta::default() }
    }

    /// Returns the same with so many zeros of padding.
    #[must_use]
    pub fn padded(mut self, padding: usize) -> Self {
        self.padding = padding;
        self
    }
}
