//! Flows of TLS and DTLS: records.

use std::ffi::{c_char, c_int};
use std::ptr;

use broadloom_packets::dtls::{self, Dtls12Config, Dtls12Flow, Dtls13Config, Dtls13Flow};
use broadloom_packets::records::{RecordCipher, RecordKeys, RecordSuite, RecordVersion};
use broadloom_packets::tls::{self, HEADER, Tls12Config, Tls12Flow, Tls13Config, Tls13Flow};

use super::any::AnyFlow;
use super::flow::{bl_flow, check_len, refused};
use crate::fault::{Fault, bytes, object, object_mut, put, report, structure, text};
use crate::session::REGISTRY;
use crate::status::{BL_PACKET_RUNT, bl_status};

/// `bl_records_config.flags`: the numbers of our records of DTLS 1.3 have 8 bits on the wire,
/// rather than 16.
pub const BL_RECORDS_SHORT_NUMBERS: u32 = 1;
/// `bl_records_config.flags`: our records of DTLS 1.3 do not say how long they are, so that each is
/// the last of its datagram.
pub const BL_RECORDS_NO_LENGTHS: u32 = 2;

/// The keys of one direction of a connection. Set all members to zero but those that are needed;
/// `size` always is.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct bl_record_keys {
    /// sizeof(bl_record_keys)
    pub size: usize,
    /// The traffic secret of TLS 1.3 or DTLS 1.3, of which key and IV are derived; then the
    /// following members are zero.
    pub secret: *const u8,
    /// Bytes of the secret: as many as the suite's hash has.
    pub secret_len: usize,
    /// The key of the AEAD or of AES-CBC.
    pub key: *const u8,
    /// Bytes of the key.
    pub key_len: usize,
    /// The IV of an AEAD: 12 bytes; with AES-GCM and AES-CCM in version 1.2 it is the salt of 4
    /// bytes.
    pub iv: *const u8,
    /// Bytes of the IV.
    pub iv_len: usize,
    /// The key of HMAC, of suites with AES-CBC: as long as the hash's digest.
    pub mac_key: *const u8,
    /// Bytes of that key.
    pub mac_key_len: usize,
    /// The number of the next record: 0 for a new key, 1 after Finished in version 1.2. Of records
    /// of DTLS that are received it is 0.
    pub number: u64,
    /// The epoch, of DTLS: 1 after the first handshake in DTLS 1.2, where both directions have the
    /// same, and 3 for application data in DTLS 1.3.
    pub epoch: u64,
}

/// A connection of TLS or DTLS after its handshake. Set all members to zero but those that are
/// needed; `size` always is.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct bl_records_config {
    /// sizeof(bl_records_config)
    pub size: usize,
    /// Version and suite: "tls13-aes-128-gcm", "dtls12-chacha20-poly1305" and so on;
    /// `bl_packet_algorithm_name` lists all.
    pub suite: *const c_char,
    /// The keys of records that we send.
    pub write: *const bl_record_keys,
    /// The keys of records that the peer sends.
    pub read: *const bl_record_keys,
    /// Of DTLS: records in the replay window of an epoch, 32 to 65536; 0: 64.
    pub window: u32,
    /// Of DTLS 1.3: `BL_RECORDS_SHORT_NUMBERS`, `BL_RECORDS_NO_LENGTHS`, or 0.
    pub flags: u32,
    /// Of DTLS: the connection ID that the peer wants in our records; may be null, as it is with
    /// AES-CBC.
    pub write_id: *const u8,
    /// Bytes of that ID, up to 255.
    pub write_id_len: usize,
    /// Of DTLS: the connection ID that the peer's records have; may be null.
    pub read_id: *const u8,
    /// Bytes of that ID, up to 255.
    pub read_id_len: usize,
}

