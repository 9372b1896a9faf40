//! Elements of header extensions that are encrypted one by one (RFC 6904).

use std::ops::Range;

use super::header::{Header, u16_at};
use crate::error::{FlowError, PacketError};

/// The identifiers of elements that are encrypted, a bit each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Identifiers([u128; 2]);

impl Identifiers {
    /// Returns a set of identifiers; `None` if there are none.
    pub fn new(identifiers: &[u8]) -> Result<Option<Self>, FlowError> {
        let mut bits = [0; 2];
        for &identifier in identifiers {
            if identifier == 0 {
                return Err(FlowError::Parameter {
                    what: "the identifier of an encrypted header extension",
                    value: identifier.to_string(),
                    valid: "1 to 255".to_owned(),
                });
            }
            bits[usize::from(identifier / 128)] |= 1 << (identifier % 128);
        }
        Ok((!identifiers.is_empty()).then_some(Identifiers(bits)))
    }

    #[inline]
    fn contains(&self, identifier: u8) -> bool {
        self.0[usize::from(identifier / 128)] >> (identifier % 128) & 1 != 0
    }
}

/// How elements of an extension are written (RFC 8285).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    OneByte,
    TwoBytes,
}

impl Form {
    /// Returns the form that the field "defined by profile" says; `None` if it is another kind of
    /// extension.
    pub fn of(profile: u16) -> Option<Form> {
        match profile {
            0xbede => Some(Form::OneByte),
            0x1000..=0x100f => Some(Form::TwoBytes),
            _ => None,
        }
    }
}

/// The elements of an extension, in their order.
pub(super) struct Elements<'e> {
    form: Form,
    content: &'e [u8],
    next: usize,
}

impl<'e> Elements<'e> {
    /// Returns the elements of a packet's extension from a place of it on; `None` if it has no
    /// extension with elements.
    pub fn of(packet: &'e [u8], header: &Header, next: usize) -> Option<Self> {
        let content = header.extension.clone()?;
        let form = Form::of(u16_at(packet, content.start - 4))?;
        Some(Elements { form, content: &packet[content], next })
    }

    /// Returns the bytes of the extension's content.
    pub fn len(&self) -> usize {
        self.content.len()
    }

    /// Returns the identifier of the next element and where its data are; `None` at the end.
    fn step(&mut self) -> Result<Option<(u8, Range<usize>)>, PacketError> {
        // Padding, which is one zero byte.
        while self.content.get(self.next) == Some(&0) {
            self.next += 1;
        }
        let Some(&first) = self.content.get(self.next) else { return Ok(None) };
        let (identifier, data, len) = match self.form {
            // The identifier 15 ends the elements.
            Form::OneByte if first >> 4 == 15 => return Ok(None),
            Form::OneByte => (first >> 4, self.next + 1, usize::from(first & 0x0f) + 1),
            Form::TwoBytes => {
                let len = self.content.get(self.next + 1).copied().unwrap_or(0);
                (first, self.next + 2, len.into())
            }
        };
        if data + len > self.content.len() {
            let value = len as u64;
            return Err(PacketError::Malformed { field: "len of a header extension", value });
        }
        self.next = data + len;
        Ok(Some((identifier, data..self.next)))
    }

    /// Returns where the data of the next element are whose identifier is one of these; `None` if
    /// there is none.
    pub fn find(&mut self, among: &Identifiers) -> Result<Option<Range<usize>>, PacketError> {
        while let Some((identifier, data)) = self.step()? {
            if among.contains(identifier) && !data.is_empty() {
                return Ok(Some(data));
            }
        }
        Ok(None)
    }

    /// Checks that all elements are within the extension.
    pub fn check(mut self) -> Result<(), PacketError> {
        while self.step()?.is_some() {}
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(
        profile: [u8; 2],
        content: &[u8],
        among: &[u8],
    ) -> Result<Vec<(usize, usize)>, PacketError> {
        let mut packet = vec![0; 12];
        packet[0] = 0x90;
        packet.extend(profile);
        packet.extend([0, (content.len() / 4) as u8]);
        packet.extend(content);
        let header = Header::read(&packet, 0).expect("it is whole");
        let among = Identifiers::new(among).expect("they are valid").expect("there are some");
        let mut elements = Elements::of(&packet, &header, 0).expect("it has elements");
        let mut all = Vec::new();
        while let Some(data) = elements.find(&among)? {
            all.push((data.start, data.end));
        }
        Ok(all)
    }

    #[test]
    fn elements_of_both_forms_are_found() {
        let one = [0x10, 1, 0x21, 1, 2, 0, 0x10, 3];
        assert_eq!(found([0xbe, 0xde], &one, &[1]), Ok(vec![(1, 2), (7, 8)]));
        assert_eq!(found([0xbe, 0xde], &one, &[2]), Ok(vec![(3, 5)]));
        let two = [1, 0, 200, 2, 9, 9, 0, 0];
        assert_eq!(found([0x10, 3], &two, &[1, 200]), Ok(vec![(4, 6)]));
        assert_eq!(found([0xbe, 0xde], &[0xf1, 0x10, 0, 0], &[1]), Ok(vec![]));
    }

    #[test]
    fn an_element_beyond_the_extension_is_refused() {
        let field = "len of a header extension";
        let error = Err(PacketError::Malformed { field, value: 4 });
        assert_eq!(found([0xbe, 0xde], &[0x13, 1, 2, 3], &[2]), error);
        assert_eq!(found([0x10, 0], &[1, 4, 2, 3], &[2]), error);
        let error = Identifiers::new(&[0]).unwrap_err().to_string();
        let what = "the identifier of an encrypted header extension";
        assert_eq!(error, format!("{what} cannot be 0; valid: 1 to 255"));
    }
}
