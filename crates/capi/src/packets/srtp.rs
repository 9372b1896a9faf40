//! Flows of SRTP and SRTCP.

use std::ffi::{c_char, c_int};
use std::sync::Arc;

use broadloom_packets::srtp::{
    self, MasterKey, SrtpConfig, SrtpContext, SrtpProfile, SrtpSession, SrtpStream,
};

use super::any::AnyFlow;
use super::flow::{bl_flow, check_len, refused};
use crate::fault::{Fault, array, bytes, object, put, report, structure, text};
use crate::session::{REGISTRY, hand_out, take_back};
use crate::status::{BL_PACKET_RUNT, bl_status};

/// `bl_packet.kind`: RTP and RTCP come to one port, and the second byte of a packet says which it
/// is (RFC 5761).
pub const BL_SRTP_MUXED: u32 = 0;
/// `bl_packet.kind`: the packet is RTP.
pub const BL_SRTP_RTP: u32 = 1;
/// `bl_packet.kind`: the packet is RTCP.
pub const BL_SRTP_RTCP: u32 = 2;

/// `bl_srtp_config.flags`: RTCP that is sent is authenticated alone. Packets that are received say
/// themselves whether they are encrypted.
pub const BL_SRTP_PLAIN_RTCP: u32 = 1;
/// `bl_srtp_config.flags`: header extensions and contributing sources are encrypted as a whole
/// (Cryptex, RFC 9335).
pub const BL_SRTP_CRYPTEX: u32 = 2;

/// The longest identifier of a master key.
const MAX_MKI: usize = 128;

/// A master key of SRTP.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct bl_srtp_key {
    /// The master key: 16, 24 or 32 bytes, as the profile's name says.
    pub key: *const u8,
    /// Bytes of the key.
    pub key_len: usize,
    /// The master salt: 12 bytes with AES-GCM, else 14.
    pub salt: *const u8,
    /// Bytes of the salt.
    pub salt_len: usize,
    /// The identifier that packets carry (MKI), up to 128 bytes; may be null where there is one
    /// key.
    pub mki: *const u8,
    /// Bytes of the identifier; the same for all keys.
    pub mki_len: usize,
}

/// The keys of one direction of an SRTP session. Set all members to zero but those that are needed;
/// `size` always is.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct bl_srtp_config {
    /// sizeof(bl_srtp_config)
    pub size: usize,
    /// Cipher, MAC and tag: "srtp-aes-128-cm-hmac-sha1-80", "srtp-aes-128-gcm" and so on;
    /// `bl_packet_algorithm_name` lists all.
    pub profile: *const c_char,
    /// The master keys, 1 to 256. Packets are sent under the first, until `bl_srtp_send_with`.
    pub keys: *const bl_srtp_key,
    /// How many there are.
    pub key_count: usize,
    /// Packets of the replay window of each stream, 32 to 65536; 0: 128.
    pub window: u32,
    /// `BL_SRTP_PLAIN_RTCP`, `BL_SRTP_CRYPTEX`, or 0.
    pub flags: u32,
    /// The identifiers of the elements of header extensions that are encrypted (RFC 6904).
    pub encrypted_extensions: *const u8,
    /// How many there are.
    pub encrypted_extension_count: usize,
}

/// The session keys of one direction of an SRTP session, which all its streams share.
pub struct bl_srtp_context {
    context: Arc<SrtpContext>,
    room: (usize, usize),
}

