#include "program.h"

#include "bench/command_line.h"
#include "bench/method.h"
#include "bench/report.h"
#include "bench/timed_loop.h"
#include "model/launch.h"
#include "util/error.h"
#include "util/standard_streams.h"

#include <algorithm>
#include <cerrno>
#include <exception>
#include <fmt/core.h>
#include <sched.h>

namespace gem_upload {
namespace {

void pin_to_cpu(int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (cpu < CPU_SETSIZE) {
        CPU_SET(static_cast<unsigned>(cpu), &set);
    }
    if (::sched_setaffinity(0, sizeof set, &set) != 0) {
        throw usage_error(fmt::format(
            "this process may not run on CPU {}: {}; see 'taskset -p $$' for those it may", cpu,
            errno_text(errno)));
    }
}

void say_departures_from_canon(const results::Result& result) {
    for (const std::string& reason : result.not_canonical_because) {
        fmt::print(stderr, "not canonical: {}\n", reason);
    }
}

double best_mb_per_second(const results::Result& result) {
    double best = 0;
    for (const results::Sample& sample : result.samples) {
        best = std::max(best, sample.mb_per_second());
    }
    return best;
}

int run(const bench::Method& method, int argc, char** argv) {
    const auto parsed = bench::parse_options(method, argc, argv);
    if (const int* status = std::get_if<int>(&parsed)) {
        return *status;
    }
    const auto& options = std::get<bench::Options>(parsed);
    model::enter_model_if_asked(options.device, argc, argv);
    if (options.cpu) {
        pin_to_cpu(*options.cpu);
    }
    std::optional<drm::Device> device;
    if (method.needs_device()) {
        device = drm::select_device(options.device);
    }
    const auto session = method.open(options);
    bench::Report report{bench::make_result(method, options, *session, device ? &*device : nullptr),
                         options};
    say_departures_from_canon(report.result());
    try {
        bench::measure(*session, options,
                       [&report](const results::Sample& sample) { report.take(sample); });
    } catch (const bench::GpuHang& hang) {
        report.end_in_hang(hang.what());
        throw;
    }
    for (const std::string& remark : session->remarks(best_mb_per_second(report.result()))) {
        fmt::print(stderr, "{}\n", remark);
    }
    report.finish();
    return static_cast<int>(Exit::success);
}

} // namespace

int run_benchmark(const bench::Method& method, int argc, char** argv) {
    fill_closed_standard_streams();
    try {
        return run(method, argc, argv);
    } catch (const Error& error) {
        fmt::print(stderr, "{}: {}\n", method.name, error.what());
        return static_cast<int>(error.status());
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}: {}\n", method.name, error.what());
        return static_cast<int>(Exit::failure);
    }
}

} // namespace gem_upload
