//! Flows of packets: ESP, SRTP, QUIC, WireGuard, and records of TLS and DTLS.
//!
//! Python's tests compare them with other implementations. So a call takes packets as bytes and
//! gives bytes, each in a buffer with room for any protocol; a gateway would lend buffers of its
//! own.

mod open;

use std::cell::RefCell;

use broadloom_packets::dtls::{Dtls12Flow, Dtls13Flow, DtlsMeta};
use broadloom_packets::esp::{EspFlow, EspMeta};
use broadloom_packets::quic::{QuicFlow, QuicMeta};
use broadloom_packets::records::ContentType;
use broadloom_packets::srtp::SrtpSession;
use broadloom_packets::tls::{RecordMeta, Tls12Flow, Tls13Flow};
use broadloom_packets::wireguard::WireGuardFlow;
use broadloom_packets::{
    Flow as PacketFlow, FlowStatistics, Packet, PacketError as Refusal, PacketProcessor,
};
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use crate::buffers::Buffers;
use crate::error;

pub use open::{
    packets_esp, packets_quic, packets_quic_initial, packets_records, packets_srtp,
    packets_wireguard,
};

pyo3::create_exception!(
    broadloom.packets,
    PacketError,
    PyException,
    "A packet was refused. Nothing of it is given, and its neighbours are not disturbed.\n\n\
     `reason` is a word for the kind of refusal: `replay`, `integrity`, `runt` and so on."
);

/// Bytes before each packet: more than the headers of any protocol.
const HEAD: usize = 128;

/// Bytes behind each packet: more than any padding and tag.
const TAIL: usize = 512;

thread_local! {
    /// What this thread has open at the providers, for packets.
    static PROCESSOR: RefCell<PacketProcessor> = RefCell::default();
}

/// Which way packets go.
#[derive(Clone, Copy)]
enum Way {
    Protect,
    Unprotect,
}

/// What accompanies the packets of a call that are to be protected.
struct Sent<'a> {
    /// The kind of all of them.
    kind: Option<u8>,
    /// The number of each.
    numbers: Option<&'a [u64]>,
}

/// What comes of a packet: its bytes and its kind, or why it was refused.
type Done = Result<(Vec<u8>, Option<u8>), Refusal>;

/// A protocol whose packets Python can give.
trait Protocol: PacketFlow {
    /// The name, for messages.
    const NAME: &str;
    /// What a kind of packets is; `None` if all packets are of one kind.
    const KIND: Option<&str> = None;
    /// Whether a caller may say what number a packet gets.
    const TAKES_NUMBERS: bool = false;

    /// Returns what accompanies a packet.
    fn meta(kind: Option<u8>, number: Option<u64>) -> Self::Meta;

    /// Returns the kind of a packet that was unprotected.
    fn kind(meta: &Self::Meta) -> Option<u8>;
}

/// Protocols whose packets are all of one kind.
macro_rules! one_kind {
    ($($flow:ty => $name:literal,)+) => { $(
        impl Protocol for $flow {
            const NAME: &str = $name;

            fn meta(_: Option<u8>, _: Option<u64>) -> Self::Meta {
                Self::Meta::default()
            }

            fn kind(_: &Self::Meta) -> Option<u8> {
                None
            }
        }
    )+ };
}

one_kind! {
    SrtpSession => "SRTP",
    WireGuardFlow => "WireGuard",
}

impl Protocol for EspFlow {
    const NAME: &str = "ESP";
    const KIND: Option<&str> = Some("the next header");

    fn meta(kind: Option<u8>, _: Option<u64>) -> EspMeta {
        kind.map_or_else(EspMeta::default, EspMeta::payload)
    }

    fn kind(meta: &EspMeta) -> Option<u8> {
        Some(meta.next_header)
    }
}

impl Protocol for QuicFlow {
    const NAME: &str = "QUIC";
    const TAKES_NUMBERS: bool = true;

    fn meta(_: Option<u8>, number: Option<u64>) -> QuicMeta {
        number.map_or_else(QuicMeta::default, QuicMeta::with_number)
    }

    fn kind(_: &QuicMeta) -> Option<u8> {
        None
    }
}

/// Protocols of records, whose kind is the type of their content.
macro_rules! records {
    ($($flow:ty => $name:literal, $meta:expr, $kind:expr;)+) => { $(
        impl Protocol for $flow {
            const NAME: &str = $name;
            const KIND: Option<&str> = Some("the content type");

            fn meta(kind: Option<u8>, _: Option<u64>) -> Self::Meta {
                let content_type = kind.map_or_else(ContentType::default, ContentType);
                let meta: fn(ContentType) -> Self::Meta = $meta;
                meta(content_type)
            }

            fn kind(meta: &Self::Meta) -> Option<u8> {
                let content_type: fn(&Self::Meta) -> ContentType = $kind;
                Some(content_type(meta).0)
            }
        }
    )+ };
}

records! {
    Tls12Flow => "TLS 1.2", |content_type| content_type, |meta| *meta;
    Tls13Flow => "TLS 1.3",
        |content_type| RecordMeta { content_type, padding: 0 }, |meta| meta.content_type;
    Dtls12Flow => "DTLS 1.2", DtlsMeta::new, |meta| meta.content_type;
    Dtls13Flow => "DTLS 1.3", DtlsMeta::new, |meta| meta.content_type;
}

/// A flow of any protocol.
trait AnyFlow: Send + Sync {
    fn name(&self) -> &'static str;

    /// What a kind of packets is, if the protocol has kinds.
    fn has_kinds(&self) -> Option<&'static str>;

    fn takes_numbers(&self) -> bool;