impl bl_srtp_config {
    /// Opens the context.
    ///
    /// # Safety
    /// Its pointers are null or point to what their documentation says.
    unsafe fn open(&self) -> Result<bl_srtp_context, Fault> {
        // SAFETY: the caller vouches for the pointers.
        let (name, keys) =
            unsafe { (text(self.profile, "profile")?, array(self.keys, self.key_count, "keys")?) };
        let profile: SrtpProfile = name.parse().map_err(Fault::name)?;
        if self.flags & !(BL_SRTP_PLAIN_RTCP | BL_SRTP_CRYPTEX) != 0 {
            return Err(Fault::argument(format_args!(
                "bl_srtp_config.flags is {:#x}; valid: BL_SRTP_PLAIN_RTCP, BL_SRTP_CRYPTEX, 0",
                self.flags
            )));
        }
        // SAFETY: the caller vouches for the pointers.
        let masters = keys.iter().map(|key| unsafe { key.read(profile) });
        let mut config = SrtpConfig::new(profile, masters.collect::<Result<Vec<_>, _>>()?);
        if self.window != 0 {
            config.window = self.window;
        }
        config.encrypts_rtcp = self.flags & BL_SRTP_PLAIN_RTCP == 0;
        config.cryptex = self.flags & BL_SRTP_CRYPTEX != 0;
        let (identifiers, count) = (self.encrypted_extensions, self.encrypted_extension_count);
        if count > usize::from(u8::MAX) {
            return Err(Fault::argument(format_args!(
                "{count} encrypted extensions are more than there are; valid: 0 to 255"
            )));
        }
        // SAFETY: the caller vouches for the pointer.
        config.encrypted_extensions =
            unsafe { bytes(identifiers, count, "encrypted extensions") }?.to_vec();
        let context = SrtpContext::new(&REGISTRY, &config).map_err(refused)?;
        let mki_len = keys.first().map_or(0, |key| key.mki_len);
        // The header of an empty extension before, and behind also SRTCP's index.
        let head = if config.cryptex { 4 } else { 0 };
        let tail = profile.tag_len().max(profile.rtcp_tag_len()) + mki_len + 4;
        Ok(bl_srtp_context { context: Arc::new(context), room: (head, tail) })
    }
}

impl bl_srtp_key {
    /// The master key.
    ///
    /// # Safety
    /// Its pointers are null or point to what their documentation says.
    unsafe fn read(&self, profile: SrtpProfile) -> Result<MasterKey, Fault> {
        check_len("a master key", self.key_len, profile, profile.key_len())?;
        check_len("a master salt", self.salt_len, profile, profile.salt_len())?;
        // SAFETY: the caller vouches for the pointers.
        unsafe {
            let key = bytes(self.key, self.key_len, "master key")?;
            let salt = bytes(self.salt, self.salt_len, "master salt")?;
            Ok(MasterKey::new(key, salt).with_mki(mki(self.mki, self.mki_len)?))
        }
    }
}

/// The identifier of a master key.
///
/// # Safety
/// The pointer is null or points to so many bytes.
unsafe fn mki<'a>(place: *const u8, len: usize) -> Result<&'a [u8], Fault> {
    if len > MAX_MKI {
        return Err(Fault::argument(format_args!("an MKI has {len} bytes; valid: 0 to {MAX_MKI}")));
    }
    // SAFETY: the caller vouches for the pointer.
    unsafe { bytes(place, len, "MKI") }
}

/// Derives the session keys of one direction of an SRTP session. The keys are copied; the caller
/// may wipe its own. The two directions have contexts of their own, under master keys of their own.
///
/// `context`: out: the context; unchanged where the call fails.
///
/// Threads: any, at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_srtp_context_open(
    config: *const bl_srtp_config,
    context: *mut *mut bl_srtp_context,
) -> bl_status {
    // SAFETY: the caller vouches for the pointers.
    report(unsafe {
        structure(config, "bl_srtp_config")
            .and_then(|config| hand_out(config.open()?, context, "context"))
    })
}

/// Closes a context. Null is allowed. Flows that were opened of it live on; its keys are wiped when
/// the last of them is closed.
///
/// Threads: one; no other uses the context any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_srtp_context_close(context: *mut bl_srtp_context) {
    // SAFETY: the caller vouches for the pointer.
    drop(unsafe { take_back(context) });
}

/// Has all flows of a context send further packets under the master key with this identifier.
/// `BL_E_TRANSFORM` where no master key has it.
///
/// Threads: any, at once, also while bursts use flows of the context.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_srtp_send_with(
    context: *const bl_srtp_context,
    mki: *const u8,
    len: usize,
) -> bl_status {
    // SAFETY: the caller vouches for the pointers.
    report(unsafe {
        object(context, "context")
            .and_then(|context| context.context.send_with(self::mki(mki, len)?).map_err(refused))
    })
}