impl bl_record_keys {
    /// The keys.
    ///
    /// # Safety
    /// Its pointers are null or point to what their documentation says.
    unsafe fn read<'a>(&self, suite: RecordSuite) -> Result<RecordKeys<'a>, Fault> {
        if self.key_len == 0 && self.iv_len == 0 && self.mac_key_len == 0 {
            // SAFETY: the caller vouches for the pointers.
            return unsafe { self.secret(suite) }.map(RecordKeys::Secret);
        }
        let (key_len, mac_key_len) = match suite.cipher {
            RecordCipher::Aead(aead) => (aead.key_len(), 0),
            RecordCipher::MacThenCbc(suite) | RecordCipher::CbcThenMac(suite) => {
                (suite.size().key_len(), suite.hash().digest_len())
            }
        };
        check_len("a key", self.key_len, suite, key_len)?;
        check_len("a key of HMAC", self.mac_key_len, suite, mac_key_len)?;
        if self.secret_len != 0 {
            return Err(Fault::argument(
                "bl_record_keys has a secret and a key; valid: one of them",
            ));
        }
        // SAFETY: the caller vouches for the pointers.
        let key = unsafe { bytes(self.key, self.key_len, "key") }?;
        if mac_key_len != 0 {
            check_len("an IV", self.iv_len, suite, 0)?;
            // SAFETY: the caller vouches for the pointers.
            let mac_key = unsafe { bytes(self.mac_key, self.mac_key_len, "key of HMAC") }?;
            return Ok(RecordKeys::CipherAndMac { key, mac_key });
        }
        if self.iv_len > 12 {
            check_len("an IV", self.iv_len, suite, 12)?;
        }
        // SAFETY: the caller vouches for the pointers.
        Ok(RecordKeys::Raw { key, iv: unsafe { bytes(self.iv, self.iv_len, "IV") }? })
    }

    /// The traffic secret.
    ///
    /// # Safety
    /// As [`read`](bl_record_keys::read).
    unsafe fn secret<'a>(&self, suite: RecordSuite) -> Result<&'a [u8], Fault> {
        let RecordCipher::Aead(aead) = suite.cipher else {
            return Err(Fault::argument(format_args!(
                "{suite} takes a key and a key of HMAC, and bl_record_keys has neither"
            )));
        };
        check_len("a traffic secret", self.secret_len, suite, aead.hash().digest_len())?;
        // SAFETY: the caller vouches for the pointers.
        unsafe { bytes(self.secret, self.secret_len, "traffic secret") }
    }
}

impl bl_records_config {
    /// Opens the flow. Says how much room its packets need before and behind them.
    ///
    /// # Safety
    /// Its pointers are null or point to what their documentation says.
    unsafe fn open(&self) -> Result<(AnyFlow, (usize, usize)), Fault> {
        // SAFETY: the caller vouches for the pointers.
        let (name, write, read) = unsafe {
            (
                text(self.suite, "suite")?,
                structure(self.write, "bl_record_keys")?,
                structure(self.read, "bl_record_keys")?,
            )
        };
        let suite: RecordSuite = name.parse().map_err(Fault::name)?;
        self.check(suite, write, read)?;
        // SAFETY: the caller vouches for the pointers.
        let (write_id, read_id, write_keys, read_keys) = unsafe {
            (
                id(self.write_id, self.write_id_len)?,
                id(self.read_id, self.read_id_len)?,
                write.read(suite)?,
                read.read(suite)?,
            )
        };
        let window = if self.window == 0 { 64 } else { self.window };
        let (write_number, read_number) = (write.number, read.number);
        let flow = match (suite.version, suite.cipher) {
            (RecordVersion::Tls12, cipher) => {
                let (write, read) = (write_keys, read_keys);
                let config = Tls12Config { cipher, write, write_number, read, read_number };
                Tls12Flow::new(&REGISTRY, &config).map(AnyFlow::Tls12)
            }
            (RecordVersion::Tls13, RecordCipher::Aead(aead)) => {
                let (write, read) = (write_keys, read_keys);
                let config = Tls13Config { aead, write, write_number, read, read_number };
                Tls13Flow::new(&REGISTRY, &config).map(AnyFlow::Tls13)
            }
            (RecordVersion::Dtls12, cipher) => {
                let config = Dtls12Config {
                    cipher,
                    write: write_keys,
                    write_number,
                    read: read_keys,
                    epoch: write.epoch as u16,
                    window,
                    write_id,
                    read_id,
                };
                Dtls12Flow::new(&REGISTRY, &config).map(AnyFlow::Dtls12)
            }
            (RecordVersion::Dtls13, RecordCipher::Aead(aead)) => {
                let (RecordKeys::Secret(write_secret), RecordKeys::Secret(read_secret)) =
                    (write_keys, read_keys)
                else {
                    return Err(Fault::argument("DTLS 1.3 takes a secret for each direction"));
                };
                let config = Dtls13Config {
                    aead,
                    write_secret,
                    write_epoch: write.epoch,
                    write_number,
                    read_secret,
                    read_epoch: read.epoch,
                    window,
                    write_id,
                    read_id,
                    long_numbers: self.flags & BL_RECORDS_SHORT_NUMBERS == 0,
                    lengths: self.flags & BL_RECORDS_NO_LENGTHS == 0,
                };
                Dtls13Flow::new(&REGISTRY, &config).map(Box::new).map(AnyFlow::Dtls13)
            }
            (_, RecordCipher::MacThenCbc(_) | RecordCipher::CbcThenMac(_)) => {
                unreachable!("only version 1.2 has suites with AES-CBC")
            }
        };
        Ok((flow.map_err(refused)?, room(suite, self.write_id_len)))
    }

