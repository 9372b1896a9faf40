//! Flows of IPsec ESP.

use std::ffi::c_char;
use std::net::IpAddr;

use broadloom_packets::esp::{
    self, EspAlgorithm, EspConfig, EspFlow, EspKeys, Mode, Tunnel, UDP_PORT, UdpPorts,
};

use super::any::AnyFlow;
use super::flow::{bl_flow, check_len, refused};
use crate::fault::{Fault, bytes, object, optional_text, report, structure, text};
use crate::session::REGISTRY;
use crate::status::bl_status;

/// `bl_esp_config.flags`: sequence numbers have 64 bits, of which the low 32 are sent (RFC 4303,
/// 2.2.1).
pub const BL_ESP_EXTENDED: u32 = 1;
/// `bl_esp_config.flags`: packets travel in UDP (RFC 3948).
pub const BL_ESP_UDP: u32 = 2;
/// `bl_esp_config.flags`: outer headers have the DSCP that is given, rather than that of the inner
/// packet.
pub const BL_ESP_SET_DSCP: u32 = 4;
/// `bl_esp_config.flags`: outer headers of IPv4 forbid fragments, whatever the inner packet does.
pub const BL_ESP_SET_DONT_FRAGMENT: u32 = 8;
/// `bl_esp_config.flags`: outer headers of IPv4 permit fragments, whatever the inner packet does.
pub const BL_ESP_CLEAR_DONT_FRAGMENT: u32 = 16;

/// `bl_esp_config.flags`: outer headers of IPv6 have the flow label that is given, rather than that
/// of the inner packet.
pub const BL_ESP_SET_FLOW_LABEL: u32 = 32;
/// `bl_esp_config.flags`: a flow that unprotects takes packets in UDP from any port to any port.
pub const BL_ESP_ANY_PORTS: u32 = 64;
/// `bl_esp_config.flags`: a flow that unprotects has no replay window, and takes packets that it
/// has received before (RFC 4303, 3.4.3). Not with `BL_ESP_EXTENDED`.
pub const BL_ESP_NO_WINDOW: u32 = 128;
/// `bl_esp_config.flags`: a flow that protects takes the IV of each packet from `bl_packet.iv`. The
/// caller must never give an IV twice under one key and, for CBC, none that can be predicted.
pub const BL_ESP_GIVEN_IVS: u32 = 256;

const FLAGS: u32 = (BL_ESP_GIVEN_IVS << 1) - 1;
/// The flags that only a tunnel has.
const TUNNEL_FLAGS: u32 =
    BL_ESP_SET_DSCP | BL_ESP_SET_DONT_FRAGMENT | BL_ESP_CLEAR_DONT_FRAGMENT | BL_ESP_SET_FLOW_LABEL;

/// One direction of a security association of IPsec ESP (RFC 4303). Set all members to zero but
/// those that are needed; `size` always is.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct bl_esp_config {
    /// sizeof(bl_esp_config)
    pub size: usize,
    /// The algorithm: "esp-aes-128-gcm", "esp-aes-128-cbc-hmac-sha1" and so on;
    /// `bl_packet_algorithm_name` lists all.
    pub algorithm: *const c_char,
    /// "protect" (null is the same) for a flow whose packets are sent, "unprotect" for one whose
    /// packets are received.
    pub direction: *const c_char,
    /// The key of the cipher or of the AEAD.
    pub key: *const u8,
    /// Bytes of the key.
    pub key_len: usize,
    /// The salt, which key exchanges deliver behind the key: 4 bytes of AES-GCM, AES-GMAC, AES-CTR
    /// and ChaCha20-Poly1305, 3 of AES-CCM, else none.
    pub salt: *const u8,
    /// Bytes of the salt.
    pub salt_len: usize,
    /// The key of HMAC, as long as the hash's digest.
    pub integrity_key: *const u8,
    /// Bytes of that key.
    pub integrity_key_len: usize,
    /// The security parameters index, from 1 on. No key exchange gives one up to 255.
    pub spi: u32,
    /// `BL_ESP_EXTENDED` and so on, or 0.
    pub flags: u32,
    /// What packets are, before they are protected and after they are unprotected: "payload" (null
    /// is the same), without an IP header; "transport", IP packets of which the payload is
    /// protected; "tunnel", IP packets that are protected as a whole.
    pub mode: *const c_char,
    /// Of a tunnel: the address of this end, in network order.
    pub source: *const u8,
    /// Of a tunnel: the address of the other end.
    pub destination: *const u8,
    /// Bytes of both addresses: 4 or 16; 0 where there is no tunnel.
    pub address_len: usize,
    /// The source port of UDP; 0: 4500, and a flow that unprotects takes packets from any port.
    pub udp_source: u16,
    /// The destination port of UDP; 0: 4500.
    pub udp_destination: u16,
    /// Of a tunnel: the time to live or hop limit of outer headers; 0: 64.
    pub hop_limit: u8,
    /// Of a tunnel with `BL_ESP_SET_DSCP`: the differentiated services code point, up to 63.
    pub dscp: u8,
    /// Packets of the replay window of a flow that unprotects, 32 to 65536; 0: 64.
    pub window: u32,
    /// Of a tunnel with `BL_ESP_SET_FLOW_LABEL`: the flow label, of 20 bits.
    pub flow_label: u32,
    /// The number of the first packet; 0: 1. No two flows may protect packets with the same numbers
    /// under the same key.
    pub first_number: u64,
    /// The hard limit: a flow refuses packets with `BL_PACKET_KEY_USED_UP` after so many; 0: none
    /// but the end of the sequence numbers.
    pub packet_limit: u64,
    /// Of a tunnel: shorter packets are padded to so many bytes before they are encrypted, which
    /// hides how long they are; 0: none are.
    pub pad_to: usize,
}

