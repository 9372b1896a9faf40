//! ESP: what a flow is made of, and that every member has its effect.

use std::ffi::CStr;
use std::ptr;

use broadloom_capi::*;

use super::{Buffer, Flow, Processor, last_error, protect, run, zeroed};

static KEY: [u8; 16] = [7; 16];
static SALT: [u8; 4] = [8; 4];

/// A flow of AES-128-GCM without IP headers.
pub fn config(direction: &'static CStr) -> bl_esp_config {
    bl_esp_config {
        size: size_of::<bl_esp_config>(),
        algorithm: c"esp-aes-128-gcm".as_ptr(),
        direction: direction.as_ptr(),
        key: KEY.as_ptr(),
        key_len: 16,
        salt: SALT.as_ptr(),
        salt_len: 4,
        spi: 0x1234,
        ..zeroed()
    }
}

pub fn open(config: &bl_esp_config) -> Result<Flow, bl_status> {
    // SAFETY: the configuration is as documented, but for values that are refused.
    Flow::open(|flow| unsafe { bl_esp_open(config, flow) })
}

/// Both ends of a flow, after `change` changed the configuration of both.
pub fn ends(change: impl Fn(&mut bl_esp_config)) -> [Flow; 2] {
    [c"protect", c"unprotect"].map(|direction| {
        let mut config = config(direction);
        change(&mut config);
        open(&config).unwrap_or_else(|status| panic!("{status}: {}", last_error()))
    })
}

/// An IPv4 packet of UDP, with the right checksum in its header.
fn ipv4(payload: &[u8]) -> Vec<u8> {
    let mut packet = vec![0x45, 0, 0, 0, 0x12, 0x34, 0, 0, 63, 17, 0, 0];
    packet.extend([192, 0, 2, 1, 198, 51, 100, 7]);
    packet.extend(payload);
    let len = packet.len() as u16;
    packet[2..4].copy_from_slice(&len.to_be_bytes());
    let words =
        packet[..20].chunks(2).map(|pair| u32::from(u16::from_be_bytes([pair[0], pair[1]])));
    let sum: u32 = words.sum();
    packet[10..12].copy_from_slice(&(!((sum & 0xffff) + (sum >> 16)) as u16).to_be_bytes());
    packet
}

/// A burst of payloads goes there and back: the next header, the number and the range are told.
#[test]
fn payloads_go_there_and_back() {
    let [ours, theirs] = ends(|config| config.flags = BL_ESP_EXTENDED);
    let processor = Processor::new();
    // More than are taken from the caller at once.
    let mut buffers: Vec<Buffer> = (0..300).map(|len| Buffer::new(&vec![len as u8; len])).collect();
    let mut packets: Vec<bl_packet> =
        buffers.iter_mut().map(|buffer| bl_packet { kind: 17, ..buffer.packet(&ours) }).collect();
    assert_eq!(processor.protect(&mut packets), BL_OK, "{}", last_error());
    for (at, packet) in packets.iter_mut().enumerate() {
        assert_eq!((packet.status, packet.number), (BL_OK, at as u64 + 1));
        assert_eq!((packet.begin, packet.kind), (super::ROOM - 16, 17));
        (packet.flow, packet.kind, packet.number) = (theirs.0, 0, 0);
    }
    assert_eq!(processor.unprotect(&mut packets), BL_OK, "{}", last_error());
    for (at, (packet, buffer)) in packets.iter().zip(&buffers).enumerate() {
        assert_eq!((packet.kind, packet.number), (17, at as u64 + 1));
        assert_eq!(buffer.of(packet), vec![at as u8; at]);
    }
    assert_eq!((ours.statistics().next_number, ours.statistics().highest_number), (301, 0));
    assert_eq!((theirs.statistics().next_number, theirs.statistics().highest_number), (0, 300));
    assert_eq!((theirs.statistics().packets, theirs.statistics().bytes), (300, 300 * 299 / 2));
}

