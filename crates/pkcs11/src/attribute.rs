//! Attributes of objects: which there are, of what type, and who may set them when.

use std::collections::BTreeMap;

use cryptoki_sys::*;
use zeroize::Zeroizing;

use crate::memory::Outcome;

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bool,
    Ulong,
    Date,
    Bytes,
}

/// Who may set an attribute, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Set {
    /// The application, when it makes the object.
    Once,
    /// The application, at any time.
    Always,
    /// The application; from false to true alone once the object is there.
    ToTrue,
    /// The application; from true to false alone once the object is there.
    ToFalse,
    /// The application, when it makes or copies the object.
    Copied,
    /// The application, when it makes the object; from false to true alone in a copy.
    CopiedToTrue,
    /// The application, when it makes the object; from true to false alone in a copy.
    CopiedToFalse,
    /// The module; the security officer, of what is trusted.
    Never,
}

/// Classes of objects, a bit each.
const DATA: u8 = 1;
const CERTIFICATE: u8 = 2;
const PUBLIC: u8 = 4;
const PRIVATE: u8 = 8;
const SECRET: u8 = 16;
const ANY: u8 = 31;
const KEY: u8 = PUBLIC | PRIVATE | SECRET;
const PAIR: u8 = PUBLIC | PRIVATE;
const HIDDEN: u8 = PRIVATE | SECRET;

struct Row {
    id: CK_ATTRIBUTE_TYPE,
    classes: u8,
    kind: Kind,
    set: Set,
}

const fn row(id: CK_ATTRIBUTE_TYPE, classes: u8, kind: Kind, set: Set) -> Row {
    Row { id, classes, kind, set }
}