impl bl_esp_config {
    /// Opens the flow.
    ///
    /// # Safety
    /// Its pointers are null or point to what their documentation says.
    unsafe fn open(&self) -> Result<EspFlow, Fault> {
        // SAFETY: the caller vouches for the pointers.
        let (name, direction, mode) = unsafe {
            (
                text(self.algorithm, "algorithm")?,
                optional_text(self.direction, "direction")?,
                optional_text(self.mode, "mode")?,
            )
        };
        let algorithm: EspAlgorithm = name.parse().map_err(Fault::name)?;
        check_len("a key", self.key_len, algorithm, algorithm.key_len())?;
        check_len("a salt", self.salt_len, algorithm, algorithm.salt_len())?;
        let integrity_len = algorithm.integrity_key_len();
        check_len("a key of HMAC", self.integrity_key_len, algorithm, integrity_len)?;
        // SAFETY: the caller vouches for the pointers.
        let keys = unsafe {
            EspKeys {
                key: bytes(self.key, self.key_len, "key")?,
                salt: bytes(self.salt, self.salt_len, "salt")?,
                integrity: bytes(self.integrity_key, self.integrity_key_len, "integrity key")?,
            }
        };
        let unprotects = match direction {
            None | Some("protect") => false,
            Some("unprotect") => true,
            Some(other) => {
                let text =
                    format!("{other:?} is no direction of a flow; valid: protect, unprotect");
                return Err(Fault::name(text));
            }
        };
        if unprotects && self.flags & BL_ESP_GIVEN_IVS != 0 {
            return Err(Fault::argument("BL_ESP_GIVEN_IVS is for a flow that protects"));
        }
        if self.flags & !FLAGS != 0 {
            let flags = self.flags;
            let text = format!("bl_esp_config.flags is {flags:#x}; valid: a sum of BL_ESP_...");
            return Err(Fault::argument(text));
        }
        let or = |given: u64, default: u64| if given == 0 { default } else { given };
        let mut config = EspConfig::new(algorithm, keys, self.spi);
        // SAFETY: the caller vouches for the pointers.
        config.mode = unsafe { self.mode(mode) }?;
        config.udp = self.ports(unprotects)?;
        config.extended = self.flags & BL_ESP_EXTENDED != 0;
        config.window = self.window(config.window)?;
        config.first = or(self.first_number, config.first);
        config.packet_limit = or(self.packet_limit, config.packet_limit);
        config.pad_to = self.pad_to;
        config.takes_ivs = self.flags & BL_ESP_GIVEN_IVS != 0;
        let open = if unprotects { EspFlow::inbound } else { EspFlow::outbound };
        open(&REGISTRY, &config).map_err(refused)
    }

    /// The packets of the replay window; 0 for none.
    fn window(&self, default: u32) -> Result<u32, Fault> {
        match (self.flags & BL_ESP_NO_WINDOW != 0, self.window) {
            (true, 0) => Ok(0),
            (true, size) => Err(Fault::argument(format_args!(
                "with BL_ESP_NO_WINDOW, bl_esp_config.window is 0, and not {size}"
            ))),
            (false, 0) => Ok(default),
            (false, size) => Ok(size),
        }
    }

    /// The mode, with the addresses of a tunnel.
    ///
    /// # Safety
    /// As [`open`](bl_esp_config::open).
    unsafe fn mode(&self, name: Option<&str>) -> Result<Mode, Fault> {
        let mode = match name {
            None | Some("payload") => Mode::Payload,
            Some("transport") => Mode::Transport,
            // SAFETY: the caller vouches for the pointers.
            Some("tunnel") => return unsafe { self.tunnel() }.map(Mode::Tunnel),
            Some(other) => {
                let text = format!("{other:?} is no mode; valid: payload, transport, tunnel");
                return Err(Fault::name(text));
            }
        };
        let has_fields = self.hop_limit != 0 || self.dscp != 0 || self.flow_label != 0;
        if self.address_len != 0 || has_fields || self.flags & TUNNEL_FLAGS != 0 {
            return Err(Fault::argument(
                "only mode tunnel takes address_len, hop_limit, dscp, flow_label and flags of \
                 outer headers",
            ));
        }
        Ok(mode)
    }

