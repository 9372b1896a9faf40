//! Flows of SRTP, QUIC, TLS, DTLS and WireGuard: there and back in one burst, and what is told of
//! each packet.

use std::ffi::CStr;
use std::ptr;

use broadloom_capi::*;

use super::{Buffer, Flow, Processor, esp, last_error, protect, run, zeroed};

static KEY: [u8; 48] = [7; 48];
static OTHER: [u8; 16] = [9; 16];

/// A context of SRTP that is closed when it is dropped.
struct Context(*mut bl_srtp_context);

impl Context {
    fn open(change: impl Fn(&mut bl_srtp_config)) -> Result<Context, bl_status> {
        let (key, salt) = (KEY.as_ptr(), KEY.as_ptr());
        let key = bl_srtp_key { key, key_len: 16, salt, salt_len: 14, ..zeroed() };
        let mut config = bl_srtp_config {
            size: size_of::<bl_srtp_config>(),
            profile: c"srtp-aes-128-cm-hmac-sha1-80".as_ptr(),
            keys: &key,
            key_count: 1,
            ..zeroed()
        };
        change(&mut config);
        let mut context = ptr::null_mut();
        // SAFETY: the configuration is as documented, but for values that are refused.
        match unsafe { bl_srtp_context_open(&config, &mut context) } {
            BL_OK => Ok(Context(context)),
            status => Err(status),
        }
    }

    fn stream(&self, ssrc: u32, roc: u32) -> Flow {
        // SAFETY: the context is open.
        Flow::open(|flow| unsafe { bl_srtp_stream_open(self.0, ssrc, roc, 0, flow) })
            .unwrap_or_else(|_| panic!("{}", last_error()))
    }

    fn session(&self, streams: usize) -> Flow {
        // SAFETY: the context is open.
        Flow::open(|flow| unsafe { bl_srtp_session_open(self.0, streams, flow) })
            .unwrap_or_else(|_| panic!("{}", last_error()))
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: it is open, and used no more.
        unsafe { bl_srtp_context_close(self.0) };
    }
}

fn context() -> Context {
    Context::open(|_| {}).unwrap_or_else(|_| panic!("{}", last_error()))
}

fn rtp(ssrc: u32, sequence: u16) -> Vec<u8> {
    let head = [&[0x80, 96][..], &sequence.to_be_bytes(), &[0; 4], &ssrc.to_be_bytes()].concat();
    [head, b"payload".to_vec()].concat()
}

fn quic(change: impl Fn(&mut bl_quic_config)) -> Result<Flow, bl_status> {
    let mut config = bl_quic_config {
        size: size_of::<bl_quic_config>(),
        suite: c"quic-aes-128-gcm".as_ptr(),
        send_secret: KEY.as_ptr(),
        send_secret_len: 32,
        receive_secret: KEY.as_ptr(),
        receive_secret_len: 32,
        peer_id_len: 2,
        own_id_len: 2,
        ..zeroed()
    };
    change(&mut config);
    // SAFETY: the configuration is as documented, but for values that are refused.
    Flow::open(|flow| unsafe { bl_quic_open(&config, flow) })
}

fn keys() -> bl_record_keys {
    let (size, secret) = (size_of::<bl_record_keys>(), KEY.as_ptr());
    bl_record_keys { size, secret, secret_len: 32, ..zeroed() }
}

fn records(
    suite: &CStr,
    keys: bl_record_keys,
    change: impl Fn(&mut bl_records_config),
) -> Result<Flow, bl_status> {
    let mut config = bl_records_config {
        size: size_of::<bl_records_config>(),
        suite: suite.as_ptr(),
        write: &keys,
        read: &keys,
        ..zeroed()
    };
    change(&mut config);
    // SAFETY: the configuration is as documented, but for values that are refused.
    Flow::open(|flow| unsafe { bl_records_open(&config, flow) })
}

