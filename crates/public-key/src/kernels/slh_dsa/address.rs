//! Addresses: where in the structure a hash is (FIPS 205, sections 4.2 and 11.2).

/// What a hash is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    /// A step of a chain.
    Chain = 0,
    /// The public key of a one-time signature.
    ChainEnds = 1,
    /// A node of a tree of the hypertree.
    Tree = 2,
    /// A node of a tree of FORS.
    Fors = 3,
    /// The public key of FORS.
    ForsRoots = 4,
    /// The beginning of a chain.
    ChainSecret = 5,
    /// A secret of FORS.
    ForsSecret = 6,
}

/// Bytes of an address as SHAKE takes it.
pub(crate) const FULL: usize = 32;

/// Bytes of an address as SHA-2 takes it.
pub(crate) const COMPRESSED: usize = 22;

/// An address.
#[derive(Clone, Copy)]
pub(crate) struct Address {
    pub layer: u32,
    pub tree: u64,
    pub kind: Kind,
    /// What the words mean depends on the kind: the key pair, the chain or the height, and the
    /// step or the index.
    pub words: [u32; 3],
}

impl Address {
    /// Returns the address in 32 bytes.
    pub(crate) fn full(&self) -> [u8; FULL] {
        let mut bytes = [0; FULL];
        bytes[..4].copy_from_slice(&self.layer.to_be_bytes());
        bytes[8..16].copy_from_slice(&self.tree.to_be_bytes());
        bytes[19] = self.kind as u8;
        for (place, word) in bytes[20..].chunks_exact_mut(4).zip(self.words) {
            place.copy_from_slice(&word.to_be_bytes());
        }
        bytes
    }

    /// Returns the address in 22 bytes.
    pub(crate) fn compressed(&self) -> [u8; COMPRESSED] {
        let mut bytes = [0; COMPRESSED];
        bytes[0] = self.layer as u8;
        bytes[1..9].copy_from_slice(&self.tree.to_be_bytes());
        bytes[9] = self.kind as u8;
        for (place, word) in bytes[10..].chunks_exact_mut(4).zip(self.words) {
            place.copy_from_slice(&word.to_be_bytes());
        }
        bytes
    }
}
