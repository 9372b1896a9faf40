//! Bursts: every packet has a status, and one that is wrong disturbs no other.

use std::ptr;

use broadloom_capi::*;

use super::esp::ends;
use super::{Buffer, Processor, last_error, protect, run, zeroed};

/// What a burst of three packets comes to, of which the middle one was changed.
fn with_middle(change: impl FnOnce(&mut bl_packet)) -> ([bl_status; 3], bl_status) {
    let [ours, _] = ends(|_| {});
    let mut buffers = [(); 3].map(|()| Buffer::new(b"text"));
    let mut packets = buffers.each_mut().map(|buffer| buffer.packet(&ours));
    change(&mut packets[1]);
    let status = Processor::new().protect(&mut packets);
    (packets.map(|packet| packet.status), status)
}

#[test]
fn a_wrong_member_is_a_status_and_the_neighbours_pass() {
    type Change = fn(&mut bl_packet);
    let cases: [(Change, &str); 9] = [
        (|packet| packet.flow = ptr::null(), "packet 1: the flow is a null pointer"),
        (|packet| packet.buffer = ptr::null_mut(), "packet 1: the buffer is a null pointer"),
        (|packet| packet.room = usize::MAX, "more than memory has"),
        (|packet| packet.begin = usize::MAX, "is not within its buffer of 516 bytes"),
        (|packet| packet.len = usize::MAX, "is not within its buffer"),
        (|packet| packet.begin = 517, "a packet of 4 bytes that begins at 517"),
        (|packet| packet.len = 261, "a packet of 261 bytes that begins at 256"),
        (|packet| packet.kind = 256, "the member kind of a packet is 256; valid: 0 to 255"),
        (|packet| packet.kind = u32::MAX, "the member kind of a packet is 4294967295"),
    ];
    for (change, words) in cases {
        let (statuses, status) = with_middle(change);
        assert_eq!((statuses, status), ([BL_OK, BL_E_ARGUMENT, BL_OK], BL_E_PACKETS), "{words}");
        assert!(last_error().contains(words), "{words}: {}", last_error());
    }
    // Of a structure of another size nothing is written.
    let (statuses, status) = with_middle(|packet| (packet.size, packet.status) = (8, -7));
    assert_eq!((statuses, status), ([BL_OK, -7, BL_OK], BL_E_PACKETS));
    assert!(last_error().contains("the member size of bl_packet is 8"), "{}", last_error());
    let (statuses, status) = with_middle(|packet| packet.begin = 0);
    assert_eq!((statuses, status), ([BL_OK, BL_PACKET_NO_HEAD_ROOM, BL_OK], BL_E_PACKETS));
    let words = "packet 1: 16 bytes of room are needed before the packet, and there are 0";
    assert_eq!(last_error(), words);
}

#[test]
fn null_pointers_and_counts_that_nothing_has_are_refused() {
    let (processor, mut packet) = (Processor::new(), zeroed::<bl_packet>());
    for way in [bl_protect_burst, bl_unprotect_burst] {
        // SAFETY: null and counts that cannot be are refused; an empty burst is none.
        unsafe {
            assert_eq!(way(ptr::null_mut(), &mut packet, 1), BL_E_ARGUMENT);
            assert_eq!(last_error(), "the processor is a null pointer");
            assert_eq!(way(processor.0, ptr::null_mut(), 1), BL_E_ARGUMENT);
            assert_eq!(last_error(), "1 packets are at a null pointer");
            for count in [usize::MAX, isize::MAX as usize / size_of::<bl_packet>() + 1] {
                assert_eq!(way(processor.0, &mut packet, count), BL_E_ARGUMENT);
                assert!(last_error().contains("more than memory has"), "{}", last_error());
            }
            assert_eq!(way(processor.0, ptr::null_mut(), 0), BL_OK);
        }
    }
    let [flow, _] = ends(|_| {});
    let (mut head, mut statistics) = (0, zeroed::<bl_flow_statistics>());
    // SAFETY: null and a wrong size are refused.
    unsafe {
        assert_eq!(bl_flow_room(ptr::null(), &mut head, &mut head), BL_E_ARGUMENT);
        assert_eq!(bl_flow_room(flow.0, ptr::null_mut(), &mut head), BL_E_ARGUMENT);
        assert_eq!(bl_flow_room(flow.0, &mut head, ptr::null_mut()), BL_E_ARGUMENT);
        assert_eq!(bl_flow_read(ptr::null(), &mut statistics), BL_E_ARGUMENT);
        assert_eq!(bl_flow_read(flow.0, ptr::null_mut()), BL_E_ARGUMENT);
        assert_eq!(bl_flow_read(flow.0, &mut statistics), BL_E_ARGUMENT);
        assert!(bl_packet_algorithm_name(usize::MAX).is_null());
    }
    let words = "the member size of bl_flow_statistics is 0; right is sizeof(bl_flow_statistics), ";
    assert!(last_error().starts_with(words), "{}", last_error());
}