    /// Checks that members which the version does not have are zero, and that those of both
    /// directions agree.
    fn check(
        &self,
        suite: RecordSuite,
        write: &bl_record_keys,
        read: &bl_record_keys,
    ) -> Result<(), Fault> {
        let is_dtls = matches!(suite.version, RecordVersion::Dtls12 | RecordVersion::Dtls13);
        let of_dtls = [self.window.into(), self.write_id_len as u64, self.read_id_len as u64];
        let epochs = [write.epoch, read.epoch];
        if !is_dtls && (of_dtls != [0; 3] || epochs != [0; 2]) {
            return Err(Fault::argument(format_args!(
                "{suite} takes no window, connection IDs and epochs; right is 0"
            )));
        }
        let flags = if suite.version == RecordVersion::Dtls13 {
            BL_RECORDS_SHORT_NUMBERS | BL_RECORDS_NO_LENGTHS
        } else {
            0
        };
        if self.flags & !flags != 0 {
            return Err(Fault::argument(format_args!(
                "bl_records_config.flags is {:#x}; valid for {suite}: bits of {flags:#x}",
                self.flags
            )));
        }
        if is_dtls && read.number != 0 {
            return Err(Fault::argument(format_args!(
                "the number of the next record of DTLS that is received is {}; right is 0",
                read.number
            )));
        }
        if suite.version == RecordVersion::Dtls12
            && (write.epoch != read.epoch || write.epoch > u16::MAX.into())
        {
            return Err(Fault::argument(format_args!(
                "the epochs of DTLS 1.2 are {epochs:?}; valid: 0 to 65535, in both directions the \
                 same"
            )));
        }
        Ok(())
    }
}

/// A connection ID.
///
/// # Safety
/// The pointer is null or points to so many bytes.
unsafe fn id<'a>(place: *const u8, len: usize) -> Result<&'a [u8], Fault> {
    check_id_len(len)?;
    // SAFETY: the caller vouches for the pointer.
    unsafe { bytes(place, len, "connection ID") }
}

