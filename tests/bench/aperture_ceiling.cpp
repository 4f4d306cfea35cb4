// Benchmark: upload_aperture_wc with the widest stores of this CPU against the non-temporal
// ceiling of --limit, in interleaved pairs over the same pool. Exit 1: it falls short.
// Judged are sections of 4 MiB. Canonical ones of 32 kB are measured beside them for what the
// method's sfence after each costs (7 % on a Zen 3), which no store loop can win back.
#include "bench/aperture.h"
#include "bench/ceiling.h"
#include "paired_ratio.h"
#include "util/error.h"

#include <chrono>
#include <exception>
#include <fmt/format.h>
#include <vector>

namespace gem_upload::bench {
namespace {

constexpr std::size_t pairs = 30;
constexpr double wanted = 0.95;

unsigned widest_store(const CpuFeatures& features) {
    for (const unsigned width : {64U, 32U}) {
        if (!missing_for_store({width, StoreType::non_temporal}, features)) {
            return width;
        }
    }
    return 16;
}

/// A sweep of the method over its pool, in MB/s.
double measure(Session& session) {
    const std::uint64_t iterations = session.default_warmup();
    const auto start = std::chrono::steady_clock::now();
    for (std::uint64_t i = 0; i < iterations; ++i) {
        session.iterate();
    }
    session.wait();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    return static_cast<double>(iterations * session.bytes_per_iteration()) / 1048576.0 /
           taken.count();
}

Options options_for(std::uint32_t width, std::uint32_t height, const CpuFeatures& features) {
    Options options;
    options.width = width;
    options.height = height;
    options.store = {widest_store(features), StoreType::non_temporal};
    return options;
}

/// Prints the interval of the method's share with sections of this size.
MedianInterval compare(const Options& options, const CpuFeatures& features) {
    ApertureSession session(ApertureForm::write_combining, options, read_machine_memory(0),
                            features);
    const CeilingMeter ceiling(session.pool(), features, 1);
    (void)measure(session);
    std::vector<double> ratios;
    for (std::size_t pair = 0; pair < pairs; ++pair) {
        const bool method_first = pair % 2 == 0; // what a drift gives to one it takes back
        const double before = method_first ? measure(session) : 0;
        const double limit = ceiling.non_temporal_fill().mb_per_second;
        const double speed = method_first ? before : measure(session);
        fmt::print("pair {}: {:.1f} of {:.1f} MB/s\n", pair + 1, speed, limit);
        ratios.push_back(speed / limit);
    }
    (void)measure(session);
    if (const auto difference = session.verify()) {
        throw failure(*difference);
    }
    const MedianInterval interval = median_interval(ratios);
    fmt::print("upload_aperture_wc, stores of {} bytes, sections of {}, against the non-temporal "
               "fill: {}\n",
               options.store.width, size_text(options.bytes()), describe(interval, pairs, wanted));
    return interval;
}

Exit run() {
    const CpuFeatures features = read_cpu_features();
    (void)compare(options_for(128, 64, features), features);
    const MedianInterval judged = compare(options_for(1024, 1024, features), features);
    return falls_short(judged, wanted) ? Exit::failure : Exit::success;
}

} // namespace
} // namespace gem_upload::bench

int main() {
    try {
        return static_cast<int>(gem_upload::bench::run());
    } catch (const gem_upload::Error& error) {
        fmt::print(stderr, "{}\n", error.what());
        return static_cast<int>(error.status());
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return static_cast<int>(gem_upload::Exit::failure);
    }
}
