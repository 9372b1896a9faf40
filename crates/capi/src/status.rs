//! What functions return, and how jobs went.

use std::ffi::{CStr, c_char, c_int};

use broadloom::JobError;
use broadloom_packets::PacketError;

/// What a function returns, and how a job or a packet went: `BL_OK`, or what was wrong.
pub type bl_status = c_int;

/// All went well.
pub const BL_OK: bl_status = 0;
/// The job is not complete.
pub const BL_PENDING: bl_status = 1;
/// An argument is wrong: a null pointer, a structure of another size, buffers that overlap.
pub const BL_E_ARGUMENT: bl_status = 2;
/// A name stands for nothing: of an algorithm, a direction, a format, a padding.
pub const BL_E_NAME: bl_status = 3;
/// A key or a tag has a length that the algorithm does not have, or an option does not fit it.
pub const BL_E_TRANSFORM: bl_status = 4;
/// A private or a public key cannot be read, or breaks a rule.
pub const BL_E_KEY: bl_status = 5;
/// No provider can do it, or the one that was named is absent.
pub const BL_E_PROVIDER: bl_status = 6;
/// At least one job failed; each job says how it went.
pub const BL_E_JOBS: bl_status = 7;
/// The system has no more threads, descriptors or cores.
pub const BL_E_SYSTEM: bl_status = 8;
/// The output needs more room; `produced` says how many bytes.
pub const BL_E_ROOM: bl_status = 9;
/// The compressed data are wrong or cut short.
pub const BL_E_DATA: bl_status = 10;
/// At least one packet was refused; each packet says how it went.
pub const BL_E_PACKETS: bl_status = 11;
/// The tag is wrong. What was deciphered is wiped.
pub const BL_E_TAG_MISMATCH: bl_status = 32;
/// A tag of another length than the session's.
pub const BL_E_TAG_LENGTH: bl_status = 33;
/// A nonce or IV of a length that the algorithm does not have.
pub const BL_E_NONCE_LENGTH: bl_status = 34;
/// A nonce with bits set that are no part of any of its fields.
pub const BL_E_NONCE_BITS: bl_status = 35;
/// The bytes to be ciphered are no multiple of the block length.
pub const BL_E_DATA_LENGTH: bl_status = 36;
/// More data than one nonce allows, or than the provider takes at once.
pub const BL_E_TOO_LONG: bl_status = 37;
/// More associated data than the provider takes at once.
pub const BL_E_ASSOCIATED_TOO_LONG: bl_status = 38;
/// Less data than the algorithm takes.
pub const BL_E_TOO_SHORT: bl_status = 39;
/// A length in bits that does not end in the last byte of the text.
pub const BL_E_BIT_LENGTH: bl_status = 40;
/// A counter of 32 bits would pass zero, so that key stream would be used twice.
pub const BL_E_COUNTER_WRAPS: bl_status = 41;
/// A range, or the place of a tag, is not within the data.
pub const BL_E_RANGE: bl_status = 42;
/// The place of a tag overlaps the bytes that it is the tag of, or ciphertext.
pub const BL_E_TAG_OVERLAP: bl_status = 43;
/// The job was given something that its session has no use for.
pub const BL_E_NOT_TAKEN: bl_status = 44;
/// The output needs a destination.
pub const BL_E_READ_ONLY: bl_status = 45;
/// The source and the destination, in pieces, have different lengths.
pub const BL_E_LENGTHS: bl_status = 46;
/// The provider has no queue for this thread just now.
pub const BL_E_NO_QUEUE: bl_status = 47;
/// A call of the provider's own library failed.
pub const BL_E_PROVIDER_CALL: bl_status = 48;
/// The compressed data are malformed.
pub const BL_E_MALFORMED: bl_status = 49;
/// The compressed data end too early.
pub const BL_E_TRUNCATED: bl_status = 50;
/// The decompressed data are more than the limit.
pub const BL_E_OUTPUT_LIMIT: bl_status = 51;
/// The compressed data do not fit into several times their worst case.
pub const BL_E_NEVER_FITS: bl_status = 52;
/// The signature is wrong.
pub const BL_E_SIGNATURE_MISMATCH: bl_status = 53;
/// The ciphertext cannot be decrypted.
pub const BL_E_DECRYPTION: bl_status = 54;
/// Data of another length than the public-key algorithm takes.
pub const BL_E_INPUT_LENGTH: bl_status = 55;
/// A number that is not less than the modulus of the RSA key.
pub const BL_E_NOT_BELOW_MODULUS: bl_status = 56;
/// The other side's public key is not valid.
pub const BL_E_PUBLIC_KEY: bl_status = 57;
/// An accelerator failed.
pub const BL_E_DEVICE: bl_status = 58;
/// The provider gave the job back without having done it.
pub const BL_E_NOT_DONE: bl_status = 59;
/// The provider panicked while it worked on the job, or on others beside it.
pub const BL_E_PANICKED: bl_status = 60;
/// The job was not processed.
pub const BL_E_CANCELLED: bl_status = 61;
/// The output of a compression or a public-key algorithm was to go to pieces; it goes to
/// `destination`, or a signature to `tag`.
pub const BL_E_OWN_OUTPUT: bl_status = 62;
/// The job failed in a way that this version of the library has no number for.
pub const BL_E_OTHER: bl_status = 63;
/// There is no memory for the output of a compression, a decompression or a public-key algorithm.
pub const BL_E_NO_MEMORY: bl_status = 64;
/// The packet's number was received before, or is older than the replay window.
pub const BL_PACKET_REPLAY: bl_status = 96;
/// The packet is too short for what its protocol puts into it.
pub const BL_PACKET_RUNT: bl_status = 97;
/// The packet is longer than its protocol or its flow allows.
pub const BL_PACKET_TOO_LONG: bl_status = 98;
/// The padding of an authentic packet is not as the protocol prescribes.
pub const BL_PACKET_BAD_PADDING: bl_status = 99;
/// The buffer has too little room before the packet.
pub const BL_PACKET_NO_HEAD_ROOM: bl_status = 100;
/// The buffer has too little room behind the packet.
pub const BL_PACKET_NO_TAIL_ROOM: bl_status = 101;
/// The flow has used all its sequence numbers, and needs another key.
pub const BL_PACKET_SEQUENCE_CYCLED: bl_status = 102;
/// The packet is a fragment, which its protocol does not take.
pub const BL_PACKET_FRAGMENT: bl_status = 103;
/// The packet is not authentic: it was damaged or forged, or the key is another.
pub const BL_PACKET_INTEGRITY: bl_status = 104;
/// The packet belongs to another flow, as its SPI, SSRC, connection or key identifier says; or its
/// flow is of the other direction.
pub const BL_PACKET_WRONG_FLOW: bl_status = 105;
/// A field of the packet has a value that its protocol does not allow.
pub const BL_PACKET_MALFORMED: bl_status = 106;
/// The provider could not do the work; `bl_last_error` says why.
pub const BL_PACKET_JOB: bl_status = 107;
/// An earlier packet of the flow was wrong, or ended the connection: this direction of the flow
/// accepts no more.
pub const BL_PACKET_ENDED: bl_status = 108;
/// An earlier packet may change the flow's keys. This packet is as it was: give it again after that
/// one was read.
pub const BL_PACKET_DEFERRED: bl_status = 109;
/// The packet is authentic and carries nothing: its sender hides when there is traffic.
pub const BL_PACKET_DUMMY: bl_status = 110;
/// The key has been used for as many packets as its algorithm or its flow allows.
pub const BL_PACKET_KEY_USED_UP: bl_status = 111;
/// The flow has no key for this direction.
pub const BL_PACKET_NO_KEY: bl_status = 112;
/// How many statuses `BL_PACKET_...` there are, from `BL_PACKET_REPLAY` on.
pub const BL_PACKET_KINDS: usize = 17;

