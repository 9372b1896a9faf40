//! Operations a second of any PKCS #11 module, with 1, 8 and 32 threads.
//!
//! ```text
//! throughput MODULE PIN [--mechanism NAME] [--threads 1,8,32] [--seconds 2] [--bytes 1024]
//! ```
//!
//! The token is the first one that the module has with a user's PIN. The keys are session objects,
//! so that nothing is left behind. Each thread has a session of its own. Mechanisms: `rsa-2048`,
//! `ecdsa-p256`, `sha256`, `aes-128-cbc`, `aes-128-gcm`.

use std::env;
use std::error::Error;
use std::ptr;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use cryptoki_sys::*;

/// A list of functions, shared by all threads.
#[derive(Clone, Copy)]
struct Functions(*mut CK_FUNCTION_LIST);

// SAFETY: the list is never written to, and the module is told that threads will call it.
unsafe impl Send for Functions {}
// SAFETY: as above.
unsafe impl Sync for Functions {}

/// Calls a function of the module, and makes an error of its code.
macro_rules! call {
    ($functions:expr, $name:ident($($argument:expr),*)) => {{
        // SAFETY: the list is the module's; arguments are as the standard has them.
        let code = unsafe { (*$functions.0).$name.expect("modules have it")($($argument),*) };
        match code {
            CKR_OK => Ok(()),
            _ => Err(format!("{} failed with {code:#x}", stringify!($name))),
        }
    }};
}

type Fallible<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

fn attribute<T: ?Sized>(type_: CK_ATTRIBUTE_TYPE, value: &T) -> CK_ATTRIBUTE {
    CK_ATTRIBUTE {
        type_,
        pValue: ptr::from_ref(value).cast_mut().cast(),
        ulValueLen: size_of_val(value) as CK_ULONG,
    }
}

fn mechanism(mechanism: CK_MECHANISM_TYPE) -> CK_MECHANISM {
    CK_MECHANISM { mechanism, pParameter: ptr::null_mut(), ulParameterLen: 0 }
}

fn with<T>(id: CK_MECHANISM_TYPE, parameter: &T) -> CK_MECHANISM {
    CK_MECHANISM {
        mechanism: id,
        pParameter: ptr::from_ref(parameter).cast_mut().cast(),
        ulParameterLen: size_of::<T>() as CK_ULONG,
    }
}

/// What is measured.
#[derive(Clone, Copy, PartialEq)]
enum CallKind {
    Rsa,
    Ecdsa,
    Sha256,
    Cbc,
    Gcm,
}

const WORKS: [(&str, CallKind); 5] = [
    ("rsa-2048", CallKind::Rsa),
    ("ecdsa-p256", CallKind::Ecdsa),
    ("sha256", CallKind::Sha256),
    ("aes-128-cbc", CallKind::Cbc),
    ("aes-128-gcm", CallKind::Gcm),
];

/// Makes a key for the work; 0 where none is needed.
fn key(list: Functions, session: CK_SESSION_HANDLE, work: CallKind) -> Fallible<CK_OBJECT_HANDLE> {
    let (yes, no) = (CK_TRUE, CK_FALSE);
    let (mut public, mut private) = (0, 0);
    let bits: CK_ULONG = 2048;
    let len: CK_ULONG = 16;
    let p256 = [6u8, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7];
    let mut of_private = [attribute(CKA_SIGN, &yes), attribute(CKA_TOKEN, &no)];
    let (id, mut of_public) = match work {
        CallKind::Rsa => (
            CKM_RSA_PKCS_KEY_PAIR_GEN,
            vec![attribute(CKA_MODULUS_BITS, &bits), attribute(CKA_PUBLIC_EXPONENT, &[1u8, 0, 1])],
        ),
        CallKind::Ecdsa => (CKM_EC_KEY_PAIR_GEN, vec![attribute(CKA_EC_PARAMS, &p256)]),
        CallKind::Sha256 => return Ok(0),
        CallKind::Cbc | CallKind::Gcm => {
            let mut template = [
                attribute(CKA_VALUE_LEN, &len),
                attribute(CKA_ENCRYPT, &yes),
                attribute(CKA_TOKEN, &no),
            ];
            let mut key = 0;
            let mut id = mechanism(CKM_AES_KEY_GEN);
            let template = template.as_mut_ptr();
            call!(list, C_GenerateKey(session, &mut id, template, 3, &mut key))?;
            return Ok(key);
        }
    };
    of_public.push(attribute(CKA_TOKEN, &no));
    let count = of_public.len() as CK_ULONG;
    let mut id = mechanism(id);
    let (of_public, of_private) = (of_public.as_mut_ptr(), of_private.as_mut_ptr());
    let (to_public, to_private) = (&mut public, &mut private);
    call!(
        list,
        C_GenerateKeyPair(session, &mut id, of_public, count, of_private, 2, to_public, to_private)
    )?;
    Ok(private)
}

