//! Files that do not block: a program that hands on its end of a pipe may have made it so.

use std::fs::File;
use std::io::{self, ErrorKind, IoSlice, Read, Write};
use std::os::fd::AsFd;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

/// A file whose reads and writes wait, also where the file itself does not.
#[derive(Debug, Clone, Copy)]
pub struct Patient<'f>(pub &'f File);

impl Read for Patient<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut file = self.0;
        wait_for(file, PollFlags::IN, || file.read(buffer))
    }
}

impl Write for Patient<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut file = self.0;
        wait_for(file, PollFlags::OUT, || file.write(bytes))
    }

    fn write_vectored(&mut self, pieces: &[IoSlice<'_>]) -> io::Result<usize> {
        let mut file = self.0;
        wait_for(file, PollFlags::OUT, || file.write_vectored(pieces))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Does something with a file, again and again until the file is ready for it.
///
/// # Errors
/// What the system says.
pub fn wait_for<T>(
    file: impl AsFd,
    ready: PollFlags,
    mut what: impl FnMut() -> io::Result<T>,
) -> io::Result<T> {
    loop {
        match what() {
            Err(error) if error.kind() == ErrorKind::WouldBlock => wait(&file, ready)?,
            done => return done,
        }
    }
}

/// Waits until something is ready, or broken.
///
/// # Errors
/// What the system says.
pub fn wait(file: impl AsFd, ready: PollFlags) -> io::Result<()> {
    match poll(&mut [PollFd::new(&file, ready)], None) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use rustix::fs::{OFlags, fcntl_setfl};
    use rustix::pipe::pipe;

    use super::*;

    #[test]
    fn both_ends_of_a_pipe_that_does_not_block_are_waited_for() {
        let (read, write) = pipe().expect("a pipe");
        let (read, write) = (File::from(read), File::from(write));
        for end in [&read, &write] {
            fcntl_setfl(end, OFlags::NONBLOCK).expect("it can be set");
        }
        // More than a pipe holds: the writer has to wait for the reader, and the reader for the
        // writer.
        let data: Vec<u8> = (0..1_000_000u32).map(|number| number as u8).collect();
        let mut back = Vec::new();
        thread::scope(|scope| {
            let data = &data;
            scope.spawn(move || {
                thread::sleep(std::time::Duration::from_millis(50));
                Patient(&write).write_all(data).expect("it is read");
                drop(write);
            });
            Patient(&read).read_to_end(&mut back).expect("it is written");
        });
        assert!(back == data, "{} bytes", back.len());
    }
}
