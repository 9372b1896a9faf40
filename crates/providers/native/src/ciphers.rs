//! The classes of AES in ECB, CFB and XTS mode.

use broadloom_engine::{Operation, Parts, Text};
use broadloom_lanes::{CfbLanes, EcbLanes, Lanes, Loan, Occupancy, Planner, XtsLanes};

use crate::class::Class;
use crate::session::{CFB, CfbSession, ECB, EcbSession, XTS, XtsSession};

/// A cipher without a tag.
pub(crate) trait Cipher {
    const CLASS: u8;
    type Session: 'static;
    type Lanes: Lanes;

    fn lend<'v>(session: &'v Self::Session, nonce: &'v [u8], text: Text<'v>) -> Loan<'v, Self::Lanes>;
}

/// What has lanes do the work of a cipher.
pub(crate) struct Ciphering<C: Cipher>(pub Planner<C::Lanes>);

impl<C: Cipher> Class for Ciphering<C> {
    fn run(&mut self, operations: &mut [&mut Operation<'_>]) {
        self.0.process_each(operations.iter_mut().filter_map(|operation| {
            if operation.class() == C::CLASS {
                // As good as done: nothing here can fail, and nobody looks before this returns.
                operation.complete(Ok(()));
            }
            let Parts { session, nonce, text, .. } = operation.parts::<C::Session>()?;
            Some(C::lend(session, nonce, text))
        }));
    }

    fn occupancy(&self) -> Occupancy {
        self.0.occupancy()
    }
}

pub(crate) struct Ecb;

impl Cipher for Ecb {
    const CLASS: u8 = ECB;
    type Session = EcbSession;
    type Lanes = EcbLanes;

    fn lend<'v>(session: &'v EcbSession, _: &'v [u8], text: Text<'v>) -> Loan<'v, EcbLanes> {
        let EcbSession { key, encrypt, .. } = session;
        let loan = match (text, encrypt) {
            (Text::InPlace(bytes), true) => Loan::ecb_encrypt(key, bytes),
            (Text::InPlace(bytes), false) => Loan::ecb_decrypt(key, bytes),
            (Text::Apart(source, bytes), true) => Loan::ecb_encrypt_to(key, source, bytes),
            (Text::Apart(source, bytes), false) => Loan::ecb_decrypt_to(key, source, bytes),
            (Text::Read(_), _) => unreachable!("the engine gives ciphers what can be written"),
        };
        loan.expect("the engine asks for whole blocks")
    }
}

pub(crate) struct Cfb;

impl Cipher for Cfb {
    const CLASS: u8 = CFB;
    type Session = CfbSession;
    type Lanes = CfbLanes;

    fn lend<'v>(session: &'v CfbSession, nonce: &'v [u8], text: Text<'v>) -> Loan<'v, CfbLanes> {
        let CfbSession { key, encrypt, .. } = session;
        let iv = nonce.try_into().expect("the engine checks the length of nonces");
        match (text, encrypt) {
            (Text::InPlace(bytes), true) => Loan::cfb_encrypt(key, iv, bytes),
            (Text::InPlace(bytes), false) => Loan::cfb_decrypt(key, iv, bytes),
            (Text::Apart(source, bytes), true) => Loan::cfb_encrypt_to(key, iv, source, bytes),
            (Text::Apart(source, bytes), false) => Loan::cfb_decrypt_to(key, iv, source, bytes),
            (Text::Read(_), _) => unreachable!("the engine gives ciphers what can be written"),
        }
    }
}

pub(crate) struct Xts;

impl Cipher for Xts {
    const CLASS: u8 = XTS;
    type Session = XtsSession;
    type Lanes = XtsLanes;

    fn lend<'v>(session: &'v XtsSession, nonce: &'v [u8], text: Text<'v>) -> Loan<'v, XtsLanes> {
        let XtsSession { key, encrypt, .. } = session;
        let tweak = nonce.try_into().expect("the engine checks the length of nonces");
        let loan = match (text, encrypt) {
            (Text::InPlace(bytes), true) => Loan::xts_encrypt(key, tweak, bytes),
            (Text::InPlace(bytes), false) => Loan::xts_decrypt(key, tweak, bytes),
            (Text::Apart(source, bytes), true) => Loan::xts_encrypt_to(key, tweak, source, bytes),
            (Text::Apart(source, bytes), false) => Loan::xts_decrypt_to(key, tweak, source, bytes),
            (Text::Read(_), _) => unreachable!("the engine gives ciphers what can be written"),
        };
        loan.expect("the engine checks the lengths of data units")
    }
}