    /// # Safety
    /// As [`open`](bl_esp_config::open).
    unsafe fn tunnel(&self) -> Result<Tunnel, Fault> {
        let len = self.address_len;
        if len != 4 && len != 16 {
            let text = format!("the address_len of a tunnel is {len}; valid: 4, 16");
            return Err(Fault::argument(text));
        }
        let address = |place: *const u8, what| {
            // SAFETY: the caller vouches for the pointers.
            let address = unsafe { bytes(place, len, what) }?;
            Ok(match <[u8; 4]>::try_from(address) {
                Ok(address) => IpAddr::from(address),
                Err(_) => IpAddr::from(<[u8; 16]>::try_from(address).expect("16 bytes")),
            })
        };
        let mut tunnel = Tunnel::new(
            address(self.source, "source address")?,
            address(self.destination, "destination address")?,
        );
        let has = |flag: u32| self.flags & flag != 0;
        if self.hop_limit != 0 {
            tunnel.hop_limit = self.hop_limit;
        }
        tunnel.dscp = has(BL_ESP_SET_DSCP).then_some(self.dscp);
        tunnel.flow_label = has(BL_ESP_SET_FLOW_LABEL).then_some(self.flow_label);
        tunnel.dont_fragment =
            match (has(BL_ESP_SET_DONT_FRAGMENT), has(BL_ESP_CLEAR_DONT_FRAGMENT)) {
                (false, false) => None,
                (true, true) => {
                    return Err(Fault::argument(
                        "bl_esp_config.flags sets and clears the bit that forbids fragments",
                    ));
                }
                (sets, _) => Some(sets),
            };
        Ok(tunnel)
    }

    /// The ports, if packets travel in UDP.
    fn ports(&self, unprotects: bool) -> Result<Option<UdpPorts>, Fault> {
        let takes_any = self.flags & BL_ESP_ANY_PORTS != 0;
        let ports = (self.udp_source, self.udp_destination);
        if self.flags & BL_ESP_UDP == 0 {
            return match ports {
                (0, 0) if !takes_any => Ok(None),
                _ => Err(Fault::argument(
                    "without BL_ESP_UDP, the ports of UDP are 0, and no flag is for them",
                )),
            };
        }
        if takes_any {
            return match (unprotects, ports) {
                (true, (0, 0)) => Ok(Some(UdpPorts { source: 0, destination: 0 })),
                _ => Err(Fault::argument(
                    "BL_ESP_ANY_PORTS is for a flow that unprotects and is given no ports",
                )),
            };
        }
        let or = |port: u16, default: u16| if port == 0 { default } else { port };
        // A flow that unprotects takes 0 for any port.
        let source = or(self.udp_source, if unprotects { 0 } else { UDP_PORT });
        Ok(Some(UdpPorts { source, destination: or(self.udp_destination, UDP_PORT) }))
    }
}

/// Opens one direction of a security association. The keys are copied; the caller may wipe its own.
///
/// `flow`: out: the flow; unchanged where the call fails.
///
/// Threads: any, at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_esp_open(
    config: *const bl_esp_config,
    flow: *mut *mut bl_flow,
) -> bl_status {
    // SAFETY: the caller vouches for the pointers.
    report(unsafe {
        structure(config, "bl_esp_config").and_then(|config| {
            let opened = config.open()?;
            let room = opened.room();
            bl_flow::hand_out(AnyFlow::Esp(opened), room, flow)
        })
    })
}

/// Says which number the next packet gets that a flow of ESP protects, for example where another
/// flow ended. It is not below the next number, unless the flow has `BL_ESP_GIVEN_IVS`: an IV that
/// the library makes never comes twice. Where it fails, the flow is as it was.
///
/// Threads: any, at once. Packets that are protected at the same time have numbers from before or
/// from then on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_esp_set_next(flow: *const bl_flow, number: u64) -> bl_status {
    // SAFETY: the caller vouches for the pointer.
    report(unsafe { object(flow, "flow") }.and_then(|flow| match &flow.flow {
        AnyFlow::Esp(flow) => flow.set_next(number).map_err(refused),
        other => Err(other.is_no("flow of ESP")),
    }))
}

/// The SPI of an IP packet with ESP, or with ESP in UDP from or to port 4500, by which its flow is
/// found. 0 where it is neither, or a fragment, or the pointer is null.
///
/// Threads: any, at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_esp_spi(packet: *const u8, len: usize) -> u32 {
    // SAFETY: the caller vouches for the pointer.
    let packet = unsafe { bytes(packet, len, "packet") };
    packet.ok().and_then(esp::spi).unwrap_or(0)
}

/// The SPI at the beginning of an ESP packet without an IP header, such as the payload of a UDP
/// datagram. 0 where it is a keepalive, a message of a key exchange or too short, or the pointer is
/// null.
///
/// Threads: any, at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_esp_payload_spi(packet: *const u8, len: usize) -> u32 {
    // SAFETY: the caller vouches for the pointer.
    let packet = unsafe { bytes(packet, len, "packet") };
    packet.ok().and_then(esp::payload_spi).unwrap_or(0)
}
