//! What `broadloom-perf compress` can be asked: a figure of source 003, or a question it left open.

use crate::names::named;

/// A figure or a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    /// Figure 3: compression ratio against chunk size.
    Ratio,
    /// Figure 5: software on several threads.
    Threads,
    /// Figure 7: software against the device, called synchronously from one thread.
    Sync,
    /// Figure 9: the device called synchronously from several threads.
    SyncThreads,
    /// Figure 10: jobs outstanding at the device in one thread.
    Outstanding,
    /// Figure 11: all these side by side.
    Models,
    /// Copying to pinned buffers against gathering from a list.
    Copy,
    /// Polling against interrupts.
    Interrupt,
    /// Polling from the thread that submits against polling from a thread of its own.
    Poller,
    /// How often to poll.
    Frequency,
    /// Batches and deferred doorbells.
    Batch,
    /// A device at another socket.
    Numa,
    /// The size below which offload costs more than it saves.
    Offload,
    /// What the framework costs on top of a library.
    Overhead,
    /// Two threads against one, both ways.
    Scaling,
    /// Decompression by software, and with jobs outstanding at the device.
    Decompress,
}

use Topic::*;

named!(Topic, "figure", {
    Ratio => "3",
    Threads => "5",
    Sync => "7",
    SyncThreads => "9",
    Outstanding => "10",
    Models => "11",
    Copy => "copy",
    Interrupt => "interrupt",
    Poller => "poller",
    Frequency => "frequency",
    Batch => "batch",
    Numa => "numa",
    Offload => "offload",
    Overhead => "overhead",
    Scaling => "scaling",
    Decompress => "decompress",
});

impl Topic {
    /// The title of its part of a report.
    pub const fn title(self) -> &'static str {
        match self {
            Ratio => "Figure 3: ratio against chunk size",
            Threads => "Figure 5: software on several threads",
            Sync => "Figure 7: software against hardware, synchronous",
            SyncThreads => "Figure 9: hardware from several threads, synchronous",
            Outstanding => "Figure 10: hardware from one thread, asynchronous",
            Models => "Figure 11: the programming models side by side",
            Copy => "Copy against gather",
            Interrupt => "Polling against interrupts",
            Poller => "Inline polling against a polling thread",
            Frequency => "Poll frequency",
            Batch => "Batches and deferred doorbells",
            Numa => "NUMA distance",
            Offload => "Where offload begins to pay",
            Overhead => "What the framework costs",
            Scaling => "Two threads against one",
            Decompress => "Decompression: hardware from one thread, and software",
        }
    }

    /// Returns what is asked, and how it is answered.
    pub const fn question(self) -> &'static str {
        match self {
            Ratio => {
                "How much compression is lost when the input is cut into chunks, each compressed \
                 on its own? In software, up to the whole input as one chunk. The modelled device \
                 makes Huffman codes for 128 KiB of a request, and codes the rest of it as the \
                 standard does, so that larger chunks compress worse. That they do is the paper's; \
                 how much worse is the model's."
            }
            Threads => {
                "The input is cut into a segment for each thread, each compressed as a single \
                 chunk. The paper had a core for each of its threads; beyond the cores there are \
                 here, threads share them."
            }
            Sync => {
                "One thread, one request at a time: software with a single chunk for the whole \
                 input, the device with chunks of the usual size."
            }
            SyncThreads => {
                "Each thread has one request at the device at a time, and waits for it by polling, \
                 with the CPU yielded after each look, as the paper's program does."
            }
            Outstanding => {
                "One thread keeps several requests at the device. It polls in two ways: yielding \
                 the CPU after each look, as the paper's program does, and sleeping between \
                 looks."
            }
            Models => {
                "The models of the figures before: software and hardware, synchronous and \
                 asynchronous."
            }
            Copy => {
                "Before the device can reach data they are copied to its buffers, and results \
                 back; or it gathers them from where they are. The paper copied, and left the \
                 comparison open."
            }
            Interrupt => {
                "Responses can be looked for (polling, with yields or spinning), or the device \
                 interrupts when one is there. The paper polled, and left the comparison open."
            }
            Poller => {
                "The thread that submits can look for responses itself, or leave it to a thread of \
                 its own, which looks at an interval. The paper polled inline, and left the \
                 comparison open."
            }
            Frequency => {
                "The thread that submits sleeps between looks. The longer it sleeps, the less CPU \
                 time it takes, and the later it learns of responses; with enough outstanding that \
                 costs nothing."
            }
            Batch => {
                "Requests of 64 bytes to a device whose doorbell costs 100 ns: handed over one by \
                 one, with a doorbell each; in batches with one call; and one by one with the \
                 doorbell deferred to the end of the batch. The paper left the comparison open."
            }
            Numa => {
                "The device at the socket of the memory, and at another: a model of the latency \
                 that each crossing adds. The paper left the comparison open."
            }
            Offload => {
                "CPU time for each request of a size, in software and at the device with many \
                 outstanding, waited for with interrupts. Below the size where the lines cross, \
                 offload costs more than it saves."
            }
            Overhead => {
                "The same chunks through the framework in one thread, and through the library's \
                 own functions in a loop, with its contexts reused, in turn."
            }
            Scaling => {
                "One thread and two, compressing, and decompressing what was compressed, in turn."
            }
            Decompress => {
                "One thread decompresses chunks of the usual size, in software and with several \
                 requests at the device. The paper has no figures for it: the modelled device \
                 takes as long for each compressed byte as it takes to compress one."
            }
        }
    }

    /// Returns `true` if it is about many requests, and not about an input as a whole.
    pub const fn is_of_requests(self) -> bool {
        matches!(self, Batch | Offload)
    }

    /// The title in a word or three, for a page's contents.
    pub const fn short(self) -> &'static str {
        match self {
            Ratio => "3 Ratio",
            Threads => "5 Threads",
            Sync => "7 Sync",
            SyncThreads => "9 Sync threads",
            Outstanding => "10 Outstanding",
            Models => "11 Models",
            Copy => "Copy",
            Interrupt => "Interrupts",
            Poller => "Poller",
            Frequency => "Frequency",
            Batch => "Batches",
            Numa => "NUMA",
            Offload => "Break-even",
            Overhead => "Overhead",
            Scaling => "Scaling",
            Decompress => "Decompression",
        }
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
        assert!(Topic::ALL.is_sorted());
        let error = "4".parse::<Topic>().unwrap_err().to_string();
        assert!(
            error.contains("figure \"4\"") && error.contains("3, 5, 7, 9, 10, 11, copy"),
            "{error}"
        );
    }
}
