//! The figures of `broadloom-perf device`.

use crate::names::named;
use crate::report::row::Row;

/// A figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    /// Figure 9: synchronous calls from threads.
    Threads,
    /// Figure 10: jobs outstanding on one thread.
    Outstanding,
    /// Figure 11: all models.
    Models,
    /// From which size on the device gains.
    Sizes,
}

use Topic::*;

named!(Topic, "figure", {
    Threads => "9",
    Outstanding => "10",
    Models => "11",
    Sizes => "sizes",
});

impl Topic {
    /// The title of its part of a report.
    pub const fn title(self) -> &'static str {
        match self {
            Threads => "Figure 9: the device called synchronously from threads",
            Outstanding => "Figure 10: jobs outstanding on one thread",
            Models => "Figure 11: one core, all cores, and the device",
            Sizes => "From which size on the device gains",
        }
    }

    /// Returns what is asked, and how it is answered.
    pub const fn question(self) -> &'static str {
        match self {
            Threads => {
                "Each thread waits for its one job at the device. Intel's paper needed 16 threads \
                 to keep its engines busy so, and CPU time grew with them."
            }
            Outstanding => {
                "One thread keeps so many jobs at the device. In Intel's paper 24 outstanding \
                 filled it. A GPU needs thousands, because each work item takes one buffer."
            }
            Models => {
                "Each way of computing at its best: one core, all cores, the device with each \
                 call waited for, and the device with many jobs outstanding."
            }
            Sizes => {
                "The device with many jobs outstanding, beside one core and all cores, for short \
                 and for long buffers. The column for kernels is what is left where data are in \
                 the device's memory already."
            }
        }
    }

    /// Sizes of buffers, where none are asked for.
    pub(super) const fn sizes(self) -> &'static [usize] {
        match self {
            Sizes => &[64, 256, 1024, 4096, 16384, 65536],
            _ => &[1024, 16384],
        }
    }

    /// Returns `true` if a row is of this figure.
    pub(super) fn has(self, row: &Row) -> bool {
        row.pass.as_ref().is_some_and(|pass| pass.figure == self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parse_and_wrong_ones_name_the_right_ones() {
        for topic in Topic::ALL {
            assert_eq!(topic.name().parse::<Topic>().unwrap(), topic);
        }
        let error = "12".parse::<Topic>().unwrap_err().to_string();
        assert_eq!(error, "unknown figure \"12\"; valid: 9, 10, 11, sizes");
    }
}
