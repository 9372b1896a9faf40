//! Packets as C describes them.

use std::ffi::c_void;

use broadloom_packets::Packet;

use super::any::{AnyFlow, Meta};
use super::flow::bl_flow;
use crate::fault::{Fault, bytes, bytes_mut, check_size, object};
use crate::status::{BL_OK, bl_status};

/// A packet in a buffer that has room before and behind it, for headers, padding and tags
/// (`bl_flow_room` says how much). Set all members to zero but those that are needed; `size` always
/// is.
///
/// During the call that takes a packet, all of its buffer belongs to the library, and the buffers
/// of the packets of one burst do not overlap.
///
/// A packet that is refused has its `status`, and its other members are as they were. The bytes of
/// one that is not authentic may have been wiped.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct bl_packet {
    /// sizeof(bl_packet)
    pub size: usize,
    /// The packet's flow: that of a `bl_..._open` of its protocol.
    pub flow: *const bl_flow,
    /// The buffer.
    pub buffer: *mut u8,
    /// Bytes of the buffer.
    pub room: usize,
    /// Where the packet begins in its buffer. Out: where the result begins, which may be earlier or
    /// later.
    pub begin: usize,
    /// Bytes of the packet. Out: bytes of the result.
    pub len: usize,
    /// Out: the packet's whole number: the sequence number of ESP (64 bits where it is extended),
    /// the index of SRTP and SRTCP, the packet number of QUIC, the counter of WireGuard, the
    /// number of a record. In: the number that a packet of QUIC gets, where its flow has
    /// `BL_QUIC_GIVEN_NUMBERS`.
    pub number: u64,
    /// Out: the epoch of a record of DTLS.
    pub epoch: u64,
    /// Of records that hide how long their content is: how many zeros to put behind it. Out: how
    /// many there were.
    pub padding: usize,
    /// The IV of a packet that is to be protected, where its flow of ESP has `BL_ESP_GIVEN_IVS`: 16
    /// bytes of AES-CBC, 8 of every other cipher. Otherwise null.
    pub iv: *const u8,
    /// What the packet is, by its protocol:
    ///
    /// - ESP: the protocol of what is protected, as IP numbers it, which is called next header.
    ///   Out: of an unprotected packet. In: of a payload that is to be protected in mode "payload";
    ///   in mode "tunnel", 59 asks for a dummy packet, and every other value is replaced.
    /// - SRTP: `BL_SRTP_MUXED`, `BL_SRTP_RTP` or `BL_SRTP_RTCP`.
    /// - QUIC: out: the key phase, 0 or 1.
    /// - Records: the type of the content; 0 is application data, which is 23. Out: of an
    ///   unprotected record.
    pub kind: u32,
    /// Out: how it went: `BL_OK`, a status `BL_PACKET_...`, or `BL_E_ARGUMENT` where a member is
    /// wrong.
    pub status: bl_status,
    /// For the caller.
    pub user: *mut c_void,
}

impl bl_packet {
    /// Adds the packet that stands for a caller's to a burst.
    ///
    /// # Safety
    /// It points to a packet as documented, which the caller lends, together with its buffer and
    /// its flow, until the packet of the burst is dropped.
    #[inline]
    pub(super) unsafe fn load(
        given: *mut bl_packet,
        burst: &mut Vec<Packet<'static, AnyFlow>>,
    ) -> Result<(), Fault> {
        // SAFETY: the caller vouches for the packet, of which the first member is a size.
        check_size::<bl_packet>(unsafe { (*given).size }, "bl_packet")?;
        // SAFETY: as above, for all of a packet of this size.
        let packet = unsafe { &*given };
        // SAFETY: the caller lends the flow and the buffer.
        let (flow, buffer): (&'static bl_flow, &'static mut [u8]) = unsafe {
            (object(packet.flow, "flow")?, bytes_mut(packet.buffer, packet.room, "buffer")?)
        };
        let (begin, len, room) = (packet.begin, packet.len, packet.room);
        if begin > room || len > room - begin {
            return Err(Fault::argument(format_args!(
                "a packet of {len} bytes that begins at {begin} is not within its buffer of {room} \
                 bytes"
            )));
        }
        let iv_len = flow.flow.given_iv_len();
        if iv_len == 0 && !packet.iv.is_null() {
            return Err(Fault::argument("the member iv of a packet whose flow takes none is set"));
        }
        // SAFETY: the caller vouches for the pointer.
        let iv = unsafe { bytes(packet.iv, iv_len, "iv") }?;
        let meta = Meta::new(&flow.flow, packet, iv)?;
        burst.push(Packet::new(&flow.flow, buffer, begin..begin + len).with_meta(meta));
        Ok(())
    }

    /// Tells the caller how a packet went.
    ///
    /// # Safety
    /// It points to the packet that was loaded.
    #[inline]
    pub(super) unsafe fn store(given: *mut bl_packet, packet: &Packet<'static, AnyFlow>) {
        // SAFETY: the caller vouches for the packet, and nobody else refers to it.
        let given = unsafe { &mut *given };
        let (range, meta) = (packet.range(), packet.meta());
        (given.begin, given.len, given.status) = (range.start, range.len(), BL_OK);
        meta.store(given);
    }
}
