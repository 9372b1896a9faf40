//! Kinds of jobs of the modes of packets: those of [`Mode`], and KASUMI's.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::{Mutex, OnceLock};

use broadloom_lanes::{
    CcmJob, CfbJob, ChaChaJob, ChaChaPolyJob, CmacJob, CtrJob, EcbJob, F8Job, F9Job, GcmJob,
    GmacJob, KasumiKey, LinkDirection, OfbJob, XChaChaPolyJob, XtsJob,
};

use super::chacha::{
    ChaCha20, ChaChaOpen, ChaChaSeal, XChaChaOpen, XChaChaSeal, counter_and_nonce,
};
use super::packets::{
    CcmOpen, CcmSeal, CfbDecrypt, CfbEncrypt, Cmac, Ctr, EcbDecrypt, EcbEncrypt, Gmac, Message,
    Mode, Ofb, Open, Seal, Xcbc, XtsDecrypt, XtsEncrypt, ccm_tag_len,
};
use super::{Kind, Numbered, REFUSED, bytes, kasumi};

/// A mode that has jobs.
pub trait Typed: Mode<Key: Send + Sync> + 'static {
    type Job: Numbered + Send + 'static;

    /// The job of a message that starts from a text, and for one that opens a tag.
    fn job(
        key: &'static Self::Key,
        message: &Message,
        text: Vec<u8>,
        tag: &[u8],
        number: usize,
    ) -> Self::Job;

    /// What such a job gives, of the text and the tag that are expected.
    fn result(message: &Message, text: Vec<u8>, tag: Vec<u8>) -> Vec<u8>;
}

/// The jobs of a mode. Every fifth one that opens a message comes with a wrong tag.
pub struct Packets<M>(PhantomData<M>);

impl<M: Typed> Packets<M> {
    fn message(number: usize, len: usize) -> Message {
        let message = Message::new::<M>(number, 16, len);
        // Few keys, for all are kept.
        Message { key: bytes(number % 2, [16, 24, 32][number % 3]), ..message }
    }

    fn is_forged(number: usize) -> bool {
        M::UNDOES && M::TAG > 0 && number % 5 == 4
    }
}

impl<M: Typed> Kind for Packets<M> {
    type Job = M::Job;
    const NAME: &'static str = M::NAME;

    fn job(number: usize, len: usize) -> M::Job {
        let message = Self::message(number, len);
        let (text, _, mut tag) = message.texts::<M>();
        if Self::is_forged(number) {
            tag[number % 4] ^= 1 << (number % 8);
        }
        M::job(key::<M>(&message.key), &message, text, &tag, number)
    }

    fn expected(number: usize, len: usize) -> Vec<u8> {
        let message = Self::message(number, len);
        let (_, text, tag) = message.texts::<M>();
        if Self::is_forged(number) { REFUSED.to_vec() } else { M::result(&message, text, tag) }
    }
}

/// A key that lives as long as the process, made once.
fn key<M: Typed>(bytes: &[u8]) -> &'static M::Key {
    type Keys = HashMap<(TypeId, Vec<u8>), &'static (dyn Any + Send + Sync)>;
    static KEYS: OnceLock<Mutex<Keys>> = OnceLock::new();
    let mut keys = KEYS.get_or_init(Mutex::default).lock().expect("no panic");
    let key = keys.entry((TypeId::of::<M>(), bytes.to_vec()));
    let key = key.or_insert_with(|| Box::leak(Box::new(M::key(bytes))));
    key.downcast_ref().expect("of this mode")
}

macro_rules! typed {
    ($(
        $mode:ident: $job:ty,
        |$key:ident, $message:ident, $text:ident, $tag:ident, $number:ident| $make:expr,
        $result:ident;
    )*) => { $(
        impl Typed for $mode {
            type Job = $job;

            fn job(
                $key: &'static Self::Key,
                $message: &Message,
                $text: Vec<u8>,
                $tag: &[u8],
                $number: usize,
            ) -> $job {
                $make
            }

            fn result(message: &Message, text: Vec<u8>, tag: Vec<u8>) -> Vec<u8> {
                $result(message, text, tag)
            }
        }
    )* };
}

/// What a cipher gives, or a message that is sealed.
fn both(_: &Message, text: Vec<u8>, tag: Vec<u8>) -> Vec<u8> {
    [text, tag].concat()
}

fn ccm_both(message: &Message, text: Vec<u8>, tag: Vec<u8>) -> Vec<u8> {
    [&text, &tag[..ccm_tag_len(&message.nonce)]].concat()
}