    fn run(&self, way: Way, packets: &Buffers, sent: &Sent<'_>) -> Vec<Done>;

    fn statistics(&self) -> FlowStatistics;
}

impl<F: Protocol> AnyFlow for F {
    fn name(&self) -> &'static str {
        F::NAME
    }

    fn has_kinds(&self) -> Option<&'static str> {
        F::KIND
    }

    fn takes_numbers(&self) -> bool {
        F::TAKES_NUMBERS
    }

    fn run(&self, way: Way, packets: &Buffers, sent: &Sent<'_>) -> Vec<Done> {
        let packet = |index: usize| {
            let bytes = packets.get(index);
            let range = HEAD..HEAD + bytes.len();
            let mut buffer = vec![0; range.end + TAIL];
            buffer[range.clone()].copy_from_slice(bytes);
            let number = sent.numbers.map(|numbers| numbers[index]);
            Packet::new(self, buffer, range).with_meta(F::meta(sent.kind, number))
        };
        let mut burst: Vec<_> = (0..packets.len()).map(packet).collect();
        PROCESSOR.with_borrow_mut(|processor| match way {
            Way::Protect => processor.protect_burst(&mut burst),
            Way::Unprotect => processor.unprotect_burst(&mut burst),
        });
        let done = |packet: &Packet<'_, F>| {
            packet.status().expect("a burst gives each packet a status")?;
            Ok((packet.bytes().to_vec(), F::kind(packet.meta())))
        };
        burst.iter().map(done).collect()
    }

    fn statistics(&self) -> FlowStatistics {
        self.counters().read()
    }
}

/// The keys and the state of a connection, or of one direction of it. `broadloom.packets` opens it.
#[pyclass(module = "broadloom.packets", frozen)]
pub struct Flow(Box<dyn AnyFlow>);

#[pymethods]
impl Flow {
    /// Protects packets, and gives for each its bytes as they are sent, or the `PacketError` why it
    /// was refused.
    ///
    /// :param packets: as each protocol has them before they are protected.
    /// :param kind: the kind of all packets: the next header of ESP, or the content type of
    ///     records.
    /// :param numbers: a packet number for each, for a flow of QUIC with `given_numbers`.
    #[pyo3(signature = (packets, *, kind = None, numbers = None))]
    fn protect_many<'py>(
        &self,
        packets: &Bound<'py, PyAny>,
        kind: Option<u8>,
        numbers: Option<Vec<u64>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let name = self.0.name();
        if kind.is_some() && self.0.has_kinds().is_none() {
            return Err(PyValueError::new_err(format!("packets of {name} have no kind")));
        }
        let burst = Buffers::many(packets, "packets")?;
        if let Some(numbers) = &numbers {
            if !self.0.takes_numbers() {
                let message = format!("a flow of {name} numbers its packets by itself");
                return Err(PyValueError::new_err(message));
            }
            if numbers.len() != burst.len() {
                return Err(error::count("numbers", numbers.len(), burst.len()));
            }
        }
        let sent = Sent { kind, numbers: numbers.as_deref() };
        let done = packets.py().detach(|| self.0.run(Way::Protect, &burst, &sent));
        results(packets.py(), done, false)
    }

    /// Unprotects packets, and gives for each what it carries, or the `PacketError` why it was
    /// refused.
    ///
    /// :param packets: as they came.
    /// :param with_kinds: for each packet, give a pair of what it carries and its kind.
    #[pyo3(signature = (packets, *, with_kinds = false))]
    fn unprotect_many<'py>(
        &self,
        packets: &Bound<'py, PyAny>,
        with_kinds: bool,
    ) -> PyResult<Bound<'py, PyList>> {
        if with_kinds && self.0.has_kinds().is_none() {
            let message = format!("packets of {} have no kind", self.0.name());
            return Err(PyValueError::new_err(message));
        }
        let burst = Buffers::many(packets, "packets")?;
        let sent = Sent { kind: None, numbers: None };
        let done = packets.py().detach(|| self.0.run(Way::Unprotect, &burst, &sent));
        results(packets.py(), done, with_kinds)
    }

    /// What the flow has counted: `packets` and `bytes` that were delivered, and the number of
    /// packets that were refused by each reason.
    fn statistics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let FlowStatistics { packets, bytes, errors } = self.0.statistics();
        let counts = PyDict::new(py);
        counts.set_item("packets", packets)?;
        counts.set_item("bytes", bytes)?;
        for (reason, count) in Refusal::NAMES.into_iter().zip(errors) {
            counts.set_item(reason, count)?;
        }
        Ok(counts)
    }

    fn __repr__(&self) -> String {
        format!("<broadloom.packets.Flow: {}>", self.0.name())
    }
}

/// What Python gets for each packet.
fn results(py: Python<'_>, done: Vec<Done>, with_kinds: bool) -> PyResult<Bound<'_, PyList>> {
    let result = |done: Done| match done {
        Err(refusal) => refused(py, refusal),
        Ok((bytes, kind)) => {
            let bytes = PyBytes::new(py, &bytes);
            match with_kinds {
                true => Ok((bytes, kind).into_pyobject(py)?.into_any()),
                false => Ok(bytes.into_any()),
            }
        }
    };
    PyList::new(py, done.into_iter().map(result).collect::<PyResult<Vec<_>>>()?)
}

/// The exception for a packet that was refused. It is given, and not raised.
fn refused(py: Python<'_>, refusal: Refusal) -> PyResult<Bound<'_, PyAny>> {
    let error = PacketError::new_err(refusal.to_string()).into_value(py).into_bound(py);
    error.setattr("reason", refusal.name())?;
    Ok(error.into_any())
}