/// The members of a tunnel are in its packets.
#[test]
fn a_tunnel_has_what_its_members_say() {
    let (source, destination) = ([203_u8, 0, 113, 1], [203_u8, 0, 113, 200]);
    let change = |config: &mut bl_esp_config| {
        config.mode = c"tunnel".as_ptr();
        (config.source, config.destination) = (source.as_ptr(), destination.as_ptr());
        (config.address_len, config.hop_limit, config.dscp) = (4, 9, 46);
        config.flags = BL_ESP_UDP | BL_ESP_SET_DSCP | BL_ESP_SET_DONT_FRAGMENT;
        (config.first_number, config.pad_to) = (1000, 200);
    };
    let [ours, theirs] = ends(change);
    let inner = ipv4(&[5; 40]);
    let sent = protect(&ours, std::slice::from_ref(&inner), 0).remove(0);
    assert_eq!((sent[1] >> 2, sent[6], sent[8], sent[9]), (46, 0x40, 9, 17));
    assert_eq!((&sent[12..16], &sent[16..20]), (&source[..], &destination[..]));
    assert_eq!(sent[20..24], [0x11, 0x94, 0x11, 0x94], "both ports are 4500");
    assert_eq!(sent[28..36], [0, 0, 0x12, 0x34, 0, 0, 3, 0xe8], "the SPI and the first number");
    assert!(sent.len() > 20 + 8 + 8 + 8 + 200 + 16, "{}", sent.len());
    // SAFETY: the bytes are there.
    let spis = unsafe {
        let payload = &sent[28..];
        (
            bl_esp_spi(sent.as_ptr(), sent.len()),
            bl_esp_payload_spi(payload.as_ptr(), payload.len()),
            bl_esp_spi(payload.as_ptr(), payload.len()),
        )
    };
    assert_eq!(spis, (0x1234, 0x1234, 0));
    assert_eq!(run(&theirs, &[sent], 0, Processor::unprotect), [(BL_OK, inner.clone())]);

    let [ours, theirs] = ends(|config| {
        change(config);
        (config.flags, config.dscp) = (BL_ESP_CLEAR_DONT_FRAGMENT, 0);
    });
    let sent = protect(&ours, std::slice::from_ref(&inner), 0).remove(0);
    assert_eq!((sent[1], sent[6], sent[9]), (0, 0, 50));
    assert_eq!(run(&theirs, &[sent], 0, Processor::unprotect)[0].1, inner);

    let addresses = [[0x20_u8; 16], [0x21; 16]];
    let [ours, theirs] = ends(|config| {
        config.mode = c"tunnel".as_ptr();
        (config.source, config.destination) = (addresses[0].as_ptr(), addresses[1].as_ptr());
        config.address_len = 16;
    });
    let sent = protect(&ours, std::slice::from_ref(&inner), 0).remove(0);
    assert_eq!((sent[0] >> 4, sent[7], &sent[8..40]), (6, 64, &addresses.concat()[..]));
    assert_eq!(run(&theirs, &[sent], 0, Processor::unprotect)[0].1, inner);

    let [ours, theirs] = ends(|config| config.mode = c"transport".as_ptr());
    let sent = protect(&ours, std::slice::from_ref(&inner), 0).remove(0);
    assert_eq!((sent[9], &sent[12..20]), (50, &inner[12..20]));
    assert_eq!(run(&theirs, &[sent], 0, Processor::unprotect)[0].1, inner);
}

/// Every algorithm opens by its name, with keys of its lengths.
#[test]
fn all_algorithms_open_by_their_names() {
    let names = (0..).map_while(|number| {
        let name = bl_packet_algorithm_name(number);
        // SAFETY: a name that is not null ends with a zero byte, and is for ever valid.
        (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) })
    });
    let esp: Vec<&CStr> = names.filter(|name| name.to_bytes().starts_with(b"esp-")).collect();
    assert!(esp.contains(&c"esp-aes-256-cbc-hmac-sha256"), "{esp:?}");
    let keys = [9_u8; 64];
    for name in esp {
        let algorithm: broadloom_packets::esp::EspAlgorithm =
            name.to_str().expect("it is ASCII").parse().expect("it is an algorithm");
        let [ours, theirs] = ends(|config| {
            config.algorithm = name.as_ptr();
            (config.key, config.key_len) = (keys.as_ptr(), algorithm.key_len());
            (config.salt, config.salt_len) = (keys.as_ptr(), algorithm.salt_len());
            config.integrity_key = keys.as_ptr();
            config.integrity_key_len = algorithm.integrity_key_len();
        });
        let sent = protect(&ours, &[b"text".to_vec()], 17);
        assert_eq!(
            run(&theirs, &sent, 0, Processor::unprotect),
            [(BL_OK, b"text".to_vec())],
            "{name:?}"
        );
    }
}

