//! Queues: a number that selects the queue's slot in every session, and room for key stream.

use broadloom_engine::provider::{Operation, Queue};
use broadloom_engine::{JobError, MAX_TAG};
use zeroize::Zeroizing;

use crate::des_ctr::KeyStream;
use crate::session::OpenSslSession;
use crate::slots::Number;

pub(crate) struct OpenSslQueue {
    number: Number,
    stream: KeyStream,
}

impl OpenSslQueue {
    pub(crate) fn new(number: Number) -> OpenSslQueue {
        OpenSslQueue { number, stream: KeyStream::new() }
    }
}

impl Queue for OpenSslQueue {
    /// One after the other: waiting for more would gain nothing.
    fn batch(&mut self, _: u8) -> usize {
        1
    }

    fn run(&mut self, operations: &mut [&mut Operation<'_>]) {
        let OpenSslQueue { number, stream } = self;
        for operation in operations {
            let Some(parts) = operation.parts::<OpenSslSession>() else {
                run_public_key(number, operation);
                continue;
            };
            if parts.session.verifies {
                let mut mac = Zeroizing::new([0; MAX_TAG]);
                match OpenSslSession::run(parts, number, stream, Some(&mut mac)) {
                    Ok(()) => operation.complete_with_mac(&*mac),
                    Err(error) => operation.complete(Err(error)),
                }
            } else {
                // Apart, so that a success is not copied with the room that an error takes.
                match OpenSslSession::run(parts, number, stream, None) {
                    Ok(()) => operation.complete(Ok(())),
                    Err(error) => operation.complete(Err(error)),
                }
            }
        }
    }
}

/// Does a public-key operation. An operation of another provider is left, and so fails.
fn run_public_key(number: &mut Number, operation: &mut Operation<'_>) {
    let Some(parts) = operation.public_key::<OpenSslSession>() else { return };
    let done = match parts.session.public_key() {
        Some(work) => work.run(number, parts),
        None => Err(JobError::NotDone),
    };
    operation.complete_with_output(done);
}