/// A status in words, for ever valid. An unknown number has words, too.
///
/// Threads: any, at once.
#[unsafe(no_mangle)]
pub extern "C" fn bl_status_text(status: bl_status) -> *const c_char {
    text(status).as_ptr()
}

pub(crate) fn text(status: bl_status) -> &'static CStr {
    match status {
        BL_OK => c"success",
        BL_PENDING => c"the job is not complete",
        BL_E_ARGUMENT => c"an argument is wrong",
        BL_E_NAME => c"a name stands for nothing",
        BL_E_TRANSFORM => c"a key, a tag or an option does not fit the algorithm",
        BL_E_KEY => c"the private or public key cannot be read",
        BL_E_PROVIDER => c"no provider can do this",
        BL_E_JOBS => c"at least one job failed",
        BL_E_SYSTEM => c"the system has no more threads, descriptors or cores",
        BL_E_ROOM => c"the output needs more room",
        BL_E_DATA => c"the compressed data are wrong or cut short",
        BL_E_PACKETS => c"at least one packet was refused",
        BL_E_TAG_MISMATCH => c"the tag is wrong",
        BL_E_TAG_LENGTH => c"the tag has another length than the session's",
        BL_E_NONCE_LENGTH => c"the nonce has a length that the algorithm does not have",
        BL_E_NONCE_BITS => c"the nonce has bits set that are no part of its fields",
        BL_E_DATA_LENGTH => c"the length is no multiple of the block length",
        BL_E_TOO_LONG => c"the data are too many for one job",
        BL_E_ASSOCIATED_TOO_LONG => c"the associated data are too many for one job",
        BL_E_TOO_SHORT => c"the data are too few for the algorithm",
        BL_E_BIT_LENGTH => c"the length in bits does not end in the last byte",
        BL_E_COUNTER_WRAPS => c"the counter would pass zero",
        BL_E_RANGE => c"a range or the place of a tag is not within the data",
        BL_E_TAG_OVERLAP => c"the place of the tag overlaps what it is the tag of",
        BL_E_NOT_TAKEN => c"the session has no use for something that the job was given",
        BL_E_READ_ONLY => c"the output needs a destination",
        BL_E_LENGTHS => c"source and destination have different lengths",
        BL_E_NO_QUEUE => c"the provider has no queue for this thread",
        BL_E_PROVIDER_CALL => c"a call of the provider's library failed",
        BL_E_MALFORMED => c"the compressed data are malformed",
        BL_E_TRUNCATED => c"the compressed data end too early",
        BL_E_OUTPUT_LIMIT => c"the decompressed data are more than the limit",
        BL_E_NEVER_FITS => c"the compressed data are more than several times their worst case",
        BL_E_SIGNATURE_MISMATCH => c"the signature is wrong",
        BL_E_DECRYPTION => c"the ciphertext cannot be decrypted",
        BL_E_INPUT_LENGTH => c"the data have a length that the key does not take",
        BL_E_NOT_BELOW_MODULUS => c"the data are a number that is not less than the modulus",
        BL_E_PUBLIC_KEY => c"the other side's public key is not valid",
        BL_E_DEVICE => c"the device failed",
        BL_E_NOT_DONE => c"the provider did not do it",
        BL_E_PANICKED => c"the provider panicked",
        BL_E_CANCELLED => c"the job was not processed",
        BL_E_OWN_OUTPUT => c"the output goes to a destination in one piece",
        BL_E_OTHER => c"the job failed",
        BL_E_NO_MEMORY => c"there is no memory for the output",
        BL_PACKET_REPLAY => c"the packet was received before, or is too old",
        BL_PACKET_RUNT => c"the packet is too short",
        BL_PACKET_TOO_LONG => c"the packet is too long",
        BL_PACKET_BAD_PADDING => c"the padding of the packet is wrong",
        BL_PACKET_NO_HEAD_ROOM => c"there is too little room before the packet",
        BL_PACKET_NO_TAIL_ROOM => c"there is too little room behind the packet",
        BL_PACKET_SEQUENCE_CYCLED => c"the sequence numbers of the flow are used up",
        BL_PACKET_FRAGMENT => c"the packet is a fragment",
        BL_PACKET_INTEGRITY => c"the packet is not authentic",
        BL_PACKET_WRONG_FLOW => c"the packet belongs to another flow",
        BL_PACKET_MALFORMED => c"a field of the packet is not valid",
        BL_PACKET_JOB => c"the provider could not process the packet",
        BL_PACKET_ENDED => c"an earlier packet ended the flow",
        BL_PACKET_DEFERRED => c"an earlier packet may change the keys of the flow",
        BL_PACKET_DUMMY => c"the packet is a dummy",
        BL_PACKET_KEY_USED_UP => c"the key was used for as many packets as it may be",
        BL_PACKET_NO_KEY => c"the flow has no key for this direction",
        _ => c"no status has this number",
    }
}

