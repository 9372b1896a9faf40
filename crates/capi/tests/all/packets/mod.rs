//! Packets as C protects them: flows of all protocols, and bursts.

mod bursts;
mod esp;
mod mixed;

use std::ptr;

use broadloom_capi::*;

pub use crate::common::{last_error, zeroed};

/// Room before and behind each packet.
const ROOM: usize = 256;

/// A flow that is closed when it is dropped.
pub struct Flow(pub *mut bl_flow);

impl Flow {
    /// Opens a flow with a function of its protocol.
    pub fn open(open: impl FnOnce(*mut *mut bl_flow) -> bl_status) -> Result<Flow, bl_status> {
        let mut flow = ptr::null_mut();
        match open(&mut flow) {
            BL_OK => Ok(Flow(flow)),
            status => {
                assert!(flow.is_null(), "a call that fails writes no flow");
                Err(status)
            }
        }
    }

    pub fn statistics(&self) -> bl_flow_statistics {
        let size = size_of::<bl_flow_statistics>();
        let mut statistics = bl_flow_statistics { size, ..zeroed() };
        // SAFETY: the flow is open, and the place is a variable.
        assert_eq!(unsafe { bl_flow_read(self.0, &mut statistics) }, BL_OK);
        statistics
    }

    pub fn room(&self) -> (usize, usize) {
        let (mut head, mut tail) = (0, 0);
        // SAFETY: the flow is open, and the places are variables.
        assert_eq!(unsafe { bl_flow_room(self.0, &mut head, &mut tail) }, BL_OK);
        (head, tail)
    }
}

impl Drop for Flow {
    fn drop(&mut self) {
        // SAFETY: it is open, and used no more.
        unsafe { bl_flow_close(self.0) };
    }
}

/// A processor that is closed when it is dropped.
pub struct Processor(pub *mut bl_processor);

impl Processor {
    pub fn new() -> Processor {
        let mut processor = ptr::null_mut();
        // SAFETY: the place is a variable.
        assert_eq!(unsafe { bl_processor_open(&mut processor) }, BL_OK);
        Processor(processor)
    }

    pub fn protect(&self, packets: &mut [bl_packet]) -> bl_status {
        // SAFETY: the tests' packets are as documented.
        unsafe { bl_protect_burst(self.0, packets.as_mut_ptr(), packets.len()) }
    }

    pub fn unprotect(&self, packets: &mut [bl_packet]) -> bl_status {
        // SAFETY: the tests' packets are as documented.
        unsafe { bl_unprotect_burst(self.0, packets.as_mut_ptr(), packets.len()) }
    }
}

impl Drop for Processor {
    fn drop(&mut self) {
        // SAFETY: it is open, and used no more.
        unsafe { bl_processor_close(self.0) };
    }
}

/// A text in the middle of a buffer.
pub struct Buffer(Vec<u8>, usize);

impl Buffer {
    pub fn new(text: &[u8]) -> Buffer {
        Buffer([&[0xee; ROOM][..], text, &[0xee; ROOM]].concat(), text.len())
    }

    /// The packet of a flow in this buffer.
    pub fn packet(&mut self, flow: &Flow) -> bl_packet {
        self.packet_of(flow.0)
    }

    /// The same with a pointer to the flow.
    pub fn packet_of(&mut self, flow: *const bl_flow) -> bl_packet {
        bl_packet {
            size: size_of::<bl_packet>(),
            flow,
            buffer: self.0.as_mut_ptr(),
            room: self.0.len(),
            begin: ROOM,
            len: self.1,
            ..zeroed()
        }
    }

    /// The bytes of a packet that was processed.
    pub fn of(&self, packet: &bl_packet) -> Vec<u8> {
        self.0[packet.begin..packet.begin + packet.len].to_vec()
    }
}

/// Protects or unprotects texts of one flow, and says how each packet went, with its bytes.
pub fn run(
    flow: &Flow,
    texts: &[Vec<u8>],
    kind: u32,
    way: fn(&Processor, &mut [bl_packet]) -> bl_status,
) -> Vec<(bl_status, Vec<u8>)> {
    let mut buffers: Vec<Buffer> = texts.iter().map(|text| Buffer::new(text)).collect();
    let mut packets: Vec<bl_packet> =
        buffers.iter_mut().map(|buffer| bl_packet { kind, ..buffer.packet(flow) }).collect();
    let status = way(&Processor::new(), &mut packets);
    let failed = packets.iter().any(|packet| packet.status != BL_OK);
    assert_eq!(status, if failed { BL_E_PACKETS } else { BL_OK }, "{}", last_error());
    let pairs = packets.iter().zip(&buffers);
    pairs.map(|(packet, buffer)| (packet.status, buffer.of(packet))).collect()
}

/// Protects texts of one flow, and returns what is sent.
pub fn protect(flow: &Flow, texts: &[Vec<u8>], kind: u32) -> Vec<Vec<u8>> {
    let sent = run(flow, texts, kind, Processor::protect);
    assert!(sent.iter().all(|(status, _)| *status == BL_OK), "{}", last_error());
    sent.into_iter().map(|(_, bytes)| bytes).collect()
}
