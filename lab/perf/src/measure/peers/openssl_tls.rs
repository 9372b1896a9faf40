//! OpenSSL's record layer: two ends of TLS 1.3 in memory, which have agreed on keys with a key that
//! both had before, and a `SSL_write` or `SSL_read` for each record.

use std::ffi::{CStr, c_char, c_int, c_long, c_uint, c_void};
#[cfg(unix)]
use std::marker::PhantomData;
#[cfg(unix)]
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::ptr::{self, NonNull};
use std::sync::Arc;

use broadloom_loader::{Library, find, open};

/// The names that the library has.
const NAMES: [&str; 2] = ["libssl.so.3", "libssl.so"];

/// `SSL_CTRL_SET_MIN_PROTO_VERSION`.
const SET_MIN_PROTO_VERSION: c_int = 123;

/// `TLS1_3_VERSION`.
const TLS_1_3: c_long = 0x0304;

/// Bytes of the key that both ends have before.
const PSK: usize = 32;

/// Handshakes of TLS 1.3 take fewer turns.
const TURNS: usize = 10;

type Raw = *mut c_void;

/// Declares the functions that are looked up, with the types that OpenSSL's headers give them.
macro_rules! functions {
    ($($name:ident: fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        #[expect(non_snake_case, reason = "these are OpenSSL's names")]
        #[derive(Clone, Copy)]
        struct Functions {
            $($name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl Functions {
            fn find(library: &Library) -> Result<Functions, &'static str> {
                // SAFETY: OpenSSL 3 declares these functions with these types in ssl.h and bio.h.
                unsafe { Ok(Functions { $($name: find(library, stringify!($name))?,)* }) }
            }
        }
    };
}

functions! {
    TLS_method: fn() -> *const c_void;
    SSL_CTX_new: fn(*const c_void) -> Raw;
    SSL_CTX_free: fn(Raw);
    SSL_CTX_ctrl: fn(Raw, c_int, c_long, *mut c_void) -> c_long;
    SSL_CTX_set_ciphersuites: fn(Raw, *const c_char) -> c_int;
    SSL_CTX_set_num_tickets: fn(Raw, usize) -> c_int;
    SSL_CTX_set_psk_client_callback: fn(Raw, ClientPsk);
    SSL_CTX_set_psk_server_callback: fn(Raw, ServerPsk);
    SSL_new: fn(Raw) -> Raw;
    SSL_free: fn(Raw);
    SSL_set_connect_state: fn(Raw);
    SSL_set_accept_state: fn(Raw);
    SSL_set_bio: fn(Raw, Raw, Raw);
    SSL_set_wfd: fn(Raw, c_int) -> c_int;
    SSL_do_handshake: fn(Raw) -> c_int;
    SSL_write: fn(Raw, *const c_void, c_int) -> c_int;
    SSL_read: fn(Raw, *mut c_void, c_int) -> c_int;
    BIO_s_mem: fn() -> *const c_void;
    BIO_new: fn(*const c_void) -> Raw;
    BIO_read: fn(Raw, *mut c_void, c_int) -> c_int;
    BIO_write: fn(Raw, *const c_void, c_int) -> c_int;
    OpenSSL_version: fn(c_int) -> *const c_char;
}

type ClientPsk =
    unsafe extern "C" fn(Raw, *const c_char, *mut c_char, c_uint, *mut u8, c_uint) -> c_uint;
type ServerPsk = unsafe extern "C" fn(Raw, *const c_char, *mut u8, c_uint) -> c_uint;

/// Gives the client its name and the key.
unsafe extern "C" fn client_psk(
    _: Raw,
    _: *const c_char,
    identity: *mut c_char,
    identity_room: c_uint,
    key: *mut u8,
    room: c_uint,
) -> c_uint {
    if identity_room < 2 || (room as usize) < PSK {
        return 0;
    }
    // SAFETY: OpenSSL gives room for as many bytes as it says, which is enough for a letter with
    // its end and for the key.
    unsafe {
        ptr::copy_nonoverlapping(c"x".as_ptr(), identity, 2);
        ptr::write_bytes(key, 7, PSK);
    }
    PSK as c_uint
}

/// Gives the server the key.
unsafe extern "C" fn server_psk(_: Raw, _: *const c_char, key: *mut u8, room: c_uint) -> c_uint {
    if (room as usize) < PSK {
        return 0;
    }
    // SAFETY: OpenSSL gives room for as many bytes as it says.
    unsafe { ptr::write_bytes(key, 7, PSK) };
    PSK as c_uint
}

/// libssl, opened, with a context for connections of one suite.
#[derive(Clone)]
pub struct Ssl {
    functions: Functions,
    context: Arc<Context>,
}

struct Context {
    raw: NonNull<c_void>,
    free: unsafe extern "C" fn(Raw),
    /// Keeps the code behind the functions mapped.
    _library: Library,
}

// SAFETY: a context may be used by any thread; OpenSSL counts its references by atomics.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: the context was made by `SSL_CTX_new`, and this was its last owner.
        unsafe { (self.free)(self.raw.as_ptr()) };
    }
}