fn wireguard() -> Flow {
    let key = KEY.as_ptr();
    // SAFETY: both keys have 32 bytes.
    Flow::open(|flow| unsafe { bl_wireguard_open(key, 9, key, 9, flow) })
        .unwrap_or_else(|_| panic!("{}", last_error()))
}

fn opened(flow: Result<Flow, bl_status>) -> Flow {
    flow.unwrap_or_else(|status| panic!("{status}: {}", last_error()))
}

/// One flow of each kind, and a text that it protects.
fn all_flows(unprotects: bool) -> Vec<(Flow, Vec<u8>)> {
    let [outbound, inbound] = esp::ends(|_| {});
    let raw = bl_record_keys {
        secret: ptr::null(),
        secret_len: 0,
        key: KEY.as_ptr(),
        key_len: 16,
        iv: KEY.as_ptr(),
        iv_len: 4,
        ..keys()
    };
    let cbc = bl_record_keys {
        iv: ptr::null(),
        iv_len: 0,
        mac_key: KEY.as_ptr(),
        mac_key_len: 20,
        ..raw
    };
    let of_epoch = |keys, epoch| bl_record_keys { epoch, ..keys };
    let id = |config: &mut bl_records_config| {
        (config.write_id, config.write_id_len) = (KEY.as_ptr(), 3);
        (config.read_id, config.read_id_len) = (KEY.as_ptr(), 3);
    };
    let text = || b"some content".to_vec();
    let mut flows = vec![
        (if unprotects { inbound } else { outbound }, text()),
        (context().stream(5, 0), rtp(5, 1)),
        (context().session(3), rtp(6, 2)),
        (opened(quic(|_| {})), [&[0x40, 8, 9, 0][..], b"frames"].concat()),
        (wireguard(), vec![0x45; 32]),
        (opened(records(c"tls13-aes-128-gcm", keys(), |_| {})), text()),
        (opened(records(c"tls12-aes-128-gcm", raw, |_| {})), text()),
        (opened(records(c"dtls12-aes-128-gcm", of_epoch(raw, 1), |_| {})), text()),
        (opened(records(c"dtls12-aes-128-gcm", of_epoch(raw, 1), id)), text()),
        (opened(records(c"dtls13-aes-128-gcm", of_epoch(keys(), 3), |_| {})), text()),
        (opened(records(c"dtls13-aes-128-gcm", of_epoch(keys(), 3), id)), text()),
    ];
    for suite in [c"tls12-aes-128-cbc-hmac-sha1", c"tls12-aes-128-cbc-hmac-sha1-encrypt-then-mac"] {
        flows.push((opened(records(suite, cbc, |_| {})), text()));
    }
    let cbc = of_epoch(cbc, 1);
    for suite in [c"dtls12-aes-128-cbc-hmac-sha1", c"dtls12-aes-128-cbc-hmac-sha1-encrypt-then-mac"]
    {
        flows.push((opened(records(suite, cbc, |_| {})), text()));
    }
    flows
}

