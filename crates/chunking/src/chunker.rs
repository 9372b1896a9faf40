//! What a repository cuts with.

use std::io::Read;
use std::sync::Arc;

use broadloom_lanes::{Cpu, RabinSearch};

use crate::{Pieces, Polynomial, ReadChunks, Sizes, Slices};

/// Cuts inputs into chunks, each input on its own. A clone is cheap; threads may share it.
///
/// ```
/// use broadloom_chunking::{Chunker, Polynomial, Sizes};
///
/// let polynomial: Polynomial = "3da3358b4dc173".parse()?;
/// let chunker = Chunker::new(polynomial, Sizes::new(64, 256, 4096)?);
/// let data: Vec<u8> = (0..100_000u32).map(|i| (i.wrapping_mul(i) >> 8) as u8).collect();
/// let read: Vec<Vec<u8>> = chunker.read(&data[..]).collect::<Result<_, _>>()?;
/// assert!(chunker.slices(&data).eq(read));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Chunker {
    search: Arc<RabinSearch>,
    sizes: Sizes,
}

impl Chunker {
    /// A chunker with the best kernel of this machine.
    pub fn new(polynomial: Polynomial, sizes: Sizes) -> Self {
        Chunker::on(&Cpu::detect(), polynomial, sizes)
    }

    /// A chunker with the kernel of `cpu`.
    pub fn on(cpu: &Cpu, polynomial: Polynomial, sizes: Sizes) -> Self {
        let bits = sizes.average().trailing_zeros();
        let search = RabinSearch::new(cpu, polynomial.bits(), bits);
        let search = search.expect("the polynomial's degree and the average were checked");
        Chunker { search: Arc::new(search), sizes }
    }

    /// The chunks of bytes in memory, of an input that ends with them.
    pub fn slices<'a>(&'a self, data: &'a [u8]) -> Slices<'a> {
        Slices::new(self, data)
    }

    /// The chunks of an input that comes in pieces.
    pub fn pieces(&self) -> Pieces {
        Pieces::new(self.clone())
    }

    /// The chunks of what a reader gives.
    pub fn read<R: Read>(&self, reader: R) -> ReadChunks<R> {
        ReadChunks::new(self, reader)
    }

    /// The sizes of its chunks.
    pub fn sizes(&self) -> Sizes {
        self.sizes
    }

    /// The end of the first window in `data` at whose end a cut may be.
    pub(crate) fn first_end(&self, data: &[u8]) -> Option<usize> {
        self.search.first(data)
    }
}
