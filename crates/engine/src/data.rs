//! The bytes of a job: owned or borrowed, in place or apart, in one piece or several.

use std::sync::Arc;

use broadloom_lanes::Buffers;

use crate::parameters::Span;
use crate::wipe::wipe;

/// Bytes to read.
#[derive(Debug, Clone)]
pub enum Bytes<'a> {
    /// Borrowed for the job's life.
    Borrowed(&'a [u8]),
    /// Owned by the job.
    Owned(Vec<u8>),
    /// Owned with others.
    Shared(Arc<[u8]>),
}

impl Bytes<'_> {
    /// None.
    pub const EMPTY: Bytes<'static> = Bytes::Borrowed(&[]);

    /// The bytes.
    #[inline]
    pub fn as_slice(&self) -> &[u8] {
        match self {
            Bytes::Borrowed(bytes) => bytes,
            Bytes::Owned(bytes) => bytes,
            Bytes::Shared(bytes) => bytes,
        }
    }
}

impl Bytes<'_> {
    /// Takes the bytes away, where they are owned, or owned with others.
    fn lend(&mut self) -> Option<Bytes<'static>> {
        match self {
            Bytes::Borrowed(_) => None,
            Bytes::Owned(bytes) => Some(Bytes::Owned(std::mem::take(bytes))),
            Bytes::Shared(bytes) => Some(Bytes::Shared(Arc::clone(bytes))),
        }
    }
}

impl<'a> From<&'a [u8]> for Bytes<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Bytes::Borrowed(bytes)
    }
}

/// What holds bytes, and lends them to be read.
macro_rules! borrowed_bytes {
    ($($(#[$generic:tt])? $type:ty),* $(,)?) => { $(
        impl<'a $(, const $generic: usize)?> From<&'a $type> for Bytes<'a> {
            fn from(bytes: &'a $type) -> Self {
                Bytes::Borrowed(bytes.as_ref())
            }
        }

        impl<'a $(, const $generic: usize)?> From<&'a $type> for Data<'a> {
            fn from(bytes: &'a $type) -> Self {
                Data::Read(bytes.into())
            }
        }
    )* };
}

borrowed_bytes!(
    #[N]
    [u8; N],
    Vec<u8>,
    Box<[u8]>,
    Arc<[u8]>,
    str,
    String
);

impl From<Vec<u8>> for Bytes<'_> {
    fn from(bytes: Vec<u8>) -> Self {
        Bytes::Owned(bytes)
    }
}

impl From<Box<[u8]>> for Bytes<'_> {
    fn from(bytes: Box<[u8]>) -> Self {
        Bytes::Owned(bytes.into())
    }
}

impl From<String> for Bytes<'_> {
    fn from(text: String) -> Self {
        Bytes::Owned(text.into())
    }
}

impl From<Arc<[u8]>> for Bytes<'_> {
    fn from(bytes: Arc<[u8]>) -> Self {
        Bytes::Shared(bytes)
    }
}

/// Bytes to read and to write over.
#[derive(Debug)]
pub enum Buffer<'a> {
    /// Borrowed for the job's life.
    Borrowed(&'a mut [u8]),
    /// Owned by the job.
    Owned(Vec<u8>),
}

impl Buffer<'_> {
    /// The bytes.
    #[inline]
    pub fn as_slice(&self) -> &[u8] {
        match self {
            Buffer::Borrowed(bytes) => bytes,
            Buffer::Owned(bytes) => bytes,
        }
    }

    /// The bytes, to be written over.
    #[inline]
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        match self {
            Buffer::Borrowed(bytes) => bytes,
            Buffer::Owned(bytes) => bytes,
        }
    }
}

impl Buffer<'_> {
    /// Takes the bytes away, where they are owned.
    fn lend(&mut self) -> Option<Buffer<'static>> {
        match self {
            Buffer::Borrowed(_) => None,
            Buffer::Owned(bytes) => Some(Buffer::Owned(std::mem::take(bytes))),
        }
    }
}

impl<'a> From<&'a mut [u8]> for Buffer<'a> {
    fn from(bytes: &'a mut [u8]) -> Self {
        Buffer::Borrowed(bytes)
    }
}

