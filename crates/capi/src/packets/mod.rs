//! Packets of network protocols: flows, and bursts of any mix of them.

mod any;
mod burst;
mod esp;
mod flow;
mod packet;
mod quic;
mod records;
mod srtp;
mod wireguard;

pub(crate) use burst::Burst;
pub use burst::{bl_protect_burst, bl_unprotect_burst};
pub use esp::{
    BL_ESP_ANY_PORTS, BL_ESP_CLEAR_DONT_FRAGMENT, BL_ESP_EXTENDED, BL_ESP_GIVEN_IVS,
    BL_ESP_NO_WINDOW, BL_ESP_SET_DONT_FRAGMENT, BL_ESP_SET_DSCP, BL_ESP_SET_FLOW_LABEL, BL_ESP_UDP,
    bl_esp_config, bl_esp_open, bl_esp_payload_spi, bl_esp_set_next, bl_esp_spi,
};
pub use flow::{
    bl_flow, bl_flow_close, bl_flow_read, bl_flow_room, bl_flow_statistics,
    bl_packet_algorithm_name,
};
pub use packet::bl_packet;
pub use quic::*;
pub use records::*;
pub use srtp::*;
pub use wireguard::*;