/// Packets of all protocols in one burst, with no more room than their flows ask for, and then all
/// of them damaged in turn.
#[test]
fn a_burst_has_packets_of_all_protocols() {
    let count = all_flows(false).len();
    for damaged in 0..=count {
        let (ours, theirs) = (all_flows(false), all_flows(true));
        let processor = Processor::new();
        let mut buffers = Vec::new();
        for (flow, text) in &ours {
            let (head, tail) = flow.room();
            buffers.push([&vec![0; head][..], text, &vec![0; tail]].concat());
        }
        let mut packets = Vec::new();
        for ((flow, text), buffer) in ours.iter().zip(&mut buffers) {
            packets.push(bl_packet {
                size: size_of::<bl_packet>(),
                flow: flow.0,
                buffer: buffer.as_mut_ptr(),
                room: buffer.len(),
                begin: flow.room().0,
                len: text.len(),
                ..zeroed()
            });
        }
        assert_eq!(processor.protect(&mut packets), BL_OK, "{}", last_error());
        for (packet, (flow, _)) in packets.iter_mut().zip(&theirs) {
            packet.flow = flow.0;
        }
        if let Some(packet) = packets.get(damaged) {
            // SAFETY: the last byte of the packet is in its buffer.
            unsafe { *packet.buffer.add(packet.begin + packet.len - 1) ^= 1 };
        }
        let status = processor.unprotect(&mut packets);
        assert_eq!(status, if damaged < count { BL_E_PACKETS } else { BL_OK }, "{}", last_error());
        for (at, (packet, (flow, text))) in packets.iter().zip(&theirs).enumerate() {
            let statistics = flow.statistics();
            if at == damaged {
                let kind = packet.status - BL_PACKET_REPLAY;
                assert!((0..BL_PACKET_KINDS as i32).contains(&kind), "flow {at}: {kind}");
                assert_eq!((statistics.packets, statistics.refused[kind as usize]), (0, 1));
                continue;
            }
            assert_eq!((packet.status, statistics.packets), (BL_OK, 1), "flow {at}");
            // SAFETY: the packet is in its buffer.
            let bytes =
                unsafe { std::slice::from_raw_parts(packet.buffer.add(packet.begin), packet.len) };
            let header = if at == 3 { 4 } else { 0 };
            assert_eq!(bytes, &text[header..], "flow {at}");
        }
    }
}

#[test]
fn srtp_tells_indices_and_adds_streams() {
    let (context, theirs) = (context(), context());
    let ours = context.stream(5, 3);
    let late = theirs.stream(5, 3);
    let sent = protect(&ours, &[rtp(5, 65_535)], BL_SRTP_RTP);
    assert_eq!(run(&late, &sent, BL_SRTP_MUXED, Processor::unprotect)[0].0, BL_OK);
    let number = |flow: &Flow, packet: &[u8]| {
        let mut buffer = Buffer::new(packet);
        let mut packets = [buffer.packet(flow)];
        assert_eq!(Processor::new().protect(&mut packets), BL_OK, "{}", last_error());
        packets[0].number
    };
    assert_eq!(number(&ours, &rtp(5, 0)), 4 << 16, "the roll-over counter has gone on");
    let mut roc = 0;
    // SAFETY: the flows are open, and the place is a variable.
    unsafe {
        assert_eq!((bl_srtp_roc(ours.0, 5, &mut roc), roc), (BL_OK, 4));
        assert_eq!(bl_srtp_roc(ours.0, 6, &mut roc), BL_E_ARGUMENT);
        assert_eq!(last_error(), "the flow has no stream with the SSRC 0x6");
        assert_eq!(bl_srtp_remove(ours.0, 5), BL_E_ARGUMENT);
        let words = "the flow is one of one stream of SRTP; right is a flow of an SRTP session";
        assert_eq!(last_error(), words);
    }

    let (ours, theirs) = (context.session(9), theirs.session(1));
    let sent = protect(&ours, &[rtp(7, 1), rtp(8, 1)], BL_SRTP_MUXED);
    let results = run(&theirs, &sent, BL_SRTP_MUXED, Processor::unprotect);
    assert_eq!([results[0].0, results[1].0], [BL_OK, BL_PACKET_WRONG_FLOW], "one stream");
    let rtcp = [&[0x80, 200, 0, 3][..], &[0, 0, 0, 7], &[1; 8]].concat();
    let sent = protect(&ours, std::slice::from_ref(&rtcp), BL_SRTP_MUXED);
    assert_eq!(run(&theirs, &sent, BL_SRTP_RTCP, Processor::unprotect), [(BL_OK, rtcp.clone())]);
    let mut buffer = Buffer::new(&rtcp);
    let mut packets = [bl_packet { kind: 3, ..buffer.packet(&theirs) }];
    assert_eq!(Processor::new().unprotect(&mut packets), BL_E_PACKETS);
    assert_eq!(packets[0].status, BL_E_ARGUMENT);
    assert!(last_error().contains("kind of a packet of SRTP is 3"), "{}", last_error());
    let mut ssrc = 0;
    // SAFETY: the flows are open, and the bytes are there.
    unsafe {
        assert_eq!(bl_srtp_remove(theirs.0, 7), BL_OK);
        assert_eq!(bl_srtp_remove(theirs.0, 7), BL_E_ARGUMENT);
        assert_eq!((bl_srtp_ssrc(rtcp.as_ptr(), rtcp.len(), &mut ssrc), ssrc), (BL_OK, 7));
        assert_eq!(bl_srtp_ssrc(rtcp.as_ptr(), 5, &mut ssrc), BL_PACKET_RUNT);
        assert_eq!(bl_srtp_is_rtcp(rtcp.as_ptr(), rtcp.len()), 1);
        assert_eq!(bl_srtp_is_rtcp(rtp(7, 1).as_ptr(), 12), 0);
        assert_eq!(bl_srtp_is_rtcp(ptr::null(), 12), 0);
    }
}

