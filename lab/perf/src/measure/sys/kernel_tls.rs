//! TLS in the kernel: a socket that makes records of TLS 1.3 of what is written to it.

use std::io;
use std::mem::size_of;
use std::net::TcpStream;
use std::os::fd::AsRawFd;

use libc::{c_int, c_void, socklen_t};

/// `SOL_TLS` of Linux.
const SOL_TLS: c_int = 282;

/// `TLS_TX`: the keys of what is sent.
const TLS_TX: c_int = 1;

/// `TLS_1_3_VERSION`.
const TLS_1_3: u16 = 0x0304;

/// `TLS_CIPHER_AES_GCM_128`.
const AES_GCM_128: u16 = 51;

/// `struct tls12_crypto_info_aes_gcm_128`, which serves TLS 1.3 too.
#[repr(C)]
struct CryptoInfo {
    version: u16,
    cipher_type: u16,
    iv: [u8; 8],
    key: [u8; 16],
    salt: [u8; 4],
    sequence: [u8; 8],
}

/// Has the kernel make records of TLS 1.3 with AES-128-GCM of all that is written to a socket from
/// now on, whose first record has the number 0.
///
/// # Errors
/// The kernel has no TLS, or does not take the suite.
pub fn protect(socket: &TcpStream, key: &[u8; 16], iv: &[u8; 12]) -> io::Result<()> {
    set(socket, libc::SOL_TCP, libc::TCP_ULP, b"tls")?;
    let (mut salt, mut rest) = ([0; 4], [0; 8]);
    salt.copy_from_slice(&iv[..4]);
    rest.copy_from_slice(&iv[4..]);
    let info = CryptoInfo {
        version: TLS_1_3,
        cipher_type: AES_GCM_128,
        iv: rest,
        key: *key,
        salt,
        sequence: [0; 8],
    };
    set(socket, SOL_TLS, TLS_TX, &info)
}

/// Sets an option of a socket to the bytes of a value.
fn set<T>(socket: &TcpStream, level: c_int, name: c_int, value: &T) -> io::Result<()> {
    let value = std::ptr::from_ref(value).cast::<c_void>();
    // SAFETY: the socket is open, and the kernel reads no more than the bytes of the value.
    let result = unsafe {
        libc::setsockopt(socket.as_raw_fd(), level, name, value, size_of::<T>() as socklen_t)
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
