//! The device for programs that drive it directly.

use broadloom_engine::JobError;

use crate::instance::Instance;
use crate::session::{DeviceSession, Kind};
use crate::transfer;

/// The work: a session, and the parameters of one request.
#[derive(Debug, Clone, Copy)]
pub struct Request<'r> {
    session: &'r DeviceSession,
    input: &'r [u8],
    nonce: &'r [u8],
    associated: &'r [u8],
    signature: &'r [u8],
    tag: &'r [u8],
    bits: Option<usize>,
    room: usize,
}

impl<'r> Request<'r> {
    /// A request over some input, which is copied when it is submitted.
    pub fn new(session: &'r DeviceSession, input: &'r [u8]) -> Self {
        let (empty, bits, room) = (&[], None, usize::MAX);
        let (nonce, associated, signature, tag) = (empty, empty, empty, empty);
        Request { session, input, nonce, associated, signature, tag, bits, room }
    }

    /// The nonce, the IV, or the first counter block.
    pub fn nonce(self, nonce: &'r [u8]) -> Self {
        Request { nonce, ..self }
    }

    /// The associated data of an AEAD.
    pub fn associated(self, associated: &'r [u8]) -> Self {
        Request { associated, ..self }
    }

    /// The signature that is to be checked over the input.
    pub fn signature(self, signature: &'r [u8]) -> Self {
        Request { signature, ..self }
    }

    /// The tag that an AEAD is to check.
    pub fn tag(self, tag: &'r [u8]) -> Self {
        Request { tag, ..self }
    }

    /// The length of the input in bits, as [`Job::bits`](broadloom_engine::Job::bits) has it.
    pub fn bits(self, len: usize) -> Self {
        Request { bits: Some(len), ..self }
    }

    /// Bytes of room for the output of a compression or a decompression: without it as many as it
    /// needs.
    pub fn room(self, room: usize) -> Self {
        Request { room, ..self }
    }
}

/// The result of a request.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Response<'r> {
    /// The number that the request was submitted with.
    pub user: u64,
    /// How it went. A request that cannot be (a nonce of a wrong length) fails as a job of the
    /// engine would.
    pub status: Result<(), JobError>,
    /// What was ciphered, compressed, decompressed, signed or agreed; empty after a failure.
    pub output: &'r [u8],
    /// The digest or tag that was made; empty if none was.
    pub tag: &'r [u8],
    /// Bytes of input that a compression or a decompression has read.
    pub consumed: usize,
    /// The session's checksum of the uncompressed bytes, if it has one.
    pub checksum: Option<u32>,
    /// The room was not enough: the output stands for the input consumed, and is open for more.
    pub full: bool,
}

impl Instance {
    /// Writes a request. The device learns of it with the next [`doorbell`](Instance::doorbell),
    /// and its response has the number `user`. `false` if the ring is full: there is room again
    /// after a response was polled, or after a while.
    pub fn submit(&mut self, user: u64, request: &Request<'_>) -> bool {
        self.submit_with(user, |slot| {
            let kind = request.session.0.kind;
            let job = slot.begin(request.session);
            job.set_nonce(request.nonce);
            job.set_bits(request.bits);
            match kind {
                Kind::PublicKey => transfer::set_signature(job, request.signature),
                _ => transfer::set_associated(job, request.associated),
            }
            match kind {
                Kind::Open => job.set_expected_tag(request.tag),
                Kind::Compress => transfer::set_room(job, kind, request.room),
                Kind::Decompress if request.room == usize::MAX => {
                    job.set_room(None);
                    job.set_limit(u64::MAX);
                }
                Kind::Decompress => transfer::set_room(job, kind, request.room),
                _ => {}
            }
            slot.room = request.room;
            let input = slot.input();
            input.extend_from_slice(request.input);
            Some(input.len())
        })
    }

    /// Hands available responses to a callback, at most `max`, and returns their number.
    pub fn poll(&mut self, max: usize, mut callback: impl FnMut(Response<'_>)) -> usize {
        let mut count = 0;
        while count < max
            && let Some(arrival) = self.next()
        {
            let user = arrival.user;
            self.finish(arrival, |slot, status| {
                let failed = |status| Response {
                    user,
                    status,
                    output: &[],
                    tag: &[],
                    consumed: 0,
                    checksum: None,
                    full: false,
                };
                match (slot, status) {
                    (Some(slot), Ok(())) => {
                        let (output, tag) = slot.made();
                        let (consumed, checksum) = (slot.result.consumed, slot.result.checksum);
                        let full = slot.result.full;
                        callback(Response { user, status, output, tag, consumed, checksum, full });
                        slot.end();
                    }
                    (slot, status) => {
                        callback(failed(status));
                        slot.into_iter().for_each(|slot| slot.end());
                    }
                }
            });
            count += 1;
        }
        count
    }
}