#[test]
fn srtp_sends_under_the_key_that_is_asked_for() {
    let keys = [
        bl_srtp_key { mki: KEY.as_ptr(), mki_len: 1, ..key_of(&KEY[..16]) },
        bl_srtp_key { mki: OTHER.as_ptr(), mki_len: 1, ..key_of(&OTHER) },
    ];
    let both = |config: &mut bl_srtp_config| {
        (config.keys, config.key_count) = (keys.as_ptr(), keys.len());
    };
    let (ours, theirs) = (Context::open(both), Context::open(both));
    let (Ok(ours), Ok(theirs)) = (ours, theirs) else { panic!("{}", last_error()) };
    let (sender, receiver) = (ours.stream(5, 0), theirs.stream(5, 0));
    let mki = |sent: &[u8]| sent[sent.len() - 11];
    let first = protect(&sender, &[rtp(5, 1)], 0).remove(0);
    // SAFETY: the context is open, and the bytes are there.
    unsafe {
        assert_eq!(bl_srtp_send_with(ours.0, OTHER.as_ptr(), 1), BL_OK);
        assert_eq!(bl_srtp_send_with(ours.0, KEY.as_ptr(), 0), BL_E_TRANSFORM);
        assert_eq!(bl_srtp_send_with(ours.0, ptr::null(), usize::MAX), BL_E_ARGUMENT);
    }
    let second = protect(&sender, &[rtp(5, 2)], 0).remove(0);
    assert_eq!((mki(&first), mki(&second)), (7, 9));
    let results = run(&receiver, &[first, second], 0, Processor::unprotect);
    assert_eq!([results[0].0, results[1].0], [BL_OK; 2]);
}

fn key_of(key: &'static [u8]) -> bl_srtp_key {
    let (key, salt) = (key.as_ptr(), KEY.as_ptr());
    bl_srtp_key { key, key_len: 16, salt, salt_len: 14, ..zeroed() }
}