/// Opens a stream: the packets of one SSRC under the keys of a context. The caller numbers RTP
/// packets, and each number is protected once. SRTCP is numbered by the stream.
///
/// `roc`: the roll-over counter of the first packet: 0 unless the stream began before.
/// `rtcp_index`: the number of the first SRTCP packet that is sent. `flow`: out: the flow;
/// unchanged where the call fails.
///
/// Threads: any, at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_srtp_stream_open(
    context: *const bl_srtp_context,
    ssrc: u32,
    roc: u32,
    rtcp_index: u32,
    flow: *mut *mut bl_flow,
) -> bl_status {
    // SAFETY: the caller vouches for the pointers.
    report(unsafe {
        object(context, "context").and_then(|given| {
            let context = Arc::clone(&given.context);
            let stream = SrtpStream::resume(context, ssrc, roc, rtcp_index).map_err(refused)?;
            bl_flow::hand_out(AnyFlow::SrtpStream(stream), given.room, flow)
        })
    })
}

/// Opens a flow of all streams of a context, to which the first packet of an SSRC adds its stream:
/// one that is received after it was authenticated. It has at most `max_streams`; packets of
/// further SSRCs are refused with `BL_PACKET_WRONG_FLOW`.
///
/// `flow`: out: the flow; unchanged where the call fails.
///
/// Threads: any, at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_srtp_session_open(
    context: *const bl_srtp_context,
    max_streams: usize,
    flow: *mut *mut bl_flow,
) -> bl_status {
    // SAFETY: the caller vouches for the pointers.
    report(unsafe {
        object(context, "context").and_then(|given| {
            let session = SrtpSession::new(Arc::clone(&given.context), max_streams);
            bl_flow::hand_out(AnyFlow::SrtpSession(session), given.room, flow)
        })
    })
}

/// The roll-over counter of a stream of a flow.
///
/// `roc`: out. `BL_E_ARGUMENT` where the flow has no such stream.
///
/// Threads: any, at once, also while bursts use the flow.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_srtp_roc(flow: *const bl_flow, ssrc: u32, roc: *mut u32) -> bl_status {
    // SAFETY: the caller vouches for the pointers.
    report(unsafe {
        object(flow, "flow").and_then(|flow| {
            let found = match &flow.flow {
                AnyFlow::SrtpStream(stream) => (stream.ssrc() == ssrc).then(|| stream.roc()),
                AnyFlow::SrtpSession(session) => session.roc(ssrc),
                other => return Err(other.is_no("flow of SRTP")),
            };
            put(roc, "roc", found.ok_or_else(|| no_stream(ssrc))?)
        })
    })
}

/// Removes a stream that was received from the flow of a session, when its SSRC has left for good:
/// a later packet of the SSRC adds it again, and then packets that were received before pass once
/// more. Never remove a stream that was sent.
///
/// `BL_E_ARGUMENT` where the flow has no such stream.
///
/// Threads: any, at once, also while bursts use the flow.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_srtp_remove(flow: *const bl_flow, ssrc: u32) -> bl_status {
    // SAFETY: the caller vouches for the pointer.
    report(unsafe { object(flow, "flow") }.and_then(|flow| match &flow.flow {
        AnyFlow::SrtpSession(session) if session.remove(ssrc) => Ok(()),
        AnyFlow::SrtpSession(_) => Err(no_stream(ssrc)),
        other => Err(other.is_no("flow of an SRTP session")),
    }))
}

#[cold]
fn no_stream(ssrc: u32) -> Fault {
    Fault::argument(format_args!("the flow has no stream with the SSRC {ssrc:#x}"))
}

/// The SSRC of a packet of RTP or RTCP, protected or not, by which its stream is found.
///
/// `ssrc`: out. `BL_PACKET_RUNT` where the packet is too short to have one.
///
/// Threads: any, at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_srtp_ssrc(packet: *const u8, len: usize, ssrc: *mut u32) -> bl_status {
    // SAFETY: the caller vouches for the pointers.
    report(unsafe {
        bytes(packet, len, "packet").and_then(|packet| {
            let runt = || {
                let text = format!("a packet of {len} bytes is too short to have an SSRC");
                Fault::new(BL_PACKET_RUNT, text)
            };
            put(ssrc, "SSRC", srtp::ssrc(packet).ok_or_else(runt)?)
        })
    })
}

/// 1 where a packet is RTCP, as its second byte says where both come to one port (RFC 5761); else
/// 0.
///
/// Threads: any, at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_srtp_is_rtcp(packet: *const u8, len: usize) -> c_int {
    // SAFETY: the caller vouches for the pointer.
    let packet = unsafe { bytes(packet, len, "packet") };
    packet.is_ok_and(srtp::is_rtcp).into()
}
