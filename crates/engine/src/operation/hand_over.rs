//! What a provider takes of an operation: its own session, and the bytes.

use broadloom_lanes::Buffers;

use super::state::Phase;
use super::{Operation, acting};
use crate::data::{Data, Text};
use crate::extra::Extra;
use crate::parameters::Span;
use crate::provider::parts::{CompressionParts, Last, Layout, Parts, PublicKeyParts};
use crate::session::stage::Part;

impl Operation<'_> {
    /// The provider's own session for what is to be done now, if it is an `S`: a provider's queue
    /// asks for its own type.
    #[inline]
    pub fn provider_session<S: 'static>(&self) -> Option<&S> {
        self.acting().stage(self.state.second).own()
    }

    /// The [class](crate::provider::ProviderSession::class) of what is to be done now.
    #[inline]
    pub fn class(&self) -> u8 {
        self.state.class
    }

    /// Returns what a provider computes with, if the session is its own: `S` is the type that its
    /// `open_session` makes.
    #[inline]
    pub fn parts<S: 'static>(&mut self) -> Option<Parts<'_, S>> {
        self.any_parts(false)
    }

    /// Returns `true` if it is the common case, whose parts [`commit`](Operation::commit) gives.
    #[inline]
    pub fn is_common(&self) -> bool {
        self.state.plain
    }

    /// [`parts`](Operation::parts) for a provider that cannot fail at them, and that is through
    /// with all the operations that it got when it returns: this one already counts as done, unless
    /// it [checks a tag](Parts::checks_tag). `last` is the same for all of them. For an operation
    /// that [is common](Operation::is_common).
    ///
    /// # Panics
    /// If it is not common, and its data are in pieces or its output goes elsewhere.
    // Two functions, which the caller does not bring together: else the parts of the common case
    // would go through the memory into which the other function returns its own.
    #[inline(always)]
    pub fn commit<'v, S: 'static>(&'v mut self, last: &mut Last<'v, S>) -> Option<Parts<'v, S>> {
        let session = self.session.get();
        let rules = session.rules();
        let own = last.own(session.stage(false))?;
        if !rules.checks_tag {
            self.state.phase = Phase::Ran;
        }
        let text = match &mut self.data {
            Data::InPlace(buffer) => Text::Write(Buffers::InPlace(buffer.as_mut_slice())),
            Data::Read(bytes) => Text::Read(bytes.as_slice()),
            Data::OutOfPlace { .. } | Data::Scattered(_) => {
                unreachable!("such data are not plain")
            }
        };
        Some(Parts {
            session: own,
            direction: session.direction(),
            layout: Layout::new(text.input().len(), self.cipher, self.mac, self.tag.at, rules),
            text,
            nonce: self.nonce.as_slice(),
            associated: self.associated.as_slice(),
            tag: &mut self.tag.bytes,
            tag_len: rules.tag_len,
            checks_tag: rules.checks_tag,
            bits: None,
        })
    }

    /// [`commit`](Operation::commit) for an operation that is not [common](Operation::is_common).
    #[inline(never)]
    pub fn commit_otherwise<S: 'static>(&mut self) -> Option<Parts<'_, S>> {
        self.any_parts(true)
    }

    /// The parts of any operation: of the common case as of one with ranges, of a chain, and with
    /// data that are not in one piece. It was seen to matter that both are put together in one
    /// place.
    #[inline(always)]
    fn any_parts<S: 'static>(&mut self, commits: bool) -> Option<Parts<'_, S>> {
        let session = acting(&self.session, &self.fell_back);
        let stage = session.stage(self.state.second);
        let own = stage.own()?;
        let rules = session.rules();
        let (mut checks_tag, mut nonce) = (rules.checks_tag, self.nonce.as_slice());
        let (mut cipher, mut mac, mut tag_at) = (self.cipher, self.mac, self.tag.at);
        let mut text = self.data.text();
        if !self.state.plain {
            let span = match stage.part {
                Part::Cipher => self.cipher,
                Part::Mac => self.mac,
                Part::Chain => Span::ALL,
                Part::Compression | Part::PublicKey => return None,
            };
            text = text.of_span(span, rules.chain);
            if stage.part != Part::Chain {
                (cipher, mac, tag_at) = (Span::ALL, Span::ALL, None);
            }
            if rules.chain && stage.part == Part::Mac {
                nonce = &[];
            }
            // The cipher of a chain in halves leaves the tag to the other half.
            checks_tag &= !(rules.chain && stage.part == Part::Cipher);
        }
        if commits && !checks_tag {
            self.state.phase = Phase::Ran;
            self.outcome = Ok(());
        }
        Some(Parts {
            session: own,
            direction: session.direction(),
            layout: Layout::new(text.input().len(), cipher, mac, tag_at, rules),
            text,
            nonce,
            associated: self.associated.as_slice(),
            tag: &mut self.tag.bytes,
            tag_len: rules.tag_len,
            checks_tag,
            bits: self.extras.has(Extra::Bits).then_some(self.bits),
        })
    }

    /// Returns what a provider compresses or decompresses with, if the session is its own: `S` is
    /// the type that its `open_session` makes.
    #[inline]
    pub fn compression<S: 'static>(&mut self) -> Option<CompressionParts<'_, S>> {
        let session = acting(&self.session, &self.fell_back);
        session.rules().making?;
        let session = session.stage(false).own()?;
        let (consumed, output) = self.made.as_mut()?.room();
        let input = self.data.text().into_input().get(consumed..).unwrap_or_default();
        Some(CompressionParts { session, input, output })
    }

    /// Returns what a provider signs, verifies, encrypts, decrypts or agrees with, if the session
    /// is its own: `S` is the type that its `open_session` makes.
    #[inline]
    pub fn public_key<S: 'static>(&mut self) -> Option<PublicKeyParts<'_, S>> {
        let session = acting(&self.session, &self.fell_back);
        let stage = session.stage(false);
        if stage.part != Part::PublicKey {
            return None;
        }
        let session = stage.own()?;
        let (_, output) = self.made.as_mut()?.room();
        let input = self.data.text().into_input();
        Some(PublicKeyParts { session, input, signature: self.associated.as_slice(), output })
    }

    /// Its data, where they are only read: in one piece, or in those in which they came if the
    /// provider's session [gathers](crate::provider::ProviderSession::gathers). Of a compression
    /// those that are still to be consumed.
    pub fn input_pieces(&self) -> impl Iterator<Item = &[u8]> {
        let mut skipped = self.made.as_ref().map_or(0, |made| made.consumed());
        self.data.input_pieces().map(move |piece| {
            let skip = skipped.min(piece.len());
            skipped -= skip;
            &piece[skip..]
        })
    }

    /// Returns `true` if the data are in [pieces](Operation::input_pieces), and nowhere in one.
    #[inline]
    pub fn is_in_pieces(&self) -> bool {
        self.data.is_in_pieces()
    }

    /// Moves the data out of the operation, for as long as a device works on them; `None` where the
    /// operation only borrows them, or has work for a part of them: then they are to be copied.
    pub fn lend(&mut self) -> Option<Data<'static>> {
        if !self.is_whole() || self.session.get().rules().chain {
            return None;
        }
        self.data.lend()
    }

    /// Gives back what was lent.
    pub fn restore(&mut self, data: Data<'static>) {
        self.data = data;
    }
}