#[test]
fn quic_updates_its_keys() {
    let (ours, theirs) = (opened(quic(|_| {})), opened(quic(|_| {})));
    let packet = [&[0x40, 8, 9, 0][..], b"frames"].concat();
    let first = protect(&ours, std::slice::from_ref(&packet), 0);
    // SAFETY: the flow is open.
    let next = Flow::open(|flow| unsafe { bl_quic_update(ours.0, flow) });
    let next = opened(next);
    let second = protect(&next, std::slice::from_ref(&packet), 0);
    for sent in [first, second] {
        let results = run(&theirs, &sent, 0, Processor::unprotect);
        assert_eq!(results, [(BL_OK, b"frames".to_vec())]);
    }
    assert_eq!((next.statistics().next_number, theirs.statistics().highest_number), (2, 1));
    // SAFETY: the flows are open, or null, which is allowed here.
    unsafe {
        assert_eq!((bl_quic_peer_has_updated(theirs.0), bl_quic_peer_has_updated(ours.0)), (1, 0));
        assert_eq!(bl_quic_peer_has_updated(ptr::null()), 0);
        assert_eq!((bl_quic_packets_under_key(next.0), bl_quic_packets_under_key(ours.0)), (1, 1));
        let followed = opened(Flow::open(|flow| bl_quic_update(theirs.0, flow)));
        assert_eq!(bl_quic_peer_has_updated(followed.0), 0);
        let newer = opened(Flow::open(|flow| bl_quic_forget(followed.0, flow)));
        let mut buffer = Buffer::new(&protect(&next, &[packet], 0)[0]);
        let mut packets = [buffer.packet(&newer)];
        assert_eq!(Processor::new().unprotect(&mut packets), BL_OK, "{}", last_error());
        assert_eq!((packets[0].kind, packets[0].number), (1, 2), "the key phase and the number");
        let wireguard = wireguard();
        assert_eq!(Flow::open(|flow| bl_quic_update(wireguard.0, flow)).err(), Some(BL_E_ARGUMENT));
        assert_eq!(last_error(), "the flow is one of WireGuard; right is a flow of QUIC");
        assert_eq!(
            (bl_quic_number_len(0xac_e8fe, 0xab_e8b3, 1), bl_quic_number_len(0, 0, 0)),
            (3, 1)
        );
        assert_eq!(bl_quic_number_len(1 << 40, 0, 0), 0);
    }
}

#[test]
fn a_datagram_is_split() {
    let mut datagram = vec![0xe0, 0, 0, 0, 1, 1, 7, 0, 0x14]; // a Handshake packet of version 1
    datagram.extend([0; 20]);
    datagram.extend([0x40, 7]); // a 1-RTT packet
    datagram.extend([0; 20]);
    let split = |len: usize, max: usize| {
        let (mut packets, mut found) = ([zeroed::<bl_quic_packet>(); 3], 9);
        let (at, first) = (datagram.as_ptr(), packets.as_mut_ptr());
        // SAFETY: the datagram has at least `len` bytes, and there is room for 3 packets.
        let status = unsafe { bl_quic_split(at, len, 1, first, max, &mut found) };
        (status, found, packets)
    };
    let (status, found, packets) = split(datagram.len(), 3);
    assert_eq!((status, found), (BL_OK, 2));
    let place = |packet: &bl_quic_packet| (packet.kind, packet.version, packet.begin, packet.len);
    assert_eq!(place(&packets[0]), (BL_QUIC_HANDSHAKE, BL_QUIC_V1, 0, 29));
    assert_eq!(place(&packets[1]), (BL_QUIC_ONE_RTT, 0, 29, 22));
    assert_eq!((packets[1].destination, packets[1].destination_len), (&raw const datagram[30], 1));
    assert!(packets[1].source.is_null() && packets[0].token.is_null());
    let (status, found, _) = split(20, 3);
    assert_eq!((status, found), (BL_PACKET_RUNT, 0));
    let (status, found, _) = split(datagram.len(), 1);
    assert_eq!((status, found), (BL_E_ARGUMENT, 1));
    assert_eq!(last_error(), "the datagram has more than 1 packets, for which there is room");
}

