// Workers from C++: jobs go to threads of the library, and poll(2) waits for them.
//
//   c++ -std=c++17 workers.cc $(pkg-config --cflags --libs broadloom) -o workers && ./workers
#include <broadloom.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <poll.h>
#include <string>
#include <vector>

namespace {

void must(bl_status status)
{
    if (status != BL_OK) {
        std::fprintf(stderr, "%s: %s\n", bl_status_text(status), bl_last_error());
        std::exit(1);
    }
}

template <auto close> struct Close {
    template <typename T> void operator()(T *object) const { close(object); }
};
using Session = std::unique_ptr<bl_session, Close<bl_session_close>>;
using Workers = std::unique_ptr<bl_workers, Close<bl_workers_close>>;

struct Record {
    std::string text;
    std::array<uint8_t, 32> digest;
    bl_job job;
};

/* A structure of the library with its size, and nothing else set. */
template <typename Structure> Structure sized()
{
    Structure structure{};
    structure.size = sizeof(Structure);
    return structure;
}

Session open_session(const char *algorithm)
{
    auto transform = sized<bl_transform>();
    transform.algorithm = algorithm;
    bl_session *session = nullptr;
    must(bl_session_open(&transform, &session));
    return Session(session);
}

} // namespace

int main()
{
    const Session session = open_session("sha256");
    auto config = sized<bl_workers_config>();
    config.threads = 2;
    bl_workers *started = nullptr;
    must(bl_workers_open(&config, &started));
    const Workers workers(started);

    std::vector<Record> records(5000);
    std::vector<bl_job *> jobs;
    for (size_t at = 0; at < records.size(); at++) {
        Record &record = records[at];
        record.text = "record " + std::to_string(at);
        record.job = sized<bl_job>();
        record.job.session = session.get();
        record.job.source = reinterpret_cast<const uint8_t *>(record.text.data());
        record.job.len = record.text.size();
        record.job.tag = record.digest.data();
        record.job.tag_len = record.digest.size();
        jobs.push_back(&record.job);
    }

    int descriptor = -1;
    must(bl_workers_event(workers.get(), &descriptor));
    size_t submitted = 0, complete = 0;
    while (complete < jobs.size()) {
        size_t accepted = 0, given = 0;
        const size_t left = jobs.size() - submitted;
        must(bl_workers_submit(workers.get(), jobs.data() + submitted, left, &accepted));
        submitted += accepted;
        pollfd wait = { descriptor, POLLIN, 0 };
        if (poll(&wait, 1, 60'000) != 1)
            return 1;
        std::array<bl_job *, 256> burst;
        must(bl_workers_poll(workers.get(), burst.data(), burst.size(), &given));
        for (size_t at = 0; at < given; at++)
            must(burst[at]->status);
        complete += given;
    }

    // The same digests, one call after the other.
    for (const Record &record : records) {
        std::array<uint8_t, 32> digest;
        auto job = sized<bl_job>();
        job.source = reinterpret_cast<const uint8_t *>(record.text.data());
        job.len = record.text.size();
        job.tag = digest.data();
        job.tag_len = digest.size();
        must(bl_hash_many("sha256", &job, 1));
        if (digest != record.digest)
            return 1;
    }
    std::printf("%zu records\n", complete);
}
