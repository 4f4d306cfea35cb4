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

/// What is being done, for the sentence about a hang.
struct Place {
    std::uint64_t sample = 0;    ///< from 1; 0: before the first
    std::uint64_t iteration = 0; ///< within the sample, from 1; 0: not known
};

std::string place_text(const Place& place) {
    if (place.sample == 0) {
        return "before the first sample";
    }
    return place.iteration == 0
               ? fmt::format("in sample {}", place.sample)
               : fmt::format("in iteration {} of sample {}", place.iteration, place.sample);
}

std::string kept_text(const Place& place) {
    if (place.sample <= 1) {
        return "nothing had been measured";
    }
    return fmt::format("the {} measured before {} kept, and nothing after is valid",
                       place.sample == 2 ? "sample" : fmt::format("{} samples", place.sample - 1),
                       place.sample == 2 ? "is" : "are");
}

/// CONSEQUENCE: the error that came of it, if one did.
void require_no_hang(Session& session, const Place& place, const std::string& consequence = {}) {
    if (const auto hang = session.hang()) {
        throw GpuHang(fmt::format("the GPU hung {}: {}{}{}; {}", place_text(place), *hang,
                                  consequence.empty() ? "" : "; then ", consequence,
                                  kept_text(place)));
    }
}

/// Does the work. A hang is told before all that comes of it: a failed call, wrong data.
template <typename Work>
auto watch(Session& session, const Place& place, Work work) {
    try {
        const auto result = work();
        require_no_hang(session, place);
        return result;
    } catch (const GpuHang&) {
        throw;
    } catch (const Error& error) {
        require_no_hang(session, place, error.what());
        throw;
    }
}

double time_and_verify_each(Session& session, std::uint64_t sample, std::uint64_t iterations) {
    double seconds = 0;
    for (std::uint64_t i = 1; i <= iterations; ++i) {
        seconds += watch(session, {sample, i}, [&] { return time_iterations(session, 1); });
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
    watch(session, {}, [&] {
        warm_up(session, options.warmup.value_or(session.default_warmup()));
        return 0;
    });
    for (std::uint64_t i = 1; i <= options.samples; ++i) {
        results::Sample sample;
        sample.iterations = options.iterations;
        sample.bytes = options.iterations * session.bytes_per_iteration();
        if (options.verify == Verify::every) {
            sample.seconds = time_and_verify_each(session, i, options.iterations);
        } else {
            sample.seconds =
                watch(session, {i}, [&] { return time_iterations(session, options.iterations); });
        }
        if (options.verify == Verify::last) {
            require_right_data(session);
        }
        sample.verified = options.verify != Verify::none;
        take(sample);
    }
}

} // namespace gem_upload::bench