const ROWS: &[Row] = &[
    row(CKA_CLASS, ANY, Kind::Ulong, Set::Once),
    row(CKA_TOKEN, ANY, Kind::Bool, Set::Copied),
    row(CKA_PRIVATE, ANY, Kind::Bool, Set::CopiedToTrue),
    row(CKA_LABEL, ANY, Kind::Bytes, Set::Always),
    row(CKA_MODIFIABLE, ANY, Kind::Bool, Set::CopiedToFalse),
    row(CKA_COPYABLE, ANY, Kind::Bool, Set::ToFalse),
    row(CKA_DESTROYABLE, ANY, Kind::Bool, Set::CopiedToFalse),
    row(CKA_UNIQUE_ID, ANY, Kind::Bytes, Set::Never),
    row(CKA_APPLICATION, DATA, Kind::Bytes, Set::Always),
    row(CKA_OBJECT_ID, DATA, Kind::Bytes, Set::Always),
    row(CKA_VALUE, DATA, Kind::Bytes, Set::Always),
    row(CKA_CERTIFICATE_TYPE, CERTIFICATE, Kind::Ulong, Set::Once),
    row(CKA_CERTIFICATE_CATEGORY, CERTIFICATE, Kind::Ulong, Set::Once),
    row(CKA_JAVA_MIDP_SECURITY_DOMAIN, CERTIFICATE, Kind::Ulong, Set::Once),
    row(CKA_ISSUER, CERTIFICATE, Kind::Bytes, Set::Always),
    row(CKA_SERIAL_NUMBER, CERTIFICATE, Kind::Bytes, Set::Always),
    row(CKA_URL, CERTIFICATE, Kind::Bytes, Set::Once),
    row(CKA_HASH_OF_SUBJECT_PUBLIC_KEY, CERTIFICATE, Kind::Bytes, Set::Once),
    row(CKA_HASH_OF_ISSUER_PUBLIC_KEY, CERTIFICATE, Kind::Bytes, Set::Once),
    row(CKA_NAME_HASH_ALGORITHM, CERTIFICATE, Kind::Ulong, Set::Once),
    row(CKA_CHECK_VALUE, CERTIFICATE | SECRET, Kind::Bytes, Set::Once),
    row(CKA_TRUSTED, CERTIFICATE | PUBLIC | SECRET, Kind::Bool, Set::Never),
    row(CKA_SUBJECT, CERTIFICATE, Kind::Bytes, Set::Once),
    row(CKA_SUBJECT, PAIR, Kind::Bytes, Set::Always),
    row(CKA_ID, CERTIFICATE | KEY, Kind::Bytes, Set::Always),
    row(CKA_START_DATE, CERTIFICATE, Kind::Date, Set::Once),
    row(CKA_END_DATE, CERTIFICATE, Kind::Date, Set::Once),
    row(CKA_START_DATE, KEY, Kind::Date, Set::Always),
    row(CKA_END_DATE, KEY, Kind::Date, Set::Always),
    row(CKA_PUBLIC_KEY_INFO, CERTIFICATE | PAIR, Kind::Bytes, Set::Once),
    row(CKA_VALUE, CERTIFICATE | KEY, Kind::Bytes, Set::Once),
    row(CKA_VALUE_LEN, SECRET, Kind::Ulong, Set::Once),
    row(CKA_KEY_TYPE, KEY, Kind::Ulong, Set::Once),
    row(CKA_DERIVE, KEY, Kind::Bool, Set::Always),
    row(CKA_LOCAL, KEY, Kind::Bool, Set::Never),
    row(CKA_KEY_GEN_MECHANISM, KEY, Kind::Ulong, Set::Never),
    row(CKA_ALLOWED_MECHANISMS, KEY, Kind::Bytes, Set::Once),
    row(CKA_ENCRYPT, PUBLIC | SECRET, Kind::Bool, Set::Always),
    row(CKA_VERIFY, PUBLIC | SECRET, Kind::Bool, Set::Always),
    row(CKA_ENCAPSULATE, PUBLIC, Kind::Bool, Set::Always),
    row(CKA_VERIFY_RECOVER, PUBLIC, Kind::Bool, Set::Always),
    row(CKA_WRAP, PUBLIC | SECRET, Kind::Bool, Set::Always),
    row(CKA_DECRYPT, HIDDEN, Kind::Bool, Set::Always),
    row(CKA_SIGN, HIDDEN, Kind::Bool, Set::Always),
    row(CKA_DECAPSULATE, PRIVATE, Kind::Bool, Set::Always),
    row(CKA_SIGN_RECOVER, PRIVATE, Kind::Bool, Set::Always),
    row(CKA_UNWRAP, HIDDEN, Kind::Bool, Set::Always),
    row(CKA_SENSITIVE, HIDDEN, Kind::Bool, Set::ToTrue),
    row(CKA_EXTRACTABLE, HIDDEN, Kind::Bool, Set::ToFalse),
    row(CKA_ALWAYS_SENSITIVE, HIDDEN, Kind::Bool, Set::Never),
    row(CKA_NEVER_EXTRACTABLE, HIDDEN, Kind::Bool, Set::Never),
    row(CKA_WRAP_WITH_TRUSTED, HIDDEN, Kind::Bool, Set::ToTrue),
    row(CKA_ALWAYS_AUTHENTICATE, PRIVATE, Kind::Bool, Set::Once),
    row(CKA_MODULUS, PAIR, Kind::Bytes, Set::Once),
    row(CKA_MODULUS_BITS, PUBLIC, Kind::Ulong, Set::Once),
    row(CKA_PUBLIC_EXPONENT, PAIR, Kind::Bytes, Set::Once),
    row(CKA_PRIVATE_EXPONENT, PRIVATE, Kind::Bytes, Set::Once),
    row(CKA_PRIME_1, PRIVATE, Kind::Bytes, Set::Once),
    row(CKA_PRIME_2, PRIVATE, Kind::Bytes, Set::Once),
    row(CKA_EXPONENT_1, PRIVATE, Kind::Bytes, Set::Once),
    row(CKA_EXPONENT_2, PRIVATE, Kind::Bytes, Set::Once),
    row(CKA_COEFFICIENT, PRIVATE, Kind::Bytes, Set::Once),
    row(CKA_EC_PARAMS, PAIR, Kind::Bytes, Set::Once),
    row(CKA_EC_POINT, PAIR, Kind::Bytes, Set::Once),
    row(CKA_PARAMETER_SET, PAIR, Kind::Ulong, Set::Once),
    row(CKA_SEED, PRIVATE, Kind::Bytes, Set::Once),
];

/// Values that leave no object whose key is sensitive or not extractable.
const SECRETS: [CK_ATTRIBUTE_TYPE; 8] = [
    CKA_VALUE,
    CKA_SEED,
    CKA_PRIVATE_EXPONENT,
    CKA_PRIME_1,
    CKA_PRIME_2,
    CKA_EXPONENT_1,
    CKA_EXPONENT_2,
    CKA_COEFFICIENT,
];

