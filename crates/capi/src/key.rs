//! Keys of public-key algorithms whose numbers the caller has one by one.

use std::ffi::c_char;
use std::slice;

use broadloom::public_key::{
    Curve, EcPrivateKey, EcPublicKey, KeyError, MlDsaPrivateKey, MlDsaPublicKey, MlDsaSet,
    PrivateKey, PublicKey, RsaNumbers, RsaPrivateKey, RsaPublicKey,
};
use zeroize::Zeroizing;

use crate::fault::{Fault, bytes, put, report, structure, text};
use crate::status::{BL_E_KEY, BL_E_ROOM, bl_status};

/// A number in big-endian order, with or without zero bytes in front; without bytes it is left out.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct bl_number {
    /// The highest byte.
    pub bytes: *const u8,
    /// How many there are.
    pub len: usize,
}

/// The numbers of a key. Set all members to zero but those that there are; `size` always is.
///
/// RSA, private: `n`, `e`, and `d` or both of `p` and `q`; what else is there is checked. RSA,
/// public: `n` and `e`. A curve, private: `d`; public: `x` and `y`. ML-DSA, private: `d`, a seed of
/// 32 bytes or an expanded private key; public: `x`, the public key; both are bytes in the order of
/// the standard, and no numbers.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct bl_key_parts {
    /// sizeof(bl_key_parts)
    pub size: usize,
    /// What the key is of: "rsa", "p256", "p384", "p521", "secp256k1", "k283", "b283", "ml-dsa-44",
    /// "ml-dsa-65" or "ml-dsa-87".
    pub kind: *const c_char,
    /// The modulus.
    pub n: bl_number,
    /// The public exponent.
    pub e: bl_number,
    /// The private exponent; of a curve, the private scalar; of ML-DSA, the private key.
    pub d: bl_number,
    /// The first prime.
    pub p: bl_number,
    /// The second prime.
    pub q: bl_number,
    /// The private exponent modulo `p - 1`.
    pub dp: bl_number,
    /// The private exponent modulo `q - 1`.
    pub dq: bl_number,
    /// The inverse of `q` modulo `p`.
    pub qinv: bl_number,
    /// The point's first coordinate; of ML-DSA, the public key.
    pub x: bl_number,
    /// The point's second coordinate.
    pub y: bl_number,
}

/// The numbers of a `bl_key_parts`, by name.
struct Parts<'a> {
    n: &'a [u8],
    e: &'a [u8],
    d: &'a [u8],
    p: &'a [u8],
    q: &'a [u8],
    dp: &'a [u8],
    dq: &'a [u8],
    qinv: &'a [u8],
    x: &'a [u8],
    y: &'a [u8],
}

impl bl_key_parts {
    /// # Safety
    /// The [condition](crate#what-c-vouches-for) *bytes* holds for its numbers during `'a`.
    unsafe fn read<'a>(&self) -> Result<Parts<'a>, Fault> {
        // SAFETY: the numbers of the parts meet the condition *bytes*, by the contract.
        let read = |number: bl_number, name| unsafe { bytes(number.bytes, number.len, name) };
        Ok(Parts {
            n: read(self.n, "number n")?,
            e: read(self.e, "number e")?,
            d: read(self.d, "number d")?,
            p: read(self.p, "number p")?,
            q: read(self.q, "number q")?,
            dp: read(self.dp, "number dp")?,
            dq: read(self.dq, "number dq")?,
            qinv: read(self.qinv, "number qinv")?,
            x: read(self.x, "number x")?,
            y: read(self.y, "number y")?,
        })
    }
}