/// A KeyUpdate of TLS 1.3 blocks the records behind it, until the reader follows.
#[test]
fn tls_updates_its_keys() {
    let open = || opened(records(c"tls13-aes-128-gcm", keys(), |_| {}));
    let (ours, theirs) = (open(), open());
    let update = protect(&ours, &[vec![24, 0, 0, 1, 0]], 22).remove(0);
    // SAFETY: the flow is open, and no burst uses it.
    assert_eq!(unsafe { bl_records_update_write(ours.0) }, BL_OK);
    let after = protect(&ours, &[b"text".to_vec()], 0).remove(0);
    let results = run(&theirs, &[update, after.clone()], 0, Processor::unprotect);
    assert_eq!([results[0].0, results[1].0], [BL_OK, BL_PACKET_DEFERRED]);
    assert_eq!(results[1].1, after, "it is as it was");
    // SAFETY: the flows are open or null, and no burst uses them.
    unsafe {
        assert_eq!(
            (bl_records_awaits_update(theirs.0), bl_records_awaits_update(ptr::null())),
            (1, 0)
        );
        assert_eq!(bl_records_update_read(theirs.0), BL_OK);
        assert_eq!(bl_records_add_epoch(theirs.0, 4, KEY.as_ptr(), 32), BL_E_ARGUMENT);
        assert_eq!(last_error(), "the flow is one of TLS 1.3; right is a flow of DTLS 1.3");
        assert_eq!(bl_records_remove_epochs(theirs.0, 4), BL_E_ARGUMENT);
        assert_eq!(bl_records_update_read(wireguard().0), BL_E_ARGUMENT);
        assert_eq!(bl_esp_set_next(wireguard().0, 5), BL_E_ARGUMENT);
        assert_eq!(last_error(), "the flow is one of WireGuard; right is a flow of ESP");
        let mut len = 0;
        assert_eq!(bl_records_tls_len(after.as_ptr(), after.len(), &mut len), BL_OK);
        assert_eq!(
            (len, bl_records_tls_len(after.as_ptr(), 4, &mut len)),
            (after.len(), BL_PACKET_RUNT)
        );
    }
    let results = run(&theirs, &[after], 0, Processor::unprotect);
    assert_eq!(results, [(BL_OK, b"text".to_vec())]);
    assert_eq!(theirs.statistics().highest_number, 0, "the first record under the new key");
}

#[test]
fn dtls_goes_on_to_other_epochs() {
    let with_id = |config: &mut bl_records_config| {
        (config.write_id, config.write_id_len) = (KEY.as_ptr(), 3);
        (config.read_id, config.read_id_len) = (KEY.as_ptr(), 3);
    };
    let of_epoch = |epoch| bl_record_keys { epoch, ..keys() };
    let open = |epoch| opened(records(c"dtls13-aes-128-gcm", of_epoch(epoch), with_id));
    let (ours, theirs) = (open(3), open(2));
    let sent = protect(&ours, &[b"text".to_vec()], 0);
    assert_eq!(run(&theirs, &sent, 0, Processor::unprotect)[0].0, BL_PACKET_WRONG_FLOW);
    // SAFETY: the flows are open, no burst uses them, and the bytes are there.
    unsafe {
        assert_eq!(bl_records_add_epoch(theirs.0, 3, KEY.as_ptr(), 31), BL_E_TRANSFORM);
        assert_eq!(bl_records_add_epoch(theirs.0, 3, KEY.as_ptr(), usize::MAX), BL_E_TRANSFORM);
        assert_eq!(bl_records_add_epoch(theirs.0, 3, KEY.as_ptr(), 32), BL_OK);
        let record = &sent[0];
        assert_eq!(
            bl_records_connection_id(record.as_ptr(), record.len(), 3),
            &raw const record[1]
        );
        assert!(bl_records_connection_id(record.as_ptr(), 2, 3).is_null());
        let mut len = 0;
        assert_eq!(bl_records_dtls_len(record.as_ptr(), record.len(), 3, &mut len), BL_OK);
        assert_eq!(len, record.len());
        assert_eq!(bl_records_dtls_len(record.as_ptr(), 3, 3, &mut len), BL_PACKET_RUNT);
        assert_eq!(bl_records_dtls_len(record.as_ptr(), 3, usize::MAX, &mut len), BL_E_ARGUMENT);
        assert_eq!(bl_records_update_write(ours.0), BL_OK);
    }
    let mut buffer = Buffer::new(&sent[0]);
    let mut packets = [buffer.packet(&theirs)];
    assert_eq!(Processor::new().unprotect(&mut packets), BL_OK, "{}", last_error());
    assert_eq!((packets[0].epoch, packets[0].number, packets[0].kind), (3, 0, 23));
    assert_eq!(buffer.of(&packets[0]), b"text");

    let mut buffer = Buffer::new(b"text");
    let mut packets = [bl_packet { padding: 9, kind: 22, ..buffer.packet(&ours) }];
    assert_eq!(Processor::new().protect(&mut packets), BL_OK, "{}", last_error());
    assert_eq!((packets[0].epoch, packets[0].number), (4, 0));
    // SAFETY: the flow is open, and no burst uses it.
    unsafe {
        assert_eq!(bl_records_update_read(theirs.0), BL_OK);
        assert_eq!(bl_records_remove_epochs(theirs.0, 4), BL_OK);
    }
    packets[0] = bl_packet { flow: theirs.0, padding: 0, kind: 0, ..packets[0] };
    assert_eq!(Processor::new().unprotect(&mut packets), BL_OK, "{}", last_error());
    assert_eq!((packets[0].padding, packets[0].kind, packets[0].epoch), (9, 22, 4));
}