impl Ssl {
    /// Opens libssl 3 for a suite of TLS 1.3 with SHA-256, such as `TLS_AES_128_GCM_SHA256`.
    ///
    /// # Errors
    /// It is not installed, or does not have the suite: the reason.
    pub fn load(suite: &CStr) -> Result<Ssl, String> {
        // SAFETY: OpenSSL's initialisers prepare nothing but the library.
        let (library, name) = unsafe { open(&NAMES) }?;
        let functions = Functions::find(&library);
        let functions = functions.map_err(|one| format!("{name} has no function {one}"))?;
        // SAFETY: the method is a constant of the library.
        let raw = unsafe { (functions.SSL_CTX_new)((functions.TLS_method)()) };
        let raw = NonNull::new(raw).ok_or("SSL_CTX_new fails")?;
        let context = Context { raw, free: functions.SSL_CTX_free, _library: library };
        let raw = raw.as_ptr();
        // SAFETY: the context is alive and nobody else has it; the suite's name ends with NUL; the
        // callbacks have the types that OpenSSL asks for.
        let is_ready = unsafe {
            (functions.SSL_CTX_set_psk_client_callback)(raw, client_psk);
            (functions.SSL_CTX_set_psk_server_callback)(raw, server_psk);
            (functions.SSL_CTX_ctrl)(raw, SET_MIN_PROTO_VERSION, TLS_1_3, ptr::null_mut()) == 1
                && (functions.SSL_CTX_set_ciphersuites)(raw, suite.as_ptr()) == 1
                && (functions.SSL_CTX_set_num_tickets)(raw, 0) == 1
        };
        match is_ready {
            true => Ok(Ssl { functions, context: Arc::new(context) }),
            false => Err(format!("{name} does not take {suite:?}")),
        }
    }

    /// Returns the library's version, such as `3.0.15`.
    pub fn version(&self) -> String {
        // SAFETY: the function returns a text of the library's that ends with NUL, for any number;
        // 0 asks for name and version.
        let text = unsafe { CStr::from_ptr((self.functions.OpenSSL_version)(0)) };
        let text = text.to_string_lossy();
        text.split(' ').nth(1).unwrap_or_default().to_owned()
    }

    /// Opens a connection, and has both ends agree on keys.
    ///
    /// # Errors
    /// The handshake fails.
    pub fn connect(&self) -> Result<Connection, String> {
        let (client, server) = (End::new(self, false)?, End::new(self, true)?);
        let mut bytes = vec![0; 1 << 15];
        for _ in 0..TURNS {
            let done = [&client, &server].map(End::handshake);
            if done == [true, true] {
                return Ok(Connection { client, server });
            }
            for (from, to) in [(&client, &server), (&server, &client)] {
                let len = from.take(&mut bytes);
                to.give(&bytes[..len])?;
            }
        }
        Err("OpenSSL's two ends do not agree".to_owned())
    }
}

/// A connection in memory: what the client writes, the server reads.
pub struct Connection {
    client: End,
    server: End,
}

impl Connection {
    /// Writes content as the client, and puts the record in its place in the buffer, whose length
    /// it returns.
    ///
    /// # Errors
    /// OpenSSL refuses it.
    pub fn protect(&mut self, buffer: &mut [u8], len: usize) -> Result<usize, String> {
        self.client.write(&buffer[..len])?;
        Ok(self.client.take(buffer))
    }

    /// Reads a record as the server, and puts its content in its place in the buffer, whose length
    /// it returns.
    ///
    /// # Errors
    /// OpenSSL refuses it.
    pub fn unprotect(&mut self, buffer: &mut [u8], len: usize) -> Result<usize, String> {
        self.server.give(&buffer[..len])?;
        self.server.read(buffer)
    }
}

impl Connection {
    /// Has the client write to a socket from now on, and gives the two ends apart.
    ///
    /// # Errors
    /// OpenSSL has no memory for it.
    #[cfg(unix)]
    pub fn write_to<S: AsFd>(self, socket: &S) -> Result<(Writer<'_>, Reader), String> {
        let Connection { mut client, server } = self;
        let socket = socket.as_fd();
        // SAFETY: the end is alive. It gives back the memory that it wrote to before, which is
        // looked at no more, and the writer keeps the socket open.
        let is_set =
            unsafe { (client.library.functions.SSL_set_wfd)(client.ssl, socket.as_raw_fd()) == 1 };
        client.out = ptr::null_mut();
        match is_set {
            true => Ok((Writer { end: client, _socket: PhantomData }, Reader { end: server })),
            false => Err("SSL_set_wfd fails".to_owned()),
        }
    }
}

/// The client of a connection, which writes to a socket.
#[cfg(unix)]
pub struct Writer<'s> {
    end: End,
    /// The socket, which OpenSSL knows by its number alone.
    _socket: PhantomData<BorrowedFd<'s>>,
}