/// The most room that a record needs before and behind its content, beside its padding.
fn room(suite: RecordSuite, write_id_len: usize) -> (usize, usize) {
    let header = match suite.version {
        RecordVersion::Tls12 | RecordVersion::Tls13 => HEADER,
        RecordVersion::Dtls12 => 13 + write_id_len,
        RecordVersion::Dtls13 => 5 + write_id_len,
    };
    match (suite.cipher, suite.version) {
        // The content type, and what a short record lacks.
        (RecordCipher::Aead(aead), RecordVersion::Tls13) => (header, 1 + aead.tag_len()),
        (RecordCipher::Aead(aead), RecordVersion::Dtls13) => (header, 16 + aead.tag_len()),
        (RecordCipher::Aead(aead), _) => (header + aead.explicit_len(), 1 + aead.tag_len()),
        // What the MAC covers stands in the place of a shorter header, and the IV follows.
        (RecordCipher::MacThenCbc(cbc) | RecordCipher::CbcThenMac(cbc), _) => {
            (header.max(13) + 16, 16 + cbc.hash().digest_len())
        }
    }
}

/// Opens the flow of a connection, in both directions. The keys are copied; the caller may wipe its
/// own.
///
/// Records of TLS come in the order of their stream: a connection's records are given in their
/// order, from one thread at a time, and a record that is refused ends its direction. Those behind
/// it are refused with `BL_PACKET_ENDED`. Several records of a connection may be in one burst.
///
/// `flow`: out: the flow; unchanged where the call fails.
///
/// Threads: any, at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_records_open(
    config: *const bl_records_config,
    flow: *mut *mut bl_flow,
) -> bl_status {
    // SAFETY: the caller vouches for the pointers.
    report(unsafe {
        structure(config, "bl_records_config").and_then(|config| {
            let (opened, room) = config.open()?;
            bl_flow::hand_out(opened, room, flow)
        })
    })
}

/// Goes on to the next traffic secret for records that we send: in TLS 1.3 after a KeyUpdate of
/// ours was protected (RFC 8446, 4.6.3), in DTLS 1.3 when the peer has acknowledged it (RFC 9147,
/// 8).
///
/// Threads: one; no burst uses the flow meanwhile. The same holds for all functions
/// `bl_records_...` that follow and change a flow.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_records_update_write(flow: *mut bl_flow) -> bl_status {
    // SAFETY: the caller vouches for the pointer.
    report(unsafe { object_mut(flow, "flow") }.and_then(|flow| match &mut flow.flow {
        AnyFlow::Tls13(flow) => flow.update_write(&REGISTRY).map_err(refused),
        AnyFlow::Dtls13(flow) => flow.update_write(&REGISTRY).map_err(refused),
        other => Err(other.is_no("flow of TLS 1.3 or DTLS 1.3")),
    }))
}

/// Goes on to the next traffic secret for records of the peer, after its KeyUpdate was unprotected.
/// In DTLS 1.3 records of epochs before are still accepted, until `bl_records_remove_epochs`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_records_update_read(flow: *mut bl_flow) -> bl_status {
    // SAFETY: the caller vouches for the pointer.
    report(unsafe { object_mut(flow, "flow") }.and_then(|flow| match &mut flow.flow {
        AnyFlow::Tls13(flow) => flow.update_read(&REGISTRY).map_err(refused),
        AnyFlow::Dtls13(flow) => flow.update_read(&REGISTRY).map_err(refused),
        other => Err(other.is_no("flow of TLS 1.3 or DTLS 1.3")),
    }))
}

/// Adds an epoch of records that the peer sends, of DTLS 1.3, with its traffic secret: the epoch of
/// application data after that of the handshake, for instance. It takes the place of the epoch four
/// before it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_records_add_epoch(
    flow: *mut bl_flow,
    epoch: u64,
    secret: *const u8,
    secret_len: usize,
) -> bl_status {
    /// As many as the longest hash has.
    const MAX: usize = 48;
    // SAFETY: the caller vouches for the pointers.
    report(unsafe {
        object_mut(flow, "flow").and_then(|flow| match &mut flow.flow {
            AnyFlow::Dtls13(flow) => {
                if secret_len > MAX {
                    check_len("a traffic secret", secret_len, "DTLS 1.3", MAX)?;
                }
                let secret = bytes(secret, secret_len, "traffic secret")?;
                flow.add_read_epoch(&REGISTRY, epoch, secret).map_err(refused)
            }
            other => Err(other.is_no("flow of DTLS 1.3")),
        })
    })
}

