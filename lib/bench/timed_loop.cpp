#include "bench/timed_loop.h"

#include "util/error.h"

#include <ctime>
#include <fmt/format.h>

namespace gem_upload::bench {
namespace {

/// Reads the clock from this program itself, where the software GPU can see who asks.
double now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

void require_right_data(Session& session) {
    if (const auto difference = session.verify()) {
        throw failure(fmt::format("wrong data, so nothing was measured: {}", *difference));
    }
}

double time_and_verify_each(Session& session, std::uint64_t iterations) {
    double seconds = 0;
    for (std::uint64_t i = 0; i < iterations; ++i) {
        seconds += time_iterations(session, 1);
        require_right_data(session);
    }
    return seconds;
}

void warm_up(Session& session, std::uint64_t iterations) {
    for (std::uint64_t i = 0; i < iterations; ++i) {
        session.iterate();
    }
    session.wait();
}

} // namespace

double time_iterations(Session& session, std::uint64_t iterations) {
    const double start = now();
    for (std::uint64_t i = 0; i < iterations; ++i) {
        session.iterate();
    }
    session.wait();
    return now() - start;
}

void measure(Session& session, const Options& options,
             const std::function<void(const results::Sample&)>& take) {
    warm_up(session, options.warmup.value_or(session.default_warmup()));
    for (std::uint64_t i = 0; i < options.samples; ++i) {
        results::Sample sample;
        sample.iterations = options.iterations;
        sample.bytes = options.iterations * session.bytes_per_iteration();
        if (options.verify == Verify::every) {
            sample.seconds = time_and_verify_each(session, options.iterations);
        } else {
            sample.seconds = time_iterations(session, options.iterations);
        }
        if (options.verify == Verify::last) {
            require_right_data(session);
        }
        sample.verified = options.verify != Verify::none;
        take(sample);
    }
}

} // namespace gem_upload::bench
