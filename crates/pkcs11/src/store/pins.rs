//! What a token is, and its PINs.

use broadloom::Registry;
use cryptoki_sys::*;

use super::records::{self, Writer};
use super::seal::{LOG_N, SealingKey};
use crate::memory::Outcome;
use crate::random;

/// Wrong PINs in a row after which a role is locked.
pub const MOST_TRIES: u8 = 10;

/// Who logs in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The security officer, who gives the user a PIN.
    Officer,
    /// The user, whose objects are private.
    User,
}

impl Role {
    /// The place that the token's key is sealed for.
    fn place(self) -> &'static str {
        match self {
            Role::Officer => "security officer",
            Role::User => "user",
        }
    }
}

/// The token's key, sealed under a PIN.
#[derive(Clone, PartialEq, Eq)]
pub struct Sealed {
    salt: [u8; 16],
    log_n: u8,
    /// Wrong PINs since the last right one.
    tries: u8,
    key: Vec<u8>,
}

impl Sealed {
    pub fn new(registry: &Registry, role: Role, pin: &[u8], key: &SealingKey) -> Outcome<Sealed> {
        let mut salt = [0; 16];
        random::fill(&mut salt)?;
        let under = SealingKey::of_pin(pin, &salt, LOG_N)?;
        let key = under.seal(registry, role.place(), key.as_bytes())?;
        Ok(Sealed { salt, log_n: LOG_N, tries: 0, key })
    }

    fn write(&self) -> Vec<u8> {
        [self.salt.as_slice(), &[self.log_n, self.tries], &self.key].concat()
    }

    fn read(bytes: &[u8]) -> Option<Sealed> {
        let (salt, rest) = bytes.split_first_chunk()?;
        let ([log_n, tries], key) = rest.split_first_chunk()?;
        Some(Sealed { salt: *salt, log_n: *log_n, tries: *tries, key: key.to_vec() })
    }
}

/// What a token's file says.
#[derive(Clone, PartialEq, Eq)]
pub struct Token {
    pub label: [u8; 32],
    pub serial: [u8; 16],
    officer: Sealed,
    user: Option<Sealed>,
}

const LABEL: u64 = 1;
const SERIAL: u64 = 2;
const OFFICER: u64 = 3;
const USER: u64 = 4;

impl Token {
    /// A new one, with a new key.
    pub fn new(registry: &Registry, pin: &[u8], label: [u8; 32]) -> Outcome<Token> {
        let serial = random::name::<8>()?.into_bytes();
        let key = SealingKey::new()?;
        Ok(Token {
            label,
            serial: serial.try_into().expect("eight bytes are sixteen digits"),
            officer: Sealed::new(registry, Role::Officer, pin, &key)?,
            user: None,
        })
    }

    pub fn read(file: &[u8]) -> Option<Token> {
        let parts = records::read(file)?;
        let user = match records::find(&parts, USER) {
            Some(user) => Some(Sealed::read(user)?),
            None => None,
        };
        Some(Token {
            label: records::find(&parts, LABEL)?.try_into().ok()?,
            serial: records::find(&parts, SERIAL)?.try_into().ok()?,
            officer: Sealed::read(records::find(&parts, OFFICER)?)?,
            user,
        })
    }

    pub fn write(&self) -> Writer {
        let mut writer = Writer::new();
        writer.put(LABEL, &self.label);
        writer.put(SERIAL, &self.serial);
        writer.put(OFFICER, &self.officer.write());
        if let Some(user) = &self.user {
            writer.put(USER, &user.write());
        }
        writer
    }

    /// Returns `true` if the user has a PIN.
    pub fn has_user(&self) -> bool {
        self.user.is_some()
    }

    /// Wrong PINs of a role since the last right one.
    pub fn tries(&self, role: Role) -> u8 {
        match role {
            Role::Officer => self.officer.tries,
            Role::User => self.user.as_ref().map_or(0, |user| user.tries),
        }
    }

    fn sealed(&mut self, role: Role) -> Outcome<&mut Sealed> {
        match role {
            Role::Officer => Ok(&mut self.officer),
            Role::User => self.user.as_mut().ok_or(CKR_USER_PIN_NOT_INITIALIZED),
        }
    }

    pub fn set(&mut self, role: Role, sealed: Sealed) {
        match role {
            Role::Officer => self.officer = sealed,
            Role::User => self.user = Some(sealed),
        }
    }

    /// Counts a guess, before it is known whether it is right.
    pub fn count_try(&mut self, role: Role) -> Outcome {
        let sealed = self.sealed(role)?;
        if sealed.tries >= MOST_TRIES {
            return Err(CKR_PIN_LOCKED);
        }
        sealed.tries += 1;
        Ok(())
    }

    pub fn forget_tries(&mut self, role: Role) {
        if let Ok(sealed) = self.sealed(role) {
            sealed.tries = 0;
        }
    }

    /// The token's key, if the PIN is right.
    pub fn open(&self, registry: &Registry, role: Role, pin: &[u8]) -> Outcome<SealingKey> {
        let sealed = match role {
            Role::Officer => &self.officer,
            Role::User => self.user.as_ref().ok_or(CKR_USER_PIN_NOT_INITIALIZED)?,
        };
        let under = SealingKey::of_pin(pin, &sealed.salt, sealed.log_n)?;
        let key = under.open(registry, role.place(), &sealed.key).ok_or(CKR_PIN_INCORRECT)?;
        SealingKey::of_bytes(&key).ok_or(CKR_DEVICE_ERROR)
    }
}