/// The number of a job's failure.
pub(crate) fn of(error: JobError) -> bl_status {
    match error {
        JobError::TagMismatch => BL_E_TAG_MISMATCH,
        JobError::TagLength { .. } => BL_E_TAG_LENGTH,
        JobError::NonceLength { .. } => BL_E_NONCE_LENGTH,
        JobError::NonceBits { .. } => BL_E_NONCE_BITS,
        JobError::DataLength { .. } => BL_E_DATA_LENGTH,
        JobError::TooLong { .. } => BL_E_TOO_LONG,
        JobError::AssociatedTooLong { .. } => BL_E_ASSOCIATED_TOO_LONG,
        JobError::TooShort { .. } => BL_E_TOO_SHORT,
        JobError::BitLength { .. } => BL_E_BIT_LENGTH,
        JobError::CounterWraps { .. } => BL_E_COUNTER_WRAPS,
        JobError::Range { .. } => BL_E_RANGE,
        JobError::TagOverlap { .. } => BL_E_TAG_OVERLAP,
        JobError::NotTaken { .. } => BL_E_NOT_TAKEN,
        JobError::ReadOnly | JobError::ReadOnlyTag => BL_E_READ_ONLY,
        JobError::Lengths { .. } => BL_E_LENGTHS,
        JobError::NoQueue => BL_E_NO_QUEUE,
        JobError::Provider { .. } => BL_E_PROVIDER_CALL,
        JobError::Malformed => BL_E_MALFORMED,
        JobError::Truncated => BL_E_TRUNCATED,
        JobError::OutputLimit { .. } => BL_E_OUTPUT_LIMIT,
        JobError::NeverFits { .. } => BL_E_NEVER_FITS,
        JobError::SignatureMismatch => BL_E_SIGNATURE_MISMATCH,
        JobError::Decryption => BL_E_DECRYPTION,
        JobError::InputLength { .. } | JobError::EitherLength { .. } => BL_E_INPUT_LENGTH,
        JobError::NotBelowModulus => BL_E_NOT_BELOW_MODULUS,
        JobError::PublicKey => BL_E_PUBLIC_KEY,
        JobError::Scalar => BL_E_KEY,
        JobError::Device(_) => BL_E_DEVICE,
        JobError::NotDone => BL_E_NOT_DONE,
        JobError::Panicked => BL_E_PANICKED,
        JobError::Cancelled => BL_E_CANCELLED,
        JobError::OwnOutput => BL_E_OWN_OUTPUT,
        JobError::OutOfMemory { .. } => BL_E_NO_MEMORY,
        // The engine may get failures that are younger than these numbers.
        _ => BL_E_OTHER,
    }
}

