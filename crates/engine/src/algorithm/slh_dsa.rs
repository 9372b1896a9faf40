//! The parameter sets of SLH-DSA.

/// A parameter set of SLH-DSA (FIPS 205, table 2): the hash, the level of security in bits, and `s`
/// for small signatures or `f` for fast signing.
///
/// ```
/// use broadloom_engine::SlhDsaSet;
///
/// let set = SlhDsaSet::Sha2_128s;
/// assert_eq!((set.name(), set.signature_len()), ("slh-dsa-sha2-128s", 7856));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are the standard's")]
pub enum SlhDsaSet {
    Sha2_128s,
    Sha2_128f,
    Sha2_192s,
    Sha2_192f,
    Sha2_256s,
    Sha2_256f,
    Shake128s,
    Shake128f,
    Shake192s,
    Shake192f,
    Shake256s,
    Shake256f,
}

impl SlhDsaSet {
    /// All of them, in the order of their object identifiers.
    pub const ALL: [SlhDsaSet; 12] = [
        SlhDsaSet::Sha2_128s,
        SlhDsaSet::Sha2_128f,
        SlhDsaSet::Sha2_192s,
        SlhDsaSet::Sha2_192f,
        SlhDsaSet::Sha2_256s,
        SlhDsaSet::Sha2_256f,
        SlhDsaSet::Shake128s,
        SlhDsaSet::Shake128f,
        SlhDsaSet::Shake192s,
        SlhDsaSet::Shake192f,
        SlhDsaSet::Shake256s,
        SlhDsaSet::Shake256f,
    ];

    /// The name: `slh-dsa-sha2-128f`.
    pub const fn name(self) -> &'static str {
        match self {
            SlhDsaSet::Sha2_128s => "slh-dsa-sha2-128s",
            SlhDsaSet::Sha2_128f => "slh-dsa-sha2-128f",
            SlhDsaSet::Sha2_192s => "slh-dsa-sha2-192s",
            SlhDsaSet::Sha2_192f => "slh-dsa-sha2-192f",
            SlhDsaSet::Sha2_256s => "slh-dsa-sha2-256s",
            SlhDsaSet::Sha2_256f => "slh-dsa-sha2-256f",
            SlhDsaSet::Shake128s => "slh-dsa-shake-128s",
            SlhDsaSet::Shake128f => "slh-dsa-shake-128f",
            SlhDsaSet::Shake192s => "slh-dsa-shake-192s",
            SlhDsaSet::Shake192f => "slh-dsa-shake-192f",
            SlhDsaSet::Shake256s => "slh-dsa-shake-256s",
            SlhDsaSet::Shake256f => "slh-dsa-shake-256f",
        }
    }

    /// Bytes of a signature.
    pub const fn signature_len(self) -> usize {
        match self {
            SlhDsaSet::Sha2_128s | SlhDsaSet::Shake128s => 7856,
            SlhDsaSet::Sha2_128f | SlhDsaSet::Shake128f => 17088,
            SlhDsaSet::Sha2_192s | SlhDsaSet::Shake192s => 16224,
            SlhDsaSet::Sha2_192f | SlhDsaSet::Shake192f => 35664,
            SlhDsaSet::Sha2_256s | SlhDsaSet::Shake256s => 29792,
            SlhDsaSet::Sha2_256f | SlhDsaSet::Shake256f => 49856,
        }
    }

    /// Bytes of a private key: SK.seed, SK.prf and the public key.
    pub const fn private_key_len(self) -> usize {
        4 * self.node_len()
    }

    /// Bytes of a public key: PK.seed and PK.root.
    pub const fn public_key_len(self) -> usize {
        2 * self.node_len()
    }

    /// Bytes of a seed, and of the randomness of a signature.
    pub const fn node_len(self) -> usize {
        match self.signature_len() {
            7856 | 17088 => 16,
            16224 | 35664 => 24,
            _ => 32,
        }
    }

    /// All of them, as the table lists them.
    pub(super) fn known() -> impl Iterator<Item = SlhDsaSet> {
        SlhDsaSet::ALL.into_iter()
    }
}