/// What holds bytes, and lends them to be written over.
macro_rules! borrowed_buffer {
    ($($(#[$generic:tt])? $type:ty),* $(,)?) => { $(
        impl<'a $(, const $generic: usize)?> From<&'a mut $type> for Buffer<'a> {
            fn from(bytes: &'a mut $type) -> Self {
                Buffer::Borrowed(bytes.as_mut())
            }
        }

        impl<'a $(, const $generic: usize)?> From<&'a mut $type> for Data<'a> {
            fn from(bytes: &'a mut $type) -> Self {
                Data::InPlace(bytes.into())
            }
        }
    )* };
}

borrowed_buffer!(
    #[N]
    [u8; N],
    Vec<u8>,
    Box<[u8]>
);

impl From<Vec<u8>> for Buffer<'_> {
    fn from(bytes: Vec<u8>) -> Self {
        Buffer::Owned(bytes)
    }
}

impl From<Box<[u8]>> for Buffer<'_> {
    fn from(bytes: Box<[u8]>) -> Self {
        Buffer::Owned(bytes.into())
    }
}

/// What a job reads, and where its results go.
///
/// Made from what holds bytes or text:
///
/// - `&[u8]`, `&[u8; N]`, `&Vec<u8>`, `&Box<[u8]>`, `&str`, `&String`: borrowed, to be read only;
/// - `&mut [u8]`, `&mut [u8; N]`, `&mut Vec<u8>`, `&mut Box<[u8]>`: borrowed, in place;
/// - `Vec<u8>`, `Box<[u8]>`: owned, in place; `String`, `Arc<[u8]>`: owned, to be read only;
/// - a pair of any two of them: a source, and a destination;
/// - several pieces: by [`gather`](Data::gather), [`scattered`](Data::scattered) and
///   [`scattered_to`](Data::scattered_to).
///
/// ```
/// use broadloom_engine::{Bytes, Data};
///
/// let mut packet = vec![0; 64];
/// assert!(Data::from(&packet).output().is_none(), "it is only read");
/// assert!(Data::from(&mut packet).output().is_some(), "it is written over");
/// let all = [Data::from("text"), Data::from(&[7; 4]), Data::from((&packet, vec![0; 64]))];
/// assert_eq!(all.map(|data| data.len()), [4, 4, 64]);
/// assert_eq!(Bytes::from("header".to_owned()).as_slice(), b"header");
/// ```
// The tag has a byte of its own: it is asked for several times a job, and to decode it takes
// longer.
#[derive(Debug)]
#[repr(u8)]
pub enum Data<'a> {
    /// Read only: for hashes and MACs.
    Read(Bytes<'a>),
    /// Read, and written over.
    InPlace(Buffer<'a>),
    /// Read here and written there; both are of one length. Bytes that no cipher touches are
    /// copied.
    OutOfPlace {
        /// What is read.
        source: Bytes<'a>,
        /// What is written.
        destination: Buffer<'a>,
    },
    /// In several pieces.
    Scattered(Box<Scattered<'a>>),
}

/// Data in several pieces, which are processed as if they were one.
///
/// They are copied into one piece, and back: at some tenths of a cycle a byte that is less than
/// what any kernel would lose at the seams. The room for it stays with the job, for its next use.
#[derive(Debug)]
pub struct Scattered<'a> {
    pieces: Pieces<'a>,
    /// The copy. Of its room nothing but its length was written since it was last wiped.
    linear: Vec<u8>,
}

#[derive(Debug)]
enum Pieces<'a> {
    Read(Vec<Bytes<'a>>),
    InPlace(Vec<Buffer<'a>>),
    OutOfPlace(Vec<Bytes<'a>>, Vec<Buffer<'a>>),
}

impl<'a> Data<'a> {
    /// Several pieces to read: for hashes and MACs.
    pub fn gather(pieces: Vec<Bytes<'a>>) -> Self {
        Scattered::new(Pieces::Read(pieces))
    }

    /// Several pieces to read and to write over.
    pub fn scattered(pieces: Vec<Buffer<'a>>) -> Self {
        Scattered::new(Pieces::InPlace(pieces))
    }

    /// Several pieces to read, and as many bytes to write, in pieces of any other lengths.
    pub fn scattered_to(sources: Vec<Bytes<'a>>, destinations: Vec<Buffer<'a>>) -> Self {
        Scattered::new(Pieces::OutOfPlace(sources, destinations))
    }

    /// Bytes to read.
    pub fn len(&self) -> usize {
        match self {
            Data::Read(bytes) => bytes.as_slice().len(),
            Data::InPlace(buffer) => buffer.as_slice().len(),
            Data::OutOfPlace { source, .. } => source.as_slice().len(),
            Data::Scattered(scattered) => scattered.len(),
        }
    }

    /// Returns the same, inline where the data are in one piece and not shared.
    #[inline(always)]
    pub(crate) fn common_len(&self) -> usize {
        match self {
            Data::InPlace(Buffer::Borrowed(bytes)) => bytes.len(),
            Data::InPlace(Buffer::Owned(bytes)) => bytes.as_slice().len(),
            Data::Read(Bytes::Borrowed(bytes)) => bytes.len(),
            Data::Read(Bytes::Owned(bytes)) => bytes.len(),
            _ => self.uncommon_len(),
        }
    }

    #[inline(never)]
    fn uncommon_len(&self) -> usize {
        self.len()
    }

    /// Returns `true` if there is nothing to read.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns `true` if what is read is written over.
    pub(crate) fn is_in_place(&self) -> bool {
        match self {
            Data::InPlace(_) => true,
            Data::Read(_) | Data::OutOfPlace { .. } => false,
            Data::Scattered(scattered) => matches!(scattered.pieces, Pieces::InPlace(_)),
        }
    }

    /// Bytes that can be written; `None` where nothing can.
    pub(crate) fn output_len(&self) -> Option<usize> {
        match self {
            Data::Read(_) => None,
            Data::InPlace(buffer) => Some(buffer.as_slice().len()),
            Data::OutOfPlace { destination, .. } => Some(destination.as_slice().len()),
            Data::Scattered(scattered) => scattered.output_len(),
        }
    }

    /// All that can be written over or written to, where it is in one piece; `None` where nothing
    /// can, and of [several pieces](Data::output_pieces). [`Job::output`](crate::Job::output) is
    /// the part of it that the cipher wrote.
    pub fn output(&self) -> Option<&[u8]> {
        match self {
            Data::Read(_) | Data::Scattered(_) => None,
            Data::InPlace(buffer) => Some(buffer.as_slice()),
            Data::OutOfPlace { destination, .. } => Some(destination.as_slice()),
        }
    }

    /// The pieces that can be written over or written to, in their order; none where nothing can
    /// be. Those that are read are [`input_pieces`](Data::input_pieces).
    pub fn output_pieces(&self) -> impl Iterator<Item = &[u8]> {
        let several: &[Buffer<'a>] = match self {
            Data::Scattered(scattered) => match &scattered.pieces {
                Pieces::Read(_) => &[],
                Pieces::InPlace(pieces) | Pieces::OutOfPlace(_, pieces) => pieces,
            },
            _ => &[],
        };
        self.output().into_iter().chain(several.iter().map(Buffer::as_slice))
    }

    /// Returns `true` if nothing can be written.
    pub(crate) fn is_read_only(&self) -> bool {
        self.output_len().is_none()
    }

    /// Returns `true` if there is a destination apart from the source, in one piece or in several.
    pub(crate) fn is_out_of_place(&self) -> bool {
        match self {
            Data::Read(_) | Data::InPlace(_) => false,
            Data::OutOfPlace { .. } => true,
            Data::Scattered(scattered) => matches!(scattered.pieces, Pieces::OutOfPlace(..)),
        }
    }

    /// The bytes to read, in the pieces in which they are. Those that can be written are
    /// [`output_pieces`](Data::output_pieces).
    pub fn input_pieces(&self) -> impl Iterator<Item = &[u8]> {
        let (one, read, written): (_, &[Bytes<'a>], &[Buffer<'a>]) = match self {
            Data::Read(bytes) => (Some(bytes.as_slice()), &[], &[]),
            Data::InPlace(buffer) => (Some(buffer.as_slice()), &[], &[]),
            Data::OutOfPlace { source, .. } => (Some(source.as_slice()), &[], &[]),
            Data::Scattered(scattered) => match &scattered.pieces {
                Pieces::Read(pieces) | Pieces::OutOfPlace(pieces, _) => (None, pieces, &[]),
                Pieces::InPlace(pieces) => (None, &[], pieces),
            },
        };
        let pieces = read.iter().map(Bytes::as_slice).chain(written.iter().map(Buffer::as_slice));
        one.into_iter().chain(pieces)
    }

    /// Returns `true` if they are in several pieces that were not brought into one.
    #[inline]
    pub(crate) fn is_in_pieces(&self) -> bool {
        matches!(self, Data::Scattered(scattered) if scattered.linear.is_empty())
    }

    /// Takes the data away, where they are owned: as they are, or, if they were brought into one
    /// piece, not at all.
    pub(crate) fn lend(&mut self) -> Option<Data<'static>> {
        let lent = match self {
            Data::Read(bytes) => Data::Read(bytes.lend()?),
            Data::InPlace(buffer) => Data::InPlace(buffer.lend()?),
            Data::OutOfPlace { source, destination } => {
                if matches!(destination, Buffer::Borrowed(_)) {
                    return None;
                }
                Data::OutOfPlace { source: source.lend()?, destination: destination.lend()? }
            }
            Data::Scattered(scattered) => match &mut scattered.pieces {
                Pieces::Read(pieces) if scattered.linear.is_empty() => {
                    if pieces.iter().any(|piece| matches!(piece, Bytes::Borrowed(_))) {
                        return None;
                    }
                    Data::gather(pieces.iter_mut().filter_map(Bytes::lend).collect())
                }
                _ => return None,
            },
        };
        Some(lent)
    }

    /// Brings scattered data into one piece.
    #[inline]
    pub(crate) fn gather_pieces(&mut self) {
        if let Data::Scattered(scattered) = self {
            scattered.gather();
        }
    }

    /// Brings pieces that are only read into one, unless they are.
    pub(crate) fn bring_together(&mut self) {
        if let Data::Scattered(scattered) = self
            && matches!(scattered.pieces, Pieces::Read(_))
            && scattered.linear.is_empty()
        {
            scattered.gather();
        }
    }

    /// Takes the result apart into the pieces again.
    #[inline]
    pub(crate) fn scatter_pieces(&mut self) {
        if let Data::Scattered(scattered) = self {
            scattered.scatter();
        }
    }

    /// The bytes that a provider computes on. Scattered bytes come as they were gathered.
    #[inline]
    pub(crate) fn text(&mut self) -> Text<'_> {
        match self {
            Data::InPlace(buffer) => Text::Write(Buffers::InPlace(buffer.as_mut_slice())),
            Data::Read(bytes) => Text::Read(bytes.as_slice()),
            Data::OutOfPlace { source, destination } => {
                Text::Write(Buffers::Apart(source.as_slice(), destination.as_mut_slice()))
            }
            Data::Scattered(scattered) => Text::Write(Buffers::InPlace(&mut scattered.linear)),
        }
    }
}