/// What a message gives that is opened.
fn text_alone(_: &Message, text: Vec<u8>, _: Vec<u8>) -> Vec<u8> {
    text
}

/// What is given of data that are only authenticated.
fn tag_alone(_: &Message, _: Vec<u8>, tag: Vec<u8>) -> Vec<u8> {
    tag
}

fn block<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.try_into().expect("as many bytes")
}

typed! {
    Ctr: CtrJob<'static, Vec<u8>, usize>, |key, message, text, _tag, number| {
        CtrJob::ctr(key, block(&message.nonce), text, number)
    }, both;
    EcbEncrypt: EcbJob<'static, Vec<u8>, usize>, |key, _message, text, _tag, number| {
        EcbJob::encrypt(key, text, number).expect("whole blocks")
    }, both;
    EcbDecrypt: EcbJob<'static, Vec<u8>, usize>, |key, _message, text, _tag, number| {
        EcbJob::decrypt(key, text, number).expect("whole blocks")
    }, both;
    CfbEncrypt: CfbJob<'static, Vec<u8>, usize>, |key, message, text, _tag, number| {
        CfbJob::encrypt(key, block(&message.nonce), text, number)
    }, both;
    CfbDecrypt: CfbJob<'static, Vec<u8>, usize>, |key, message, text, _tag, number| {
        CfbJob::decrypt(key, block(&message.nonce), text, number)
    }, both;
    Ofb: OfbJob<'static, Vec<u8>, usize>, |key, message, text, _tag, number| {
        OfbJob::ofb(key, block(&message.nonce), text, number)
    }, both;
    XtsEncrypt: XtsJob<'static, Vec<u8>, usize>, |key, message, text, _tag, number| {
        XtsJob::encrypt(key, block(&message.nonce), text, number).expect("a good length")
    }, both;
    XtsDecrypt: XtsJob<'static, Vec<u8>, usize>, |key, message, text, _tag, number| {
        XtsJob::decrypt(key, block(&message.nonce), text, number).expect("a good length")
    }, both;
    ChaCha20: ChaChaJob<'static, Vec<u8>, usize>, |key, message, text, _tag, number| {
        let (counter, nonce) = counter_and_nonce(&message.nonce);
        ChaChaJob::chacha20(key, counter, nonce, text, number).expect("counters enough")
    }, both;
    Seal: GcmJob<'static, Vec<u8>, Vec<u8>, Vec<u8>, usize>, |key, message, text, _tag, number| {
        let Message { nonce, associated, .. } = message.clone();
        GcmJob::seal(key, nonce, associated, text, number).expect("good lengths")
    }, both;
    Open: GcmJob<'static, Vec<u8>, Vec<u8>, Vec<u8>, usize>, |key, message, text, tag, number| {
        let Message { nonce, associated, .. } = message.clone();
        // A tag may be cut, to one of these lengths.
        let tag = &tag[..[16, 12, 4, 13, 8][number % 5]];
        GcmJob::open_truncated(key, nonce, associated, text, tag, tag.len(), number)
            .expect("good lengths")
    }, text_alone;
    CcmSeal: CcmJob<'static, Vec<u8>, Vec<u8>, usize>, |key, message, text, _tag, number| {
        let Message { nonce, associated, .. } = message.clone();
        CcmJob::seal(key, &nonce, associated, text, ccm_tag_len(&nonce), number)
            .expect("good lengths")
    }, ccm_both;
    CcmOpen: CcmJob<'static, Vec<u8>, Vec<u8>, usize>, |key, message, text, tag, number| {
        let Message { nonce, associated, .. } = message.clone();
        let tag = &tag[..ccm_tag_len(&nonce)];
        CcmJob::open(key, &nonce, associated, text, tag, tag.len(), number).expect("good lengths")
    }, text_alone;
    ChaChaSeal: ChaChaPolyJob<'static, Vec<u8>, Vec<u8>, usize>,
    |key, message, text, _tag, number| {
        let associated = message.associated.clone();
        ChaChaPolyJob::seal(key, &block(&message.nonce), associated, text, number)
            .expect("a good length")
    }, both;
    ChaChaOpen: ChaChaPolyJob<'static, Vec<u8>, Vec<u8>, usize>, |key, message, text, tag, number| {
        let associated = message.associated.clone();
        ChaChaPolyJob::open(key, &block(&message.nonce), associated, text, &block(tag), number)
            .expect("a good length")
    }, text_alone;
    XChaChaSeal: XChaChaPolyJob<'static, Vec<u8>, Vec<u8>, usize>,
    |key, message, text, _tag, number| {
        let associated = message.associated.clone();
        XChaChaPolyJob::seal(key, &block(&message.nonce), associated, text, number)
            .expect("a good length")
    }, both;
    XChaChaOpen: XChaChaPolyJob<'static, Vec<u8>, Vec<u8>, usize>,
    |key, message, text, tag, number| {
        let associated = message.associated.clone();
        XChaChaPolyJob::open(key, &block(&message.nonce), associated, text, &block(tag), number)
            .expect("a good length")
    }, text_alone;
    Gmac: GmacJob<'static, Vec<u8>, Vec<u8>, usize>, |key, message, text, _tag, number| {
        GmacJob::gmac(key, message.nonce.clone(), text, number).expect("a nonce")
    }, tag_alone;
    Cmac: CmacJob<'static, Vec<u8>, usize>, |key, _message, text, _tag, number| {
        CmacJob::cmac(key, text, number)
    }, tag_alone;
    Xcbc: CmacJob<'static, Vec<u8>, usize>, |key, _message, text, _tag, number| {
        CmacJob::xcbc(key, text, number)
    }, tag_alone;
}