/// A type and its value.
pub type Attribute = (CK_ATTRIBUTE_TYPE, Zeroizing<Vec<u8>>);

/// The attributes of an object.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Attributes(BTreeMap<CK_ATTRIBUTE_TYPE, Zeroizing<Vec<u8>>>);

fn class_bit(class: CK_OBJECT_CLASS) -> Option<u8> {
    match class {
        CKO_DATA => Some(DATA),
        CKO_CERTIFICATE => Some(CERTIFICATE),
        CKO_PUBLIC_KEY => Some(PUBLIC),
        CKO_PRIVATE_KEY => Some(PRIVATE),
        CKO_SECRET_KEY => Some(SECRET),
        _ => None,
    }
}

/// A number as an attribute has it.
pub fn ulong(value: CK_ULONG) -> Zeroizing<Vec<u8>> {
    Zeroizing::new(value.to_ne_bytes().to_vec())
}

/// A truth value as an attribute has it.
pub fn boolean(value: bool) -> Zeroizing<Vec<u8>> {
    Zeroizing::new(vec![if value { CK_TRUE } else { CK_FALSE }])
}

impl Attributes {
    /// The attributes of a template, each with a value that its type can have.
    ///
    /// # Errors
    /// `CKR_ATTRIBUTE_VALUE_INVALID`; `CKR_TEMPLATE_INCONSISTENT` where an attribute comes twice
    /// with two values.
    pub fn of_template(template: Vec<Attribute>) -> Outcome<Attributes> {
        let mut attributes = Attributes::default();
        for (id, value) in template {
            if let Some(row) = ROWS.iter().find(|row| row.id == id) {
                check_value(row.kind, &value)?;
            }
            match attributes.0.get(&id) {
                Some(other) if *other != value => return Err(CKR_TEMPLATE_INCONSISTENT),
                _ => attributes.0.insert(id, value),
            };
        }
        Ok(attributes)
    }

    /// The value of an attribute.
    pub fn get(&self, id: CK_ATTRIBUTE_TYPE) -> Option<&[u8]> {
        self.0.get(&id).map(|value| value.as_slice())
    }

    /// A value that has to be there.
    ///
    /// # Errors
    /// `CKR_TEMPLATE_INCOMPLETE`.
    pub fn need(&self, id: CK_ATTRIBUTE_TYPE) -> Outcome<&[u8]> {
        self.get(id).ok_or(CKR_TEMPLATE_INCOMPLETE)
    }

    /// A truth value; false where there is none.
    pub fn is(&self, id: CK_ATTRIBUTE_TYPE) -> bool {
        self.get(id).is_some_and(|value| value == [CK_TRUE])
    }

    /// A number.
    pub fn ulong(&self, id: CK_ATTRIBUTE_TYPE) -> Option<CK_ULONG> {
        Some(CK_ULONG::from_ne_bytes(self.get(id)?.try_into().ok()?))
    }

    /// Sets an attribute, whoever may.
    pub fn set(&mut self, id: CK_ATTRIBUTE_TYPE, value: Zeroizing<Vec<u8>>) {
        self.0.insert(id, value);
    }

    /// Sets an attribute that has no value yet.
    pub fn set_default(&mut self, id: CK_ATTRIBUTE_TYPE, value: Zeroizing<Vec<u8>>) {
        self.0.entry(id).or_insert(value);
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (CK_ATTRIBUTE_TYPE, &[u8])> {
        self.0.iter().map(|(id, value)| (*id, value.as_slice()))
    }

    /// The class.
    pub fn class(&self) -> Option<CK_OBJECT_CLASS> {
        self.ulong(CKA_CLASS)
    }

    /// Returns `true` if an attribute's value must not be shown.
    pub fn hides(&self, id: CK_ATTRIBUTE_TYPE) -> bool {
        let holds_key = matches!(self.class(), Some(CKO_PRIVATE_KEY | CKO_SECRET_KEY));
        let is_secret = SECRETS.contains(&id);
        holds_key && is_secret && (self.is(CKA_SENSITIVE) || !self.is(CKA_EXTRACTABLE))
    }

    /// Returns `true` if every attribute of a template is here, with its value. What is hidden
    /// matches nothing.
    pub fn matches(&self, template: &[Attribute]) -> bool {
        let same = |(id, value): &Attribute| !self.hides(*id) && self.get(*id) == Some(value);
        template.iter().all(same)
    }

    fn row(&self, id: CK_ATTRIBUTE_TYPE) -> Outcome<&'static Row> {
        let class = self.class().and_then(class_bit).ok_or(CKR_ATTRIBUTE_VALUE_INVALID)?;
        let row = ROWS.iter().find(|row| row.id == id && row.classes & class != 0);
        row.ok_or(CKR_ATTRIBUTE_TYPE_INVALID)
    }