/// Every byte of a packet is damaged in turn: it is refused, its neighbours pass, and its members
/// are as they were.
#[test]
fn damaged_packets_are_refused_and_their_neighbours_pass() {
    let [ours, theirs] = ends(|config| config.window = 1024);
    let len = protect(&ours, &[b"text".to_vec()], 17)[0].len();
    for at in 0..len {
        let mut sent = protect(&ours, &vec![b"text".to_vec(); 3], 17);
        sent[1][at] ^= 0x40;
        let damaged = sent[1].clone();
        let mut buffers: Vec<Buffer> = sent.iter().map(|sent| Buffer::new(sent)).collect();
        let mut packets: Vec<bl_packet> =
            buffers.iter_mut().map(|buffer| buffer.packet(&theirs)).collect();
        assert_eq!(Processor::new().unprotect(&mut packets), BL_E_PACKETS);
        assert!(last_error().starts_with("packet 1: "), "{}", last_error());
        assert_eq!([packets[0].status, packets[2].status], [BL_OK; 2], "byte {at}");
        let refused = [BL_PACKET_INTEGRITY, BL_PACKET_WRONG_FLOW, BL_PACKET_REPLAY];
        assert!(refused.contains(&packets[1].status), "byte {at}: {}", packets[1].status);
        assert_eq!((packets[1].begin, packets[1].len), (super::ROOM, damaged.len()));
    }
    assert_eq!(theirs.statistics().packets, 2 * len as u64);
    assert_eq!(theirs.statistics().refused.iter().sum::<u64>(), len as u64);
}

/// A packet of the wrong direction, and the same packet twice.
#[test]
fn statuses_say_what_was_wrong() {
    let [ours, theirs] = ends(|_| {});
    let sent = protect(&ours, &[b"text".to_vec()], 17);
    let way = Processor::unprotect;
    assert_eq!(run(&ours, &sent, 0, way)[0], (BL_PACKET_WRONG_FLOW, sent[0].clone()));
    let twice = [sent[0].clone(), sent[0].clone()];
    let results = run(&theirs, &twice, 0, way);
    assert_eq!(results[0], (BL_OK, b"text".to_vec()));
    assert_eq!(results[1].0, BL_PACKET_REPLAY);
    assert_eq!(run(&theirs, &[vec![1; 7]], 0, way)[0].0, BL_PACKET_RUNT);
}

/// Threads that protect packets of one flow, each with its own processor, take numbers of their
/// own.
#[test]
fn threads_share_a_flow() {
    /// A pointer that threads may have: flows are for all threads.
    struct Shared(*mut bl_flow);
    // SAFETY: the library lets any threads use a flow at once.
    unsafe impl Sync for Shared {}
    impl Shared {
        fn get(&self) -> *mut bl_flow {
            self.0
        }
    }

    let [flow, _] = ends(|_| {});
    let shared = Shared(flow.0);
    let mut numbers: Vec<u64> = std::thread::scope(|scope| {
        let threads = [(); 4].map(|()| {
            scope.spawn(|| {
                let processor = Processor::new();
                let mut numbers = Vec::new();
                for _ in 0..20 {
                    let mut buffers: Vec<Buffer> =
                        (0..40).map(|_| Buffer::new(b"some text")).collect();
                    let mut packets: Vec<bl_packet> =
                        buffers.iter_mut().map(|buffer| buffer.packet_of(shared.get())).collect();
                    assert_eq!(processor.protect(&mut packets), BL_OK, "{}", last_error());
                    numbers.extend(packets.iter().map(|packet| packet.number));
                }
                numbers
            })
        });
        threads.into_iter().flat_map(|thread| thread.join().expect("it ends")).collect()
    });
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=4 * 20 * 40).collect::<Vec<u64>>());
    assert_eq!(flow.statistics().packets, 4 * 20 * 40);
}

/// With the room that a flow asks for and no more, packets of all lengths pass.
#[test]
fn the_room_of_a_flow_is_enough() {
    let [ours, theirs] = ends(|_| {});
    let (head, tail) = ours.room();
    let processor = Processor::new();
    for len in 0..64 {
        let mut buffer = vec![0x5a; head + len + tail];
        let mut packets = [bl_packet {
            size: size_of::<bl_packet>(),
            flow: ours.0,
            buffer: buffer.as_mut_ptr(),
            room: buffer.len(),
            begin: head,
            len,
            kind: 17,
            ..zeroed()
        }];
        assert_eq!(processor.protect(&mut packets), BL_OK, "{}", last_error());
        packets[0].flow = theirs.0;
        assert_eq!(processor.unprotect(&mut packets), BL_OK, "{}", last_error());
        assert_eq!((packets[0].begin, packets[0].len), (head, len));
        assert_eq!(buffer[head..head + len], vec![0x5a; len]);
    }
}