/// Each wrong value is refused with a status, and with words that name it.
#[test]
fn wrong_configurations_are_refused() {
    type Change = fn(&mut bl_esp_config);
    let cases: [(Change, bl_status, &str); 27] = [
        (|c| c.size = 7, BL_E_ARGUMENT, "the member size of bl_esp_config is 7"),
        (|c| c.algorithm = ptr::null(), BL_E_ARGUMENT, "the algorithm is a null pointer"),
        (|c| c.algorithm = c"esp-rot13".as_ptr(), BL_E_NAME, "esp-rot13"),
        (|c| c.direction = c"up".as_ptr(), BL_E_NAME, "\"up\" is no direction"),
        (|c| c.mode = c"tube".as_ptr(), BL_E_NAME, "\"tube\" is no mode"),
        (|c| c.mode = c"\xff".as_ptr(), BL_E_NAME, "it is not UTF-8"),
        (|c| c.key = ptr::null(), BL_E_ARGUMENT, "the key is a null pointer, and has 16 bytes"),
        (|c| c.key_len = 15, BL_E_TRANSFORM, "a key of 15 bytes does not fit esp-aes-128-gcm"),
        (|c| c.key_len = usize::MAX, BL_E_TRANSFORM, "a key of 18446744073709551615 bytes"),
        (|c| c.salt_len = usize::MAX, BL_E_TRANSFORM, "a salt of 18446744073709551615 bytes"),
        (|c| c.integrity_key_len = 20, BL_E_TRANSFORM, "a key of HMAC of 20 bytes"),
        (|c| c.spi = 0, BL_E_TRANSFORM, "the SPI cannot be 0"),
        (
            |c| c.flags = BL_ESP_GIVEN_IVS,
            BL_E_ARGUMENT,
            "BL_ESP_GIVEN_IVS is for a flow that prote",
        ),
        (|c| c.flags = BL_ESP_ANY_PORTS, BL_E_ARGUMENT, "without BL_ESP_UDP, the ports of UDP are"),
        (
            |c| (c.flags, c.udp_source) = (BL_ESP_UDP | BL_ESP_ANY_PORTS, 9),
            BL_E_ARGUMENT,
            "BL_ESP_ANY_PORTS is for a flow that unprotects and is given no ports",
        ),
        (
            |c| (c.flags, c.window) = (BL_ESP_NO_WINDOW, 64),
            BL_E_ARGUMENT,
            "with BL_ESP_NO_WINDOW, bl_esp_config.window is 0, and not 64",
        ),
        (
            |c| c.flags = BL_ESP_NO_WINDOW | BL_ESP_EXTENDED,
            BL_E_TRANSFORM,
            "the replay window under extended numbers cannot be 0",
        ),
        (|c| c.flow_label = 1, BL_E_ARGUMENT, "only mode tunnel takes address_len, hop_limit"),
        (|c| c.flags = 1 << 20, BL_E_ARGUMENT, "bl_esp_config.flags is 0x100000"),
        (|c| c.window = 31, BL_E_TRANSFORM, "a replay window has 32 to 65536 packets, not 31"),
        (|c| c.first_number = 1 << 32, BL_E_TRANSFORM, "the first number cannot be 4294967296"),
        (|c| c.pad_to = 100, BL_E_TRANSFORM, "the padded length cannot be 100"),
        (|c| c.hop_limit = 9, BL_E_ARGUMENT, "only mode tunnel takes address_len, hop_limit"),
        (|c| c.udp_source = 9, BL_E_ARGUMENT, "without BL_ESP_UDP, the ports of UDP are 0"),
        (|c| c.mode = c"tunnel".as_ptr(), BL_E_ARGUMENT, "the address_len of a tunnel is 0"),
        (
            |c| (c.mode, c.address_len) = (c"tunnel".as_ptr(), usize::MAX),
            BL_E_ARGUMENT,
            "the address_len of a tunnel is 18446744073709551615; valid: 4, 16",
        ),
        (
            |c| (c.mode, c.address_len) = (c"tunnel".as_ptr(), 4),
            BL_E_ARGUMENT,
            "the source address is a null pointer, and has 4 bytes",
        ),
    ];
    for (change, status, words) in cases {
        let mut config = config(c"unprotect");
        change(&mut config);
        assert_eq!(open(&config).err(), Some(status), "{words}: {}", last_error());
        assert!(last_error().contains(words), "{words}: {}", last_error());
    }
    let config = config(c"protect");
    // SAFETY: null is refused, whatever it is given for.
    unsafe {
        assert_eq!(bl_esp_open(ptr::null(), ptr::null_mut()), BL_E_ARGUMENT);
        assert_eq!(last_error(), "the bl_esp_config is a null pointer");
        assert_eq!(bl_esp_open(&config, ptr::null_mut()), BL_E_ARGUMENT);
        assert_eq!(last_error(), "the flow is a null pointer");
        assert_eq!(bl_esp_spi(ptr::null(), 20), 0);
        assert_eq!(bl_esp_payload_spi(ptr::null(), 20), 0);
        bl_flow_close(ptr::null_mut());
    }
}