impl<'a> Scattered<'a> {
    #[expect(clippy::new_ret_no_self, reason = "it is only ever used as data")]
    fn new(pieces: Pieces<'a>) -> Data<'a> {
        Data::Scattered(Box::new(Scattered { pieces, linear: Vec::new() }))
    }

    fn len(&self) -> usize {
        match &self.pieces {
            Pieces::Read(pieces) | Pieces::OutOfPlace(pieces, _) => {
                pieces.iter().map(|piece| piece.as_slice().len()).sum()
            }
            Pieces::InPlace(pieces) => pieces.iter().map(|piece| piece.as_slice().len()).sum(),
        }
    }

    fn output_len(&self) -> Option<usize> {
        match &self.pieces {
            Pieces::Read(_) => None,
            Pieces::InPlace(pieces) | Pieces::OutOfPlace(_, pieces) => {
                Some(pieces.iter().map(|piece| piece.as_slice().len()).sum())
            }
        }
    }

    fn gather(&mut self) {
        self.wipe();
        // At once: what a vector outgrows nobody wipes.
        self.linear.reserve_exact(self.len());
        match &self.pieces {
            Pieces::Read(pieces) | Pieces::OutOfPlace(pieces, _) => {
                pieces.iter().for_each(|piece| self.linear.extend_from_slice(piece.as_slice()));
            }
            Pieces::InPlace(pieces) => {
                pieces.iter().for_each(|piece| self.linear.extend_from_slice(piece.as_slice()));
            }
        }
    }

    fn scatter(&mut self) {
        if let Pieces::InPlace(pieces) | Pieces::OutOfPlace(_, pieces) = &mut self.pieces {
            let mut rest = self.linear.as_slice();
            for piece in pieces {
                let (part, after) = rest.split_at(piece.as_slice().len());
                piece.as_mut_slice().copy_from_slice(part);
                rest = after;
            }
        }
        self.wipe();
    }

    fn wipe(&mut self) {
        wipe(&mut self.linear);
        self.linear.clear();
    }
}

impl Drop for Scattered<'_> {
    fn drop(&mut self) {
        self.wipe();
    }
}

