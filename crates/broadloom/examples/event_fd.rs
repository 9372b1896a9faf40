//! A queue pair in an event loop: packets come from a socket, and an event fd wakes the loop while
//! complete jobs wait. A server's own `epoll` watches the event as it watches its sockets.
//!
//! Event fds exist on Linux only.
//!
//! ```sh
//! cargo run --release -p broadloom --example event_fd
//! ```

#[cfg(target_os = "linux")]
mod server {
    use std::io::{self, ErrorKind};
    use std::os::unix::net::UnixDatagram;

    use broadloom::queue::QueueConfig;
    use broadloom::{Job, QueuePair, Session};
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::io::retry_on_intr;

    /// Packets that are taken in one turn of the loop, at most.
    const BURST: usize = 64;

    /// Hashes each datagram, and hands the packet's number and digest to `complete`. An empty
    /// datagram ends the loop.
    pub fn serve(
        session: &Session,
        socket: &UnixDatagram,
        mut complete: impl FnMut(usize, &[u8]),
    ) -> io::Result<usize> {
        socket.set_nonblocking(true)?;
        let mut queue = QueuePair::new(QueueConfig::default());
        let event = queue.event()?;
        let (mut burst, mut done) = (Vec::new(), Vec::new());
        let (mut packets, mut is_open) = (0, true);
        while is_open || !burst.is_empty() || queue.in_flight() > 0 {
            let mut sources =
                [PollFd::new(socket, PollFlags::IN), PollFd::new(&event, PollFlags::IN)];
            retry_on_intr(|| poll(&mut sources, None))?;
            let complete_jobs = !sources[1].revents().is_empty();

            // Packets that find no room stay in the socket: the ring's back-pressure reaches the
            // client.
            while is_open
                && burst.len() < BURST
                && let Some(packet) = receive(socket)?
            {
                is_open = !packet.is_empty();
                if is_open {
                    // A boxed job moves through the rings as one pointer.
                    burst.push(Box::new(Job::new(session, packet).user(packets)));
                    packets += 1;
                }
            }
            queue.enqueue(&mut burst);
            // The loop is about to sleep, and a queue pair works only within its owner's calls.
            queue.flush();

            if complete_jobs {
                queue.dequeue(&mut done, BURST);
                for job in done.drain(..) {
                    match job.tag() {
                        Some(digest) => complete(*job.user_value(), digest),
                        None => return Err(io::Error::other(format!("{:?}", job.status()))),
                    }
                }
            }
        }
        Ok(packets)
    }

    /// The next datagram, if one has come.
    fn receive(socket: &UnixDatagram) -> io::Result<Option<Vec<u8>>> {
        let mut packet = vec![0; 2048];
        match socket.recv(&mut packet) {
            Ok(len) => {
                packet.truncate(len);
                Ok(Some(packet))
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }
}

#[cfg(target_os = "linux")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    use std::os::unix::net::UnixDatagram;

    use broadloom::{HashAlgorithm, Transform};

    let session = broadloom::registry().open(&Transform::hash(HashAlgorithm::Sha256))?;
    let (client, server) = UnixDatagram::pair()?;
    let client = std::thread::spawn(move || -> std::io::Result<()> {
        for number in 0..200_usize {
            client.send(&vec![number as u8; 1 + number % 1400])?;
        }
        client.send(&[]).map(drop)
    });
    let packets = server::serve(&session, &server, |number, digest| {
        if number.is_multiple_of(50) {
            println!("packet {number}: {:02x?}…", &digest[..4]);
        }
    })?;
    client.join().expect("the client does not panic")?;
    println!("{packets} packets by {}", session.kernel());
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn main() {
    eprintln!("event_fd: event fds exist on Linux only; elsewhere poll with dequeue");
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::os::unix::net::UnixDatagram;

    use broadloom::{HashAlgorithm, Transform};
    use sha2::{Digest, Sha256};

    use super::*;

    #[test]
    fn every_packet_is_hashed_once() {
        let registry = broadloom::registry();
        let session = registry.open(&Transform::hash(HashAlgorithm::Sha256)).expect("it is there");
        let (client, socket) = UnixDatagram::pair().expect("the system has sockets");
        let packet = |number: usize| vec![number as u8; 1 + number * 7 % 1500];
        // More than the ring holds, so that some wait for room.
        let sent = 3000;
        let client = std::thread::spawn(move || {
            for number in 0..sent {
                client.send(&packet(number)).expect("the server receives");
            }
            client.send(&[]).expect("the server receives");
        });
        let mut digests = vec![None; sent];
        let served = server::serve(&session, &socket, |number, digest| {
            assert!(digests[number].replace(digest.to_vec()).is_none(), "packet {number} twice");
        });
        assert_eq!(served.expect("no packet fails"), sent);
        client.join().expect("all were sent");
        for (number, digest) in digests.into_iter().enumerate() {
            let expected = Sha256::digest(packet(number)).to_vec();
            assert_eq!(digest, Some(expected), "packet {number}");
        }
    }
}