/// One operation.
fn operate(
    list: Functions,
    session: CK_SESSION_HANDLE,
    key: CK_OBJECT_HANDLE,
    work: CallKind,
    data: &mut [u8],
    output: &mut [u8],
) -> Fallible {
    let (from, len) = (data.as_mut_ptr(), data.len() as CK_ULONG);
    let (to, mut to_len) = (output.as_mut_ptr(), output.len() as CK_ULONG);
    let iv = [7u8; 16];
    let gcm = CK_GCM_PARAMS {
        pIv: iv.as_ptr().cast_mut(),
        ulIvLen: 12,
        ulIvBits: 96,
        pAAD: ptr::null_mut(),
        ulAADLen: 0,
        ulTagBits: 128,
    };
    let mut id = match work {
        CallKind::Rsa => mechanism(CKM_SHA256_RSA_PKCS),
        CallKind::Ecdsa => mechanism(CKM_ECDSA),
        CallKind::Sha256 => mechanism(CKM_SHA256),
        CallKind::Cbc => with(CKM_AES_CBC, &iv),
        CallKind::Gcm => with(CKM_AES_GCM, &gcm),
    };
    match work {
        CallKind::Rsa | CallKind::Ecdsa => {
            let len = if work == CallKind::Ecdsa { 32 } else { len };
            call!(list, C_SignInit(session, &mut id, key))?;
            call!(list, C_Sign(session, from, len, to, &mut to_len))?;
        }
        CallKind::Sha256 => {
            call!(list, C_DigestInit(session, &mut id))?;
            call!(list, C_Digest(session, from, len, to, &mut to_len))?;
        }
        CallKind::Cbc | CallKind::Gcm => {
            call!(list, C_EncryptInit(session, &mut id, key))?;
            call!(list, C_Encrypt(session, from, len, to, &mut to_len))?;
        }
    }
    Ok(())
}

struct Options {
    module: String,
    pin: String,
    work: CallKind,
    name: String,
    threads: Vec<usize>,
    seconds: f64,
    bytes: usize,
}

fn options() -> Fallible<Options> {
    let mut arguments = env::args().skip(1);
    let usage = "usage: throughput MODULE PIN [--mechanism NAME] [--threads 1,8,32] \
                 [--seconds 2] [--bytes 1024]";
    let (Some(module), Some(pin)) = (arguments.next(), arguments.next()) else {
        return Err(usage.into());
    };
    let mut options = Options {
        module,
        pin,
        work: CallKind::Rsa,
        name: "rsa-2048".to_owned(),
        threads: vec![1, 8, 32],
        seconds: 2.0,
        bytes: 1024,
    };
    while let Some(option) = arguments.next() {
        let value = arguments.next().ok_or(usage)?;
        match option.as_str() {
            "--mechanism" => {
                let found = WORKS.iter().find(|(name, _)| *name == value);
                let names = WORKS.map(|(name, _)| name).join(", ");
                let wrong = || format!("{value:?} is no mechanism; valid: {names}");
                options.work = found.ok_or_else(wrong)?.1;
                options.name = value;
            }
            "--threads" => {
                options.threads = value.split(',').map(str::parse).collect::<Result<_, _>>()?;
            }
            "--seconds" => options.seconds = value.parse()?,
            "--bytes" => options.bytes = value.parse()?,
            _ => return Err(usage.into()),
        }
    }
    Ok(options)
}