/// The hard limit is a status of its own.
#[test]
fn a_flow_refuses_packets_beyond_its_limit() {
    let [ours, _] = ends(|config| config.packet_limit = 2);
    let texts = vec![b"text".to_vec(); 3];
    let sent = run(&ours, &texts, 17, Processor::protect);
    let statuses: Vec<bl_status> = sent.iter().map(|(status, _)| *status).collect();
    assert_eq!(statuses, [BL_OK, BL_OK, BL_PACKET_KEY_USED_UP]);
    let refused = ours.statistics().refused;
    assert_eq!(refused[(BL_PACKET_KEY_USED_UP - BL_PACKET_REPLAY) as usize], 1);
    assert_eq!(refused.iter().sum::<u64>(), 1);
}

/// A flow that is given IVs writes them, and counts from wherever it is told.
#[test]
fn given_ivs_and_numbers_are_in_the_packets() {
    let mut config = config(c"protect");
    config.flags = BL_ESP_GIVEN_IVS;
    let flow = open(&config).expect("it opens");
    let iv = *b"given IV";
    for number in [9, 3] {
        // SAFETY: the flow is open.
        assert_eq!(unsafe { bl_esp_set_next(flow.0, number) }, BL_OK, "{}", last_error());
        let mut buffer = Buffer::new(b"text");
        let mut packets = [bl_packet { kind: 17, iv: iv.as_ptr(), ..buffer.packet(&flow) }];
        assert_eq!(Processor::new().protect(&mut packets), BL_OK, "{}", last_error());
        assert_eq!(packets[0].number, number);
        assert_eq!(buffer.of(&packets[0])[4..16], [&[0, 0, 0, number as u8], &iv[..]].concat());
    }
    let sent = run(&flow, &[b"text".to_vec()], 17, Processor::protect);
    assert_eq!(sent[0].0, BL_E_ARGUMENT, "a packet without its IV");
    let [ours, theirs] = ends(|_| {});
    let mut buffer = Buffer::new(b"text");
    let mut packets = [bl_packet { kind: 17, iv: iv.as_ptr(), ..buffer.packet(&ours) }];
    assert_eq!(Processor::new().protect(&mut packets), BL_E_PACKETS);
    assert!(last_error().contains("whose flow takes none is set"), "{}", last_error());
    // SAFETY: the flows are open, and null is refused.
    unsafe {
        assert_eq!(bl_esp_set_next(ours.0, 50), BL_OK);
        assert_eq!(bl_esp_set_next(ours.0, 49), BL_E_TRANSFORM);
        assert_eq!(last_error(), "the next number cannot be 49; valid: 50 to 4294967295");
        assert_eq!(bl_esp_set_next(theirs.0, 50), BL_E_TRANSFORM);
        assert_eq!(bl_esp_set_next(ptr::null(), 50), BL_E_ARGUMENT);
    }
    assert_eq!(ours.statistics().next_number, 50);
}

/// A tunnel names its flow label; a flow takes any ports, and packets twice, where it is told to.
#[test]
fn flags_have_their_effects() {
    let addresses = [[0x20_u8; 16], [0x21; 16]];
    let open_end = |direction: &'static CStr, flags: u32| {
        let mut config = config(direction);
        config.mode = c"tunnel".as_ptr();
        (config.source, config.destination) = (addresses[0].as_ptr(), addresses[1].as_ptr());
        (config.address_len, config.flags) = (16, BL_ESP_UDP | flags);
        if direction == c"protect" {
            (config.udp_source, config.udp_destination) = (5000, 6000);
            config.flow_label = 0x54321;
        }
        open(&config).unwrap_or_else(|status| panic!("{status}: {}", last_error()))
    };
    let inner = ipv4(&[5; 40]);
    let ours = open_end(c"protect", BL_ESP_SET_FLOW_LABEL);
    let sent = protect(&ours, std::slice::from_ref(&inner), 0).remove(0);
    assert_eq!(sent[..4], [0x60, 5, 0x43, 0x21]);
    let twice = [sent.clone(), sent];
    let way = Processor::unprotect;
    let strict = open_end(c"unprotect", 0);
    assert_eq!(run(&strict, &twice, 0, way)[0].0, BL_PACKET_MALFORMED);
    let any = open_end(c"unprotect", BL_ESP_ANY_PORTS);
    let statuses: Vec<bl_status> = run(&any, &twice, 0, way).iter().map(|one| one.0).collect();
    assert_eq!(statuses, [BL_OK, BL_PACKET_REPLAY]);
    let repeated = open_end(c"unprotect", BL_ESP_ANY_PORTS | BL_ESP_NO_WINDOW);
    assert_eq!(run(&repeated, &twice, 0, way), [(BL_OK, inner.clone()), (BL_OK, inner)]);
}