impl<'a> From<&'a [u8]> for Data<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Data::Read(bytes.into())
    }
}

impl<'a> From<Bytes<'a>> for Data<'a> {
    fn from(bytes: Bytes<'a>) -> Self {
        Data::Read(bytes)
    }
}

impl<'a> From<&'a mut [u8]> for Data<'a> {
    fn from(bytes: &'a mut [u8]) -> Self {
        Data::InPlace(bytes.into())
    }
}

impl From<Vec<u8>> for Data<'_> {
    fn from(bytes: Vec<u8>) -> Self {
        Data::InPlace(bytes.into())
    }
}

impl From<Box<[u8]>> for Data<'_> {
    fn from(bytes: Box<[u8]>) -> Self {
        Data::InPlace(bytes.into())
    }
}

impl From<String> for Data<'_> {
    fn from(text: String) -> Self {
        Data::Read(text.into())
    }
}

impl From<Arc<[u8]>> for Data<'_> {
    fn from(bytes: Arc<[u8]>) -> Self {
        Data::Read(bytes.into())
    }
}

impl<'a> From<Buffer<'a>> for Data<'a> {
    fn from(buffer: Buffer<'a>) -> Self {
        Data::InPlace(buffer)
    }
}

impl<'a, S: Into<Bytes<'a>>, D: Into<Buffer<'a>>> From<(S, D)> for Data<'a> {
    fn from((source, destination): (S, D)) -> Self {
        Data::OutOfPlace { source: source.into(), destination: destination.into() }
    }
}