    /// Checks what an application has given for a new object; the class is there.
    ///
    /// # Errors
    /// `CKR_ATTRIBUTE_TYPE_INVALID`, `CKR_ATTRIBUTE_READ_ONLY`, `CKR_ATTRIBUTE_VALUE_INVALID`;
    /// `CKR_TEMPLATE_INCONSISTENT` for a key that asks for the PIN each time and is not private.
    pub fn check_new(&self, is_security_officer: bool) -> Outcome {
        let is_public = self.get(CKA_PRIVATE) == Some([CK_FALSE].as_slice());
        if is_public && self.is(CKA_ALWAYS_AUTHENTICATE) {
            return Err(CKR_TEMPLATE_INCONSISTENT);
        }
        for (id, value) in self.iter() {
            let row = self.row(id)?;
            check_value(row.kind, value)?;
            let grants_trust = id == CKA_TRUSTED && (is_security_officer || !self.is(id));
            if row.set == Set::Never && !grants_trust {
                return Err(CKR_ATTRIBUTE_READ_ONLY);
            }
        }
        Ok(())
    }

    /// The same object after a change, or as a copy, by which more may change. A copy permits
    /// nothing that the object did not permit before: it would be a way around what is forbidden.
    ///
    /// # Errors
    /// `CKR_ATTRIBUTE_TYPE_INVALID`, `CKR_ATTRIBUTE_READ_ONLY`, `CKR_ATTRIBUTE_VALUE_INVALID`.
    pub fn changed(
        &self,
        changes: Vec<Attribute>,
        copies: bool,
        is_security_officer: bool,
    ) -> Outcome<Attributes> {
        let mut changed = self.clone();
        for (id, value) in changes {
            let row = self.row(id)?;
            check_value(row.kind, &value)?;
            let truth = value.as_slice() == [CK_TRUE];
            let stays = self.get(id) == Some(&value);
            let may = match row.set {
                Set::Always => stays || self.may_change(id, is_security_officer),
                Set::ToTrue => stays || truth,
                Set::ToFalse => stays || !truth,
                Set::Copied => copies,
                Set::CopiedToTrue => copies && (stays || truth),
                Set::CopiedToFalse => copies && (stays || !truth),
                Set::Once => copies && stays,
                Set::Never => copies && stays || id == CKA_TRUSTED && is_security_officer,
            };
            if !may {
                return Err(CKR_ATTRIBUTE_READ_ONLY);
            }
            changed.set(id, value);
        }
        Ok(changed)
    }

    /// Returns `true` if an attribute that can change at any time may do so in this object. Of one
    /// that is not modifiable (in a copy of it, that is), or that the security officer trusts, only
    /// the names may change: a wrapping key that is trusted must not be told to decrypt what it
    /// wraps.
    fn may_change(&self, id: CK_ATTRIBUTE_TYPE, is_security_officer: bool) -> bool {
        let is_fixed = self.get(CKA_MODIFIABLE) == Some([CK_FALSE].as_slice());
        let is_name = matches!(id, CKA_LABEL | CKA_ID) && self.class() != Some(CKO_CERTIFICATE);
        let is_trusted = self.is(CKA_TRUSTED) && !is_security_officer;
        is_name || !is_fixed && !is_trusted
    }