#[test]
fn wireguard_finds_its_flow_and_its_packet() {
    let (ours, theirs) = (wireguard(), wireguard());
    let packet = [&[0x45, 0, 0, 21][..], &[1; 17]].concat();
    let sent = protect(&ours, std::slice::from_ref(&packet), 0).remove(0);
    let (mut index, mut len) = (0, 0);
    // SAFETY: the bytes are there.
    unsafe {
        assert_eq!(bl_wireguard_index(sent.as_ptr(), sent.len(), &mut index), BL_OK);
        assert_eq!(
            bl_wireguard_index(packet.as_ptr(), packet.len(), &mut index),
            BL_PACKET_MALFORMED
        );
    }
    let padded = run(&theirs, &[sent], 0, Processor::unprotect).remove(0).1;
    // SAFETY: the bytes are there.
    unsafe {
        assert_eq!(bl_wireguard_trimmed_len(padded.as_ptr(), padded.len(), &mut len), BL_OK);
        assert_eq!((index, len, padded.len()), (9, 21, 32));
        assert_eq!(bl_wireguard_trimmed_len(KEY.as_ptr(), 1, &mut len), BL_PACKET_MALFORMED);
        let mut flow = ptr::null_mut();
        let key = KEY.as_ptr();
        assert_eq!(bl_wireguard_open(ptr::null(), 1, key, 2, &mut flow), BL_E_ARGUMENT);
        assert_eq!(bl_wireguard_open(key, 1, ptr::null(), 2, &mut flow), BL_E_ARGUMENT);
        assert_eq!(bl_wireguard_open(key, 1, key, 2, ptr::null_mut()), BL_E_ARGUMENT);
    }
}

