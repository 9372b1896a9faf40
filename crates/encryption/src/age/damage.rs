//! What can be wrong with a payload.

/// Why a chunk of a payload is not what was encrypted there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PayloadError {
    /// The tag is wrong.
    #[error(
        "the chunk does not authenticate: it is damaged, it is not in its place, or data follow \
         the end of the file"
    )]
    Damaged,
    /// The tag is that of a chunk that others follow.
    #[error("the input ends here, and the last chunk is not the end of the file: it is cut short")]
    CutShort,
    /// The chunk before is the last one of the file.
    #[error("the file ends here, and other data follow")]
    Trailing,
    /// The input ends within a tag, or where a chunk has to begin.
    #[error("the input ends within a chunk: the file is cut short")]
    Truncated,
    /// A last chunk without data, behind others.
    #[error("the last chunk is empty, and is not the only one")]
    EmptyLast,
}