    /// Sets what the application has left out and an object of the class has.
    pub fn complete(&mut self) {
        let class = self.class().and_then(class_bit).unwrap_or_default();
        let is_hidden = class & HIDDEN != 0;
        self.set_default(CKA_PRIVATE, boolean(is_hidden));
        for id in [CKA_MODIFIABLE, CKA_COPYABLE, CKA_DESTROYABLE] {
            self.set_default(id, boolean(true));
        }
        if is_hidden {
            self.set_default(CKA_SENSITIVE, boolean(true));
        }
        if class & KEY != 0 {
            // What a key may be used for, unless the application says otherwise.
            let uses: &[CK_ATTRIBUTE_TYPE] = match self.ulong(CKA_KEY_TYPE) {
                Some(CKK_ML_KEM) => &[CKA_ENCAPSULATE, CKA_DECAPSULATE],
                _ => &[CKA_ENCRYPT, CKA_DECRYPT, CKA_SIGN, CKA_VERIFY],
            };
            for &id in uses {
                if self.row(id).is_ok() {
                    self.set_default(id, boolean(true));
                }
            }
            self.set_default(CKA_KEY_GEN_MECHANISM, ulong(CK_UNAVAILABLE_INFORMATION));
        }
        let empty = [
            CKA_LABEL,
            CKA_ID,
            CKA_SUBJECT,
            CKA_ISSUER,
            CKA_SERIAL_NUMBER,
            CKA_START_DATE,
            CKA_END_DATE,
            CKA_APPLICATION,
            CKA_OBJECT_ID,
        ];
        for row in ROWS.iter().filter(|row| row.classes & class != 0) {
            if row.kind == Kind::Bool {
                self.set_default(row.id, boolean(false));
            } else if empty.contains(&row.id) {
                self.set_default(row.id, Zeroizing::default());
            }
        }
    }
}