/// What is wrong in a configuration is refused with a status, and with words that name it.
#[test]
fn wrong_configurations_are_refused() {
    let failed = |status: Option<bl_status>, expected: bl_status, words: &str| {
        assert_eq!(status, Some(expected), "{words}: {}", last_error());
        assert!(last_error().contains(words), "{words}: {}", last_error());
    };
    type Srtp = fn(&mut bl_srtp_config);
    let cases: [(Srtp, bl_status, &str); 7] = [
        (|c| c.size = 1, BL_E_ARGUMENT, "the member size of bl_srtp_config is 1"),
        (|c| c.profile = c"srtp-rot13".as_ptr(), BL_E_NAME, "srtp-rot13"),
        (|c| c.key_count = 0, BL_E_TRANSFORM, "the number of master keys cannot be 0"),
        (|c| c.key_count = usize::MAX, BL_E_ARGUMENT, "more than memory has"),
        (|c| c.window = 5, BL_E_TRANSFORM, "32 to 65536 packets, not 5"),
        (|c| c.flags = 4, BL_E_ARGUMENT, "bl_srtp_config.flags is 0x4"),
        (|c| c.encrypted_extension_count = usize::MAX, BL_E_ARGUMENT, "encrypted extensions"),
    ];
    for (change, status, words) in cases {
        failed(Context::open(change).err(), status, words);
    }
    for (change, words) in [
        ((|key| key.key_len = usize::MAX) as fn(&mut bl_srtp_key), "a master key of 1844674407"),
        (|key| key.salt_len = 12, "a master salt of 12 bytes does not fit"),
        (|key| key.key = ptr::null(), "the master key is a null pointer"),
        (|key| key.mki_len = usize::MAX, "an MKI has 18446744073709551615 bytes"),
    ] {
        let mut key = key_of(&KEY[..16]);
        change(&mut key);
        let status = Context::open(|config| config.keys = &raw const key).err();
        failed(status, status.unwrap_or(BL_OK), words);
    }

    type Quic = fn(&mut bl_quic_config);
    let cases: [(Quic, bl_status, &str); 9] = [
        (|c| c.size = 1, BL_E_ARGUMENT, "the member size of bl_quic_config is 1"),
        (|c| c.suite = ptr::null(), BL_E_ARGUMENT, "the suite is a null pointer"),
        (|c| c.suite = c"quic-rot13".as_ptr(), BL_E_NAME, "quic-rot13"),
        (|c| c.packets = c"2-rtt".as_ptr(), BL_E_NAME, "\"2-rtt\" is no type of packets"),
        (|c| c.version = 3, BL_E_ARGUMENT, "0x3 is no version of QUIC"),
        (|c| c.flags = 8, BL_E_ARGUMENT, "bl_quic_config.flags is 0x8"),
        (|c| c.peer_id_len = usize::MAX, BL_E_TRANSFORM, "the peer's connection IDs cannot be"),
        (|c| c.send_secret_len = usize::MAX, BL_E_TRANSFORM, "a secret to send with of 184467"),
        (|c| c.receive_secret = ptr::null(), BL_E_ARGUMENT, "a secret to receive with is a null"),
    ];
    for (change, status, words) in cases {
        failed(quic(change).err(), status, words);
    }

    type Records = fn(&mut bl_records_config);
    let cases: [(Records, bl_status, &str); 8] = [
        (|c| c.size = 1, BL_E_ARGUMENT, "the member size of bl_records_config is 1"),
        (|c| c.suite = c"tls14".as_ptr(), BL_E_NAME, "tls14"),
        (|c| c.write = ptr::null(), BL_E_ARGUMENT, "the bl_record_keys is a null pointer"),
        (|c| c.window = 64, BL_E_ARGUMENT, "takes no window, connection IDs and epochs"),
        (|c| c.flags = 1, BL_E_ARGUMENT, "bl_records_config.flags is 0x1"),
        (|c| c.suite = c"tls13-aes-256-gcm".as_ptr(), BL_E_TRANSFORM, "which takes 48 bytes"),
        (
            |c| (c.suite, c.read_id_len) = (c"dtls13-aes-128-gcm".as_ptr(), usize::MAX),
            BL_E_ARGUMENT,
            "a connection ID of DTLS has 18446744073709551615 bytes",
        ),
        (
            |c| c.suite = c"tls12-aes-128-cbc-hmac-sha1".as_ptr(),
            BL_E_ARGUMENT,
            "takes a key and a key of HMAC",
        ),
    ];
    for (change, status, words) in cases {
        failed(records(c"tls13-aes-128-gcm", keys(), change).err(), status, words);
    }
    let both = bl_record_keys { key: KEY.as_ptr(), key_len: 16, ..keys() };
    let status = records(c"tls13-aes-128-gcm", both, |_| {}).err();
    failed(status, BL_E_ARGUMENT, "a secret and a key");
    let long = bl_record_keys { secret_len: 0, key_len: usize::MAX, ..both };
    failed(records(c"tls13-aes-128-gcm", long, |_| {}).err(), BL_E_TRANSFORM, "a key of 1844674");
    let number = bl_record_keys { number: 1, ..keys() };
    failed(records(c"dtls13-aes-128-gcm", number, |_| {}).err(), BL_E_ARGUMENT, "right is 0");
}