impl Parts<'_> {
    /// Refuses a number that a kind of key does not have.
    fn has_only(&self, kind: &str, names: &[&str]) -> Result<(), Fault> {
        let Parts { n, e, d, p, q, dp, dq, qinv, x, y } = self;
        let all = [
            ("n", n),
            ("e", e),
            ("d", d),
            ("p", p),
            ("q", q),
            ("dp", dp),
            ("dq", dq),
            ("qinv", qinv),
            ("x", x),
            ("y", y),
        ];
        match all.iter().find(|(name, number)| !number.is_empty() && !names.contains(name)) {
            Some((name, _)) => Err(Fault::argument(format_args!(
                "a key of {kind} has no number {name} beside the others; valid: {}",
                names.join(", ")
            ))),
            None => Ok(()),
        }
    }

    /// The key in DER.
    fn key(&self, kind: &str) -> Result<Zeroizing<Vec<u8>>, Fault> {
        let curve = Curve::ALL.into_iter().find(|curve| curve.name() == kind);
        let ml_dsa = MlDsaSet::ALL.into_iter().find(|set| set.name() == kind);
        let key = match (curve, ml_dsa) {
            (Some(curve), _) => self.of_curve(curve),
            (_, Some(set)) => self.of_ml_dsa(set),
            _ if kind == "rsa" => self.of_rsa(),
            _ => {
                let curves = Curve::ALL.into_iter().map(Curve::name);
                let valid: Vec<_> =
                    curves.chain(MlDsaSet::ALL.into_iter().map(MlDsaSet::name)).collect();
                return Err(Fault::name(format_args!(
                    "{kind:?} is no kind of key that has parts; valid: rsa, {}",
                    valid.join(", ")
                )));
            }
        };
        key?.map_err(|error| Fault::new(BL_E_KEY, error))
    }

    fn of_rsa(&self) -> Result<Result<Zeroizing<Vec<u8>>, KeyError>, Fault> {
        self.has_only("rsa", &["n", "e", "d", "p", "q", "dp", "dq", "qinv"])?;
        let &Parts { n, e, d, p, q, dp, dq, qinv, .. } = self;
        if [d, p, q, dp, dq, qinv].iter().all(|number| number.is_empty()) {
            let key = RsaPublicKey::new(n, e);
            return Ok(key.map(|key| PublicKey::Rsa(key).to_der().into()));
        }
        let key = RsaPrivateKey::complete(&RsaNumbers { n, e, d, p, q, dp, dq, qinv });
        Ok(key.map(|key| PrivateKey::Rsa(key).to_der()))
    }

    fn of_curve(&self, curve: Curve) -> Result<Result<Zeroizing<Vec<u8>>, KeyError>, Fault> {
        if self.d.is_empty() {
            self.has_only(curve.name(), &["x", "y"])?;
            if self.x.is_empty() || self.y.is_empty() {
                let text = format!(
                    "a key of {} has the number d, or both of x and y; a number without bytes is \
                     left out",
                    curve.name()
                );
                return Err(Fault::new(BL_E_KEY, text));
            }
            let key = EcPublicKey::of_coordinates(curve, self.x, self.y);
            return Ok(key.map(|key| PublicKey::Ec(key).to_der().into()));
        }
        self.has_only(curve.name(), &["d"])?;
        Ok(EcPrivateKey::new(curve, self.d).map(|key| PrivateKey::Ec(key).to_der()))
    }

    fn of_ml_dsa(&self, set: MlDsaSet) -> Result<Result<Zeroizing<Vec<u8>>, KeyError>, Fault> {
        if self.d.is_empty() {
            self.has_only(set.name(), &["x"])?;
            let key = MlDsaPublicKey::new(set, self.x);
            return Ok(key.map(|key| PublicKey::MlDsa(key).to_der().into()));
        }
        self.has_only(set.name(), &["d"])?;
        let key = match self.d.len() {
            MlDsaSet::SEED_LEN => MlDsaPrivateKey::from_seed(set, self.d),
            _ => MlDsaPrivateKey::from_expanded(set, self.d),
        };
        Ok(key.map(|key| PrivateKey::MlDsa(key).to_der()))
    }
}

/// Makes a key of its numbers, in the form that `bl_transform.key` takes: DER, PKCS #8 of a private
/// key, SubjectPublicKeyInfo of a public one. Numbers of an RSA key that are left out are computed;
/// with `d` alone, the primes are searched, which takes as long as several signatures.
///
/// `key`: room for the key, which the caller wipes when it is private; may be null where `room` is
/// 0. `len`: out: how long the key is, also where there is too little room, with `BL_E_ROOM`.
/// 5120 bytes are enough for every key.
///
/// `BL_E_KEY`: the numbers break a rule, and `bl_last_error` names it. Whether a point is on its
/// curve is found when a session is opened.
///
/// Threads: any, at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_key_from_parts(
    parts: *const bl_key_parts,
    key: *mut u8,
    room: usize,
    len: *mut usize,
) -> bl_status {
    // SAFETY: the conditions *structures*, *texts*, *bytes* and *places* hold.
    report(unsafe { write(parts, key, room, len) })
}

/// # Safety
/// The [conditions](crate#what-c-vouches-for) *structures*, *texts* and *bytes* hold for the parts,
/// *bytes* for the room, and *places* for the length.
unsafe fn write(
    parts: *const bl_key_parts,
    key: *mut u8,
    room: usize,
    len: *mut usize,
) -> Result<(), Fault> {
    // SAFETY: the conditions *structures*, *texts* and *bytes* hold.
    let der = unsafe {
        let given = structure(parts, "bl_key_parts")?;
        given.read()?.key(text(given.kind, "kind")?)?
    };
    // SAFETY: the condition *places* holds.
    unsafe { put(len, "length", der.len()) }?;
    if room < der.len() {
        let text = format!("the key has {} bytes, and there is room for {room}", der.len());
        return Err(Fault::new(BL_E_ROOM, text));
    }
    if key.is_null() {
        return Err(Fault::argument(format_args!("{room} bytes of room are at a null pointer")));
    }
    // SAFETY: it is not null, and has room for so many bytes by the condition *bytes*.
    unsafe { slice::from_raw_parts_mut(key, der.len()) }.copy_from_slice(&der);
    Ok(())
}