fn check_value(kind: Kind, value: &[u8]) -> Outcome {
    let fits = match kind {
        Kind::Bool => matches!(value, [CK_TRUE | CK_FALSE]),
        Kind::Ulong => value.len() == size_of::<CK_ULONG>(),
        Kind::Date => matches!(value.len(), 0 | 8),
        Kind::Bytes => true,
    };
    if fits { Ok(()) } else { Err(CKR_ATTRIBUTE_VALUE_INVALID) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(more: &[(CK_ATTRIBUTE_TYPE, Zeroizing<Vec<u8>>)]) -> Attributes {
        let mut template = vec![(CKA_CLASS, ulong(CKO_SECRET_KEY))];
        template.extend_from_slice(more);
        Attributes::of_template(template).expect("the values fit")
    }

    #[test]
    fn templates_are_refused_by_rule() {
        let check = |id, value| secret(&[(id, value)]).check_new(false);
        assert_eq!(check(CKA_LABEL, Zeroizing::new(b"key".to_vec())), Ok(()));
        assert_eq!(check(CKA_MODULUS, Zeroizing::default()), Err(CKR_ATTRIBUTE_TYPE_INVALID));
        assert_eq!(check(CKA_LOCAL, boolean(true)), Err(CKR_ATTRIBUTE_READ_ONLY));
        assert_eq!(check(CKA_TRUSTED, boolean(true)), Err(CKR_ATTRIBUTE_READ_ONLY));
        assert_eq!(secret(&[(CKA_TRUSTED, boolean(true))]).check_new(true), Ok(()));
        let mut public = vec![(CKA_CLASS, ulong(CKO_PRIVATE_KEY)), (CKA_PRIVATE, boolean(false))];
        public.push((CKA_ALWAYS_AUTHENTICATE, boolean(true)));
        let public = Attributes::of_template(public).expect("the values fit");
        assert_eq!(public.check_new(false), Err(CKR_TEMPLATE_INCONSISTENT));
        let twice = vec![(CKA_SIGN, boolean(true)), (CKA_SIGN, boolean(false))];
        assert_eq!(Attributes::of_template(twice).err(), Some(CKR_TEMPLATE_INCONSISTENT));
        let long = vec![(CKA_SIGN, Zeroizing::new(vec![1, 1]))];
        assert_eq!(Attributes::of_template(long).err(), Some(CKR_ATTRIBUTE_VALUE_INVALID));
    }

    #[test]
    fn sensitive_keys_stay_so_and_hide_their_value() {
        let mut key = secret(&[(CKA_VALUE, Zeroizing::new(vec![7; 16]))]);
        key.complete();
        assert!(key.is(CKA_SENSITIVE) && !key.is(CKA_EXTRACTABLE) && key.is(CKA_PRIVATE));
        assert!(key.hides(CKA_VALUE) && !key.hides(CKA_LABEL));
        assert!(!key.matches(&[(CKA_VALUE, Zeroizing::new(vec![7; 16]))]));
        let change = |id, value| key.changed(vec![(id, boolean(value))], false, false).err();
        assert_eq!(change(CKA_SENSITIVE, false), Some(CKR_ATTRIBUTE_READ_ONLY));
        assert_eq!(change(CKA_EXTRACTABLE, true), Some(CKR_ATTRIBUTE_READ_ONLY));
        assert_eq!(change(CKA_SIGN, false), None);
        assert_eq!(change(CKA_TOKEN, true), Some(CKR_ATTRIBUTE_READ_ONLY));
        assert!(key.changed(vec![(CKA_TOKEN, boolean(true))], true, false).is_ok());
    }

    /// Every attribute that is a truth value, in each direction, by a change and in a copy.
    #[test]
    fn neither_a_change_nor_a_copy_permits_what_was_forbidden() {
        // What may become true and what may become false, of an object that has the other value.
        const CHANGES: [(CK_ATTRIBUTE_TYPE, [bool; 2], [bool; 2]); 16] = [
            (CKA_TOKEN, [false, false], [true, true]),
            (CKA_PRIVATE, [false, false], [true, false]),
            (CKA_MODIFIABLE, [false, false], [false, true]),
            (CKA_COPYABLE, [false, true], [false, true]),
            (CKA_DESTROYABLE, [false, false], [false, true]),
            (CKA_SENSITIVE, [true, false], [true, false]),
            (CKA_EXTRACTABLE, [false, true], [false, true]),
            (CKA_WRAP_WITH_TRUSTED, [true, false], [true, false]),
            (CKA_TRUSTED, [false, false], [false, false]),
            (CKA_LOCAL, [false, false], [false, false]),
            (CKA_ALWAYS_SENSITIVE, [false, false], [false, false]),
            (CKA_NEVER_EXTRACTABLE, [false, false], [false, false]),
            (CKA_SIGN, [true, true], [true, true]),
            (CKA_WRAP, [true, true], [true, true]),
            (CKA_UNWRAP, [true, true], [true, true]),
            (CKA_DERIVE, [true, true], [true, true]),
        ];
        for (id, by_change, in_copy) in CHANGES {
            for (copies, wanted) in [(false, by_change), (true, in_copy)] {
                for (to, may) in [true, false].into_iter().zip(wanted) {
                    let mut key = secret(&[]);
                    key.complete();
                    key.set(id, boolean(!to));
                    if id != CKA_MODIFIABLE {
                        key.set(CKA_MODIFIABLE, boolean(true));
                    }
                    let changed = key.changed(vec![(id, boolean(to))], copies, false);
                    let outcome = changed.map(|changed| changed.is(id));
                    let wanted = if may { Ok(to) } else { Err(CKR_ATTRIBUTE_READ_ONLY) };
                    assert_eq!(outcome, wanted, "{id:#x} to {to}, copies: {copies}");
                    // What stays as it is may be said again in a copy.
                    let same = key.changed(vec![(id, boolean(!to))], true, false);
                    assert!(same.is_ok(), "{id:#x} stays {}", !to);
                }
            }
        }
    }

    #[test]
    fn what_is_trusted_or_cannot_be_modified_changes_its_name_alone() {
        let mut trusted = secret(&[(CKA_DECRYPT, boolean(false))]);
        trusted.complete();
        trusted.set(CKA_TRUSTED, boolean(true));
        let mut fixed = secret(&[(CKA_DECRYPT, boolean(false))]);
        fixed.complete();
        fixed.set(CKA_MODIFIABLE, boolean(false));
        let decrypts = || vec![(CKA_DECRYPT, boolean(true))];
        let named = || vec![(CKA_LABEL, Zeroizing::new(b"other".to_vec()))];
        for key in [&trusted, &fixed] {
            let refused = key.changed(decrypts(), true, false).err();
            assert_eq!(refused, Some(CKR_ATTRIBUTE_READ_ONLY));
            assert!(key.changed(named(), true, false).is_ok());
        }
        assert!(trusted.changed(decrypts(), false, false).is_err());
        assert!(trusted.changed(decrypts(), false, true).is_ok());
        assert!(trusted.changed(vec![(CKA_TRUSTED, boolean(false))], false, false).is_err());
        assert!(trusted.changed(vec![(CKA_TRUSTED, boolean(false))], false, true).is_ok());
    }
}