/// F8, of all bits but some.
pub struct F8;

/// F9, of all bits but some.
pub struct F9;

const KASUMI_KEY: [u8; 16] = *b"a key for KASUMI";

fn kasumi_key() -> &'static KasumiKey {
    static KEY: OnceLock<KasumiKey> = OnceLock::new();
    KEY.get_or_init(|| KasumiKey::new(&KASUMI_KEY))
}

fn link(number: usize) -> LinkDirection {
    if number.is_multiple_of(2) { LinkDirection::Uplink } else { LinkDirection::Downlink }
}

/// The reference is slow.
fn short(number: usize, len: usize) -> (Vec<u8>, usize) {
    let len = len % 200;
    (bytes(number, len), (8 * len).saturating_sub(number % 19))
}

impl Kind for F8 {
    type Job = F8Job<'static, Vec<u8>, usize>;
    const NAME: &'static str = "f8";

    fn job(number: usize, len: usize) -> Self::Job {
        let (text, bits) = short(number, len);
        let (count, bearer) = (number as u32, (number % 32) as u8);
        F8Job::f8(kasumi_key(), count, bearer, link(number), text, bits, number)
            .expect("good lengths")
    }

    fn expected(number: usize, len: usize) -> Vec<u8> {
        let (text, bits) = short(number, len);
        kasumi::f8(&KASUMI_KEY, (number as u32, (number % 32) as u8, link(number)), &text, bits)
    }
}

impl Kind for F9 {
    type Job = F9Job<'static, Vec<u8>, usize>;
    const NAME: &'static str = "f9";

    fn job(number: usize, len: usize) -> Self::Job {
        let (text, bits) = short(number, len);
        let (count, fresh) = (number as u32, !number as u32);
        F9Job::f9(kasumi_key(), count, fresh, link(number), text, bits, number)
            .expect("good lengths")
    }

    fn expected(number: usize, len: usize) -> Vec<u8> {
        let (text, bits) = short(number, len);
        kasumi::f9(&KASUMI_KEY, (number as u32, !number as u32, link(number)), &text, bits).to_vec()
    }
}

/// Calls a generic check with the kinds of every mode.
macro_rules! every_packet_kind {
    ($check:ident($($argument:expr),*)) => {
        every_packet_kind!(@ $check($($argument),*)
            Ctr EcbEncrypt EcbDecrypt CfbEncrypt CfbDecrypt Ofb XtsEncrypt XtsDecrypt
            Seal Open CcmSeal CcmOpen Gmac Cmac Xcbc;
            ChaCha20 ChaChaSeal ChaChaOpen XChaChaSeal XChaChaOpen);
        $check::<$crate::common::packet_kinds::F8>($($argument),*);
        $check::<$crate::common::packet_kinds::F9>($($argument),*);
    };
    (@ $check:ident $arguments:tt $($mode:ident)*; $($chacha:ident)*) => { $(
        every_packet_kind!(@ $check $arguments packets::$mode);
    )* $(
        every_packet_kind!(@ $check $arguments chacha::$chacha);
    )* };
    (@ $check:ident ($($argument:expr),*) $module:ident::$mode:ident) => {
        $check::<$crate::common::packet_kinds::Packets<$crate::common::$module::$mode>>(
            $($argument),*
        );
    };
}
pub(crate) use every_packet_kind;
