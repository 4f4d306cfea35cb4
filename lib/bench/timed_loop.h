// The timed loop: it does nothing but the workload.
#pragma once

#include "bench/method.h"
#include "results/result.h"
#include "util/error.h"

#include <functional>

namespace gem_upload::bench {

/// The GPU hung: exit 1. What was taken before it stands.
class GpuHang : public Error {
public:
    explicit GpuHang(const std::string& sentence) : Error(Exit::failure, sentence) {}
};

/// Warms up, waits, then measures `options.samples` samples and hands each to `take` as soon as it
/// is verified. With Verify::every each iteration is waited for and checked outside the timing.
/// Throws failure when the data is wrong, and GpuHang when the GPU hung: such a sample is never
/// handed on.
void measure(Session& session, const Options& options,
             const std::function<void(const results::Sample&)>& take);

/// The timing alone: `iterations` iterations and the final wait; returns seconds of
/// CLOCK_MONOTONIC. Not inlined, so that a profiler can tell what is timed.
[[gnu::noinline]] double time_iterations(Session& session, std::uint64_t iterations);

} // namespace gem_upload::bench
