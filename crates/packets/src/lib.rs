//! Packets and records of network protocols, protected in bursts over many flows.
//!
//! - A [`Flow`] holds the keys and the sequence state of one direction of one connection. Each
//!   protocol has a module with its flows.
//! - A [`Packet`] names its flow and holds a buffer, in which the packet occupies a range. A
//!   protocol may need room before or behind that range for its headers, its padding and its tag.
//! - A [`PacketProcessor`] protects or unprotects a burst of packets within the call. A
//!   [`PacketWorkers`] divides a burst among threads, or has each thread work on bursts of its own.
//!   A processor also makes [`Prepared`] packets, which go through the engine's queue pairs and
//!   workers as its jobs do.
//!
//! How a burst is protected:
//!
//! 1. Each packet's flow takes the next sequence number, writes the headers and answers with a
//!    [`Plan`]: a session, a nonce, and the ranges to encrypt and to authenticate.
//! 2. All plans become jobs of the engine, which go to their providers in one call.
//! 3. Where the protocol protects its headers with a mask (QUIC, DTLS 1.3), a second burst computes
//!    all masks from the ciphertexts.
//! 4. Each flow completes its packets.
//!
//! A burst is unprotected in the same way, with the masks first. A replay window moves in the last
//! step, after the packet was authenticated, so that two packets with the same number in one burst
//! never both pass.

#![forbid(unsafe_code)]

/// The README of the crate, whose examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod burst;
mod counters;
pub mod dtls;
mod error;
pub mod esp;
mod flow;
mod frame;
mod near;
mod packet;
mod plan;
mod prepared;
pub mod quic;
pub mod records;
mod replay;
pub mod srtp;
pub mod tls;
pub mod wireguard;
mod workers;

pub use burst::{BurstOutcome, PacketProcessor};
pub use counters::{Counters, FlowStatistics};
pub use error::{FlowError, PacketError};
pub use flow::{Flow, Flows};
pub use frame::Frame;
pub use packet::{FlowRef, Packet};
pub use plan::{Associated, MAX_COMPOSED, MAX_NONCE, MAX_TAG, Mask, Plan, Step, TagPlace, Work};
pub use prepared::Prepared;
pub use replay::{ReplayWindow, WindowError};
pub use workers::PacketWorkers;