#[cfg(unix)]
impl Writer<'_> {
    /// Writes content to the socket, in as many records as it needs.
    ///
    /// # Errors
    /// OpenSSL or the socket refuses it.
    pub fn write(&mut self, content: &[u8]) -> Result<(), String> {
        self.end.write(content)
    }
}

/// The server of a connection, which reads what it is given.
pub struct Reader {
    end: End,
}

impl Reader {
    /// Returns the content of records, which are complete.
    ///
    /// # Errors
    /// OpenSSL refuses them.
    pub fn text(&mut self, records: &[u8]) -> Result<Vec<u8>, String> {
        self.end.give(records)?;
        let (mut text, mut piece) = (Vec::new(), vec![0; 1 << 14]);
        let mut rest = records;
        while let [_, _, _, high, low, after @ ..] = rest {
            let len = usize::from(u16::from_be_bytes([*high, *low]));
            rest = after.get(len..).ok_or("the last record is not complete")?;
            let len = self.end.read(&mut piece)?;
            text.extend_from_slice(&piece[..len]);
        }
        Ok(text)
    }
}

/// An end of a connection, with memory in place of a socket.
struct End {
    ssl: Raw,
    /// What it sends, which is nothing once it writes to a socket, and what it gets; the end owns
    /// both.
    out: Raw,
    input: Raw,
    library: Ssl,
}

impl End {
    fn new(library: &Ssl, accepts: bool) -> Result<End, String> {
        let functions = &library.functions;
        // SAFETY: the context is alive; all results are looked at before they are used, and
        // `SSL_set_bio` takes the two stores over.
        unsafe {
            let ssl = (functions.SSL_new)(library.context.raw.as_ptr());
            let [input, out] = [(); 2].map(|()| (functions.BIO_new)((functions.BIO_s_mem)()));
            if ssl.is_null() || input.is_null() || out.is_null() {
                return Err("OpenSSL has no memory for a connection".to_owned());
            }
            (functions.SSL_set_bio)(ssl, input, out);
            match accepts {
                true => (functions.SSL_set_accept_state)(ssl),
                false => (functions.SSL_set_connect_state)(ssl),
            }
            Ok(End { ssl, out, input, library: library.clone() })
        }
    }

    fn handshake(&self) -> bool {
        // SAFETY: the end is alive.
        unsafe { (self.library.functions.SSL_do_handshake)(self.ssl) == 1 }
    }

    /// Takes what it sends.
    fn take(&self, bytes: &mut [u8]) -> usize {
        let room = c_int::try_from(bytes.len()).unwrap_or(c_int::MAX);
        // SAFETY: the store is alive, and the bytes can be written.
        let len =
            unsafe { (self.library.functions.BIO_read)(self.out, bytes.as_mut_ptr().cast(), room) };
        usize::try_from(len).unwrap_or(0)
    }

    /// Gives it what it gets.
    fn give(&self, bytes: &[u8]) -> Result<(), String> {
        if bytes.is_empty() {
            return Ok(());
        }
        let len = c_int::try_from(bytes.len()).map_err(|error| error.to_string())?;
        // SAFETY: the store is alive, and the bytes can be read.
        let taken =
            unsafe { (self.library.functions.BIO_write)(self.input, bytes.as_ptr().cast(), len) };
        if taken == len { Ok(()) } else { Err("BIO_write fails".to_owned()) }
    }

    fn write(&self, bytes: &[u8]) -> Result<(), String> {
        let len = c_int::try_from(bytes.len()).map_err(|error| error.to_string())?;
        // SAFETY: the end is alive, and the bytes can be read.
        let written =
            unsafe { (self.library.functions.SSL_write)(self.ssl, bytes.as_ptr().cast(), len) };
        if written == len { Ok(()) } else { Err("SSL_write fails".to_owned()) }
    }

    fn read(&self, bytes: &mut [u8]) -> Result<usize, String> {
        let room = c_int::try_from(bytes.len()).unwrap_or(c_int::MAX);
        // SAFETY: the end is alive, and the bytes can be written.
        let len =
            unsafe { (self.library.functions.SSL_read)(self.ssl, bytes.as_mut_ptr().cast(), room) };
        usize::try_from(len).map_err(|_| "SSL_read fails".to_owned())
    }
}

impl Drop for End {
    fn drop(&mut self) {
        // SAFETY: the end was made by `SSL_new`, and owns its two stores.
        unsafe { (self.library.functions.SSL_free)(self.ssl) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_arrive() {
        let ssl = Ssl::load(c"TLS_AES_128_GCM_SHA256").expect("libssl 3 is installed");
        let mut connection = ssl.connect().expect("both ends have the key");
        for len in [1, 100, 16_384] {
            let mut buffer = vec![0; len + 300];
            buffer[..len].fill(9);
            let record = connection.protect(&mut buffer, len).expect("it is written");
            assert_eq!(record, len + 22, "header, content type and tag");
            assert_ne!(buffer[5], 9);
            let content = connection.unprotect(&mut buffer, record).expect("it is read");
            assert!(content == len && buffer[..len].iter().all(|byte| *byte == 9));
        }
    }
}