/// The number of a packet's failure.
pub(crate) fn of_packet(error: PacketError) -> bl_status {
    BL_PACKET_REPLAY + error.kind() as bl_status
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers are those of the errors, in the same order.
    #[test]
    fn every_error_of_a_packet_has_the_number_of_its_name() {
        macro_rules! names {
            ($($status:ident),+) => { [$((stringify!($status), $status)),+] };
        }
        let named = names![
            BL_PACKET_REPLAY,
            BL_PACKET_RUNT,
            BL_PACKET_TOO_LONG,
            BL_PACKET_BAD_PADDING,
            BL_PACKET_NO_HEAD_ROOM,
            BL_PACKET_NO_TAIL_ROOM,
            BL_PACKET_SEQUENCE_CYCLED,
            BL_PACKET_FRAGMENT,
            BL_PACKET_INTEGRITY,
            BL_PACKET_WRONG_FLOW,
            BL_PACKET_MALFORMED,
            BL_PACKET_JOB,
            BL_PACKET_ENDED,
            BL_PACKET_DEFERRED,
            BL_PACKET_DUMMY,
            BL_PACKET_KEY_USED_UP,
            BL_PACKET_NO_KEY
        ];
        assert_eq!(PacketError::KINDS, BL_PACKET_KINDS);
        assert_eq!(named.len(), BL_PACKET_KINDS);
        for (kind, (name, (status, number))) in PacketError::NAMES.iter().zip(named).enumerate() {
            let constant = format!("BL_PACKET_{}", name.to_uppercase().replace('-', "_"));
            assert_eq!((constant.as_str(), number), (status, BL_PACKET_REPLAY + kind as bl_status));
        }
        assert_eq!(of_packet(PacketError::NoKey), BL_PACKET_NO_KEY);
    }

    #[test]
    fn every_number_has_words_of_its_own() {
        let known = (BL_OK..=BL_E_PACKETS)
            .chain(BL_E_TAG_MISMATCH..=BL_E_NO_MEMORY)
            .chain(BL_PACKET_REPLAY..=BL_PACKET_NO_KEY);
        let texts: std::collections::BTreeSet<_> = known.clone().map(text).collect();
        assert_eq!(texts.len(), known.count());
        assert!(!texts.contains(text(-1)));
        assert_eq!(text(31), text(65));
    }
}