fn main() -> Fallible {
    let options = options()?;
    // SAFETY: a module's initialisers prepare the module alone.
    let library = unsafe { Pkcs11::new(&options.module) }?;
    let mut list = ptr::null_mut();
    // SAFETY: there is room for the pointer.
    let code = unsafe { library.C_GetFunctionList(&mut list) };
    if code != CKR_OK {
        return Err(format!("C_GetFunctionList failed with {code:#x}").into());
    }
    let list = Functions(list);
    let mut arguments =
        CK_C_INITIALIZE_ARGS { flags: CKF_OS_LOCKING_OK, ..CK_C_INITIALIZE_ARGS::default() };
    call!(list, C_Initialize(ptr::from_mut(&mut arguments).cast()))?;
    let slot = slot(list)?;
    let open = || -> Fallible<CK_SESSION_HANDLE> {
        let (mut session, flags) = (0, CKF_SERIAL_SESSION | CKF_RW_SESSION);
        call!(list, C_OpenSession(slot, flags, ptr::null_mut(), None, &mut session))?;
        Ok(session)
    };
    let first = open()?;
    let pin = options.pin.as_ptr().cast_mut();
    call!(list, C_Login(first, CKU_USER, pin, options.pin.len() as CK_ULONG))?;
    let key = key(list, first, options.work)?;
    for &threads in &options.threads {
        let sessions = (0..threads).map(|_| open()).collect::<Fallible<Vec<_>>>()?;
        let (ends, start) = (AtomicBool::new(false), Barrier::new(threads + 1));
        let (work, bytes) = (options.work, options.bytes);
        let (count, elapsed) = thread::scope(|scope| -> Fallible<(u64, Duration)> {
            let run = |session| {
                let (ends, start) = (&ends, &start);
                scope.spawn(move || -> Fallible<u64> {
                    let (mut data, mut output) = (vec![5; bytes], vec![0; bytes + 1024]);
                    let mut count = 0;
                    start.wait();
                    while !ends.load(Ordering::Relaxed) {
                        operate(list, session, key, work, &mut data, &mut output)?;
                        count += 1;
                    }
                    Ok(count)
                })
            };
            let running: Vec<_> = sessions.iter().copied().map(run).collect();
            start.wait();
            let begun = Instant::now();
            thread::sleep(Duration::from_secs_f64(options.seconds));
            ends.store(true, Ordering::Relaxed);
            let counts = running.into_iter().map(|one| one.join().expect("threads end"));
            let counts: Fallible<Vec<u64>> = counts.collect();
            Ok((counts?.into_iter().sum(), begun.elapsed()))
        })?;
        let rate = count as f64 / elapsed.as_secs_f64();
        println!("{} {bytes} bytes, {threads} threads: {rate:.0} operations/s", options.name);
        for session in sessions {
            call!(list, C_CloseSession(session))?;
        }
    }
    call!(list, C_Finalize(ptr::null_mut()))?;
    Ok(())
}

/// The first slot whose token has a user.
fn slot(list: Functions) -> Fallible<CK_SLOT_ID> {
    let (mut slots, mut count) = ([0; 64], 64);
    call!(list, C_GetSlotList(CK_TRUE, slots.as_mut_ptr(), &mut count))?;
    for &slot in &slots[..count as usize] {
        let mut info = CK_TOKEN_INFO::default();
        call!(list, C_GetTokenInfo(slot, &mut info))?;
        if info.flags & CKF_USER_PIN_INITIALIZED != 0 {
            return Ok(slot);
        }
    }
    Err("no token has a user's PIN: initialize one, with pkcs11-tool --init-token and \
         --init-pin"
        .into())
}