/// A job's bytes as a provider sees them: in one piece.
#[derive(Debug)]
pub enum Text<'v> {
    /// To be read only.
    Read(&'v [u8]),
    /// To be written over, or read and written apart.
    Write(Buffers<'v>),
}

impl<'v> Text<'v> {
    /// The bytes to read.
    #[inline]
    pub fn input(&self) -> &[u8] {
        match self {
            Text::Read(bytes) => bytes,
            Text::Write(buffers) => buffers.input(),
        }
    }

    /// The bytes to read, for as long as the job may be looked at.
    #[inline]
    pub fn into_input(self) -> &'v [u8] {
        match self {
            Text::Read(bytes) => bytes,
            Text::Write(buffers) => buffers.into_input(),
        }
    }

    /// The bytes to write, if there are any.
    #[inline]
    pub fn into_output(self) -> Option<&'v mut [u8]> {
        match self {
            Text::Read(_) => None,
            Text::Write(buffers) => Some(buffers.into_output()),
        }
    }

    /// A part of the bytes, which is within them; of a chain where they are written, even if they
    /// are read apart: those were copied, and what the other half of the chain made is there.
    #[inline(never)]
    pub(crate) fn of_span(self, span: Span, chain: bool) -> Text<'v> {
        let text = match self {
            Text::Write(Buffers::Apart(_, destination)) if chain => {
                Text::Write(Buffers::InPlace(destination))
            }
            text => text,
        };
        if span == Span::ALL {
            return text;
        }
        let range = span.start..span.end;
        match text {
            Text::Read(bytes) => Text::Read(&bytes[range]),
            Text::Write(Buffers::InPlace(bytes)) => {
                Text::Write(Buffers::InPlace(&mut bytes[range]))
            }
            Text::Write(Buffers::Apart(source, destination)) => {
                let part = &source[range.clone()];
                Text::Write(Buffers::Apart(part, &mut destination[range]))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_gathered_and_scattered_where_they_end() {
        let (mut a, mut b) = ([1u8, 2, 3], [4u8]);
        let sources = vec![Bytes::from(&[9u8, 8]), Bytes::EMPTY, Bytes::from(vec![7, 6])];
        let mut data = Data::scattered_to(sources, vec![Buffer::from(&mut a), (&mut b).into()]);
        assert_eq!((data.len(), data.output_len()), (4, Some(4)));
        data.gather_pieces();
        assert_eq!(data.text().input(), [9, 8, 7, 6]);
        data.scatter_pieces();
        assert!(data.output_pieces().eq([[9, 8, 7].as_slice(), &[6]]));
        assert!(data.text().input().is_empty(), "the copy is gone");
    }

    /// Every type of bytes or text converts to data. Shared borrows are only read.
    #[test]
    fn data_are_made_of_whatever_holds_bytes() {
        let (vector, boxed, text) =
            (vec![1, 2, 3], Box::<[u8]>::from([1, 2, 3]), "\u{1}\u{2}\u{3}");
        let shared: Arc<[u8]> = Arc::from([1, 2, 3]);
        let string = text.to_owned();
        for data in [
            Data::from(&vector),
            Data::from(&boxed),
            Data::from(&shared),
            Data::from(&string),
            Data::from(text),
            Data::from(&[1, 2, 3]),
            Data::from(string.clone()),
            Data::from(Arc::clone(&shared)),
        ] {
            assert!(matches!(data, Data::Read(_)) && data.input_pieces().eq([[1, 2, 3]]));
            assert_eq!(data.output_pieces().count(), 0);
        }
        let (mut own_vector, mut own_boxed) = (vector.clone(), boxed.clone());
        for mut data in [
            Data::from(&mut own_vector),
            Data::from(&mut own_boxed),
            Data::from(&mut [1, 2, 3]),
            Data::from(vector.clone()),
            Data::from(boxed.clone()),
        ] {
            let Text::Write(Buffers::InPlace(bytes)) = data.text() else {
                unreachable!("it is in place")
            };
            bytes[0] = 9;
            assert!(data.output_pieces().eq([[9, 2, 3]]));
        }
        assert_eq!((own_vector[0], own_boxed[0]), (9, 9), "they were lent");
        let pair = Data::from((&vector, &mut own_vector));
        assert!(pair.input_pieces().eq([[1, 2, 3]]) && pair.output_pieces().eq([[9, 2, 3]]));
        for bytes in [
            Bytes::from(&vector),
            Bytes::from(&boxed),
            Bytes::from(&shared),
            Bytes::from(&string),
            Bytes::from(text),
            Bytes::from(&[1, 2, 3]),
            Bytes::from(boxed.clone()),
            Bytes::from(string.clone()),
        ] {
            assert_eq!(bytes.as_slice(), [1, 2, 3]);
        }
    }

    #[test]
    fn no_part_of_the_copy_stays_where_it_had_too_little_room() {
        let mut data =
            Data::scattered(vec![vec![1; 100].into(), vec![2; 101].into(), vec![3; 1].into()]);
        data.gather_pieces();
        let Data::Scattered(scattered) = &data else { unreachable!("it was made so") };
        // A vector that grows leaves what it held to the allocator.
        assert_eq!(scattered.linear.capacity(), 202, "its room was made once, for all of it");
    }
}