/// Removes the epochs of records of the peer before `epoch`, of DTLS 1.3, and wipes their keys.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_records_remove_epochs(flow: *mut bl_flow, epoch: u64) -> bl_status {
    // SAFETY: the caller vouches for the pointer.
    report(unsafe { object_mut(flow, "flow") }.and_then(|flow| match &mut flow.flow {
        AnyFlow::Dtls13(flow) => {
            flow.remove_read_epochs_before(epoch);
            Ok(())
        }
        other => Err(other.is_no("flow of DTLS 1.3")),
    }))
}

/// 1 where the last record of TLS 1.3 that was unprotected is a KeyUpdate: no more are unprotected
/// before `bl_records_update_read`, and those behind it have the status `BL_PACKET_DEFERRED`. Else
/// 0, also for a null pointer and for flows of other protocols.
///
/// Threads: any, at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_records_awaits_update(flow: *const bl_flow) -> c_int {
    // SAFETY: the caller vouches for the pointer.
    let awaits = match unsafe { object(flow, "flow") }.map(|flow| &flow.flow) {
        Ok(AnyFlow::Tls13(flow)) => flow.awaits_update(),
        _ => false,
    };
    awaits.into()
}

/// The length of the record of TLS at the beginning of received bytes, with its header, as the
/// header says: where the next one begins.
///
/// `record_len`: out. `BL_PACKET_RUNT` where the header is not complete.
///
/// Threads: any, at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_records_tls_len(
    received: *const u8,
    len: usize,
    record_len: *mut usize,
) -> bl_status {
    // SAFETY: the caller vouches for the pointers.
    report(unsafe {
        bytes(received, len, "received bytes")
            .and_then(|received| put_len(tls::record_len(received), record_len))
    })
}

/// The length of the record of DTLS at the beginning of a datagram, with its header, as the header
/// says; a record of DTLS 1.3 without a length goes to the datagram's end.
///
/// `id_len`: bytes of the connection IDs that this end gave out. `record_len`: out.
/// `BL_PACKET_RUNT` where the header is not complete.
///
/// Threads: any, at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_records_dtls_len(
    datagram: *const u8,
    len: usize,
    id_len: usize,
    record_len: *mut usize,
) -> bl_status {
    // SAFETY: the caller vouches for the pointers.
    report(unsafe {
        check_id_len(id_len)
            .and_then(|()| bytes(datagram, len, "datagram"))
            .and_then(|datagram| put_len(dtls::record_len(datagram, id_len), record_len))
    })
}

/// # Safety
/// The place is null, or a length can be written there.
unsafe fn put_len(found: Option<usize>, place: *mut usize) -> Result<(), Fault> {
    let runt = || Fault::new(BL_PACKET_RUNT, "the header of the record is not complete");
    // SAFETY: the caller vouches for the place.
    unsafe { put(place, "length of the record", found.ok_or_else(runt)?) }
}

fn check_id_len(len: usize) -> Result<(), Fault> {
    let max = dtls::MAX_CONNECTION_ID;
    match len > max {
        true => Err(Fault::argument(format_args!(
            "a connection ID of DTLS has {len} bytes; valid: 0 to {max}"
        ))),
        false => Ok(()),
    }
}

/// Where a record of DTLS has its connection ID of `id_len` bytes, by which its flow is found; null
/// where it carries none, or is too short.
///
/// Threads: any, at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_records_connection_id(
    record: *const u8,
    len: usize,
    id_len: usize,
) -> *const u8 {
    if check_id_len(id_len).is_err() {
        return ptr::null();
    }
    // SAFETY: the caller vouches for the pointer.
    let record = unsafe { bytes(record, len, "record") };
    let id = record.ok().and_then(|record| dtls::connection_id(record, id_len));
    id.map_or(ptr::null(), <[u8]>::as_ptr)
}
