// Benchmark: upload_blit_large on the software GPU against a bare loop of the same stores and
// copies, and against intel-gpu-tools' program on the same modelled chip, in interleaved pairs.
// Exit 1: it falls short of either; 77: intel-gpu-tools is not installed.
// usage: upload_speed GEM_UPLOAD CHIP UPLOAD_BLIT_LARGE BARE_UPLOAD
//
// The model executes at once (--execution immediate) and all run on one CPU: a loop does one thing
// after the other too, and no second core hides what the model does.
#include "paired_ratio.h"
#include "run_program.h"
#include "util/error.h"

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <sched.h>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gem_upload::bench {
namespace {

constexpr std::size_t pairs = 30;
constexpr double wanted_of_bare_loop = 0.98;
constexpr double wanted_of_igt = 1.00;

using Command = std::vector<std::string>;

/// MB/s of a program that prints IGT's line.
double measure(const Command& command) {
    const testing_support::Outcome outcome = testing_support::run_program(command);
    double rate = 0;
    if (outcome.status != 0 ||
        std::sscanf(outcome.out.c_str(), "%*u iterations in %*f secs: %lf MB/sec", &rate) != 1) {
        throw failure(fmt::format("{} exited with {} and said: {}{}", command.front(),
                                  outcome.status, outcome.out, outcome.err));
    }
    return rate;
}

/// True where the first reaches the wanted share of the second's speed.
bool compare(std::string_view title, const Command& first, const Command& second, double wanted) {
    std::vector<double> ratios;
    for (std::size_t pair = 0; pair < pairs; ++pair) {
        const bool in_order = pair % 2 == 0; // what a drift gives to one it takes back
        const double before = measure(in_order ? first : second);
        const double after = measure(in_order ? second : first);
        ratios.push_back(in_order ? before / after : after / before);
    }
    const MedianInterval interval = median_interval(ratios);
    fmt::print("{}: {}\n", title, describe(interval, pairs, wanted));
    return !falls_short(interval, wanted);
}

std::string find_igt_program() {
    for (const std::string_view package : {"igt-gpu-tools", "intel-gpu-tools"}) {
        const std::string path =
            fmt::format("/usr/libexec/{}/benchmarks/intel_upload_blit_large", package);
        if (std::filesystem::exists(path)) {
            return path;
        }
    }
    throw cannot_measure("intel_upload_blit_large is not installed: install intel-gpu-tools");
}

/// This process and its children, on the CPU that it happens to run on.
void stay_on_one_cpu() {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<unsigned>(::sched_getcpu()), &set);
    if (::sched_setaffinity(0, sizeof set, &set) != 0) {
        throw failed_call("sched_setaffinity", "this process", errno);
    }
}

Exit run(std::span<char*> arguments) {
    if (arguments.size() != 5) {
        throw usage_error("usage: upload_speed GEM_UPLOAD CHIP UPLOAD_BLIT_LARGE BARE_UPLOAD");
    }
    const std::string chip = arguments[2];
    const auto on_model = [&](Command program) {
        program.insert(program.begin(),
                       {arguments[1], "model", "--chip", chip, "--execution", "immediate", "--"});
        return program;
    };
    const std::string ours = arguments[3];
    const std::string igt = find_igt_program();
    stay_on_one_cpu();

    const std::string title = fmt::format("upload_blit_large on model:{}", chip);
    const bool reaches_bare_loop =
        compare(title + " against a bare loop of its stores and copies", on_model({ours}),
                {arguments[4], "1280", "720", "200", "60"}, wanted_of_bare_loop);
    // Debian's compiler made 16-byte stores of IGT's loop (movaps); the canonical ones are 4.
    const bool reaches_igt =
        compare(title + " against intel_upload_blit_large on it, both with 16-byte stores",
                on_model({ours, "--store", "16"}), on_model({igt}), wanted_of_igt);
    return reaches_bare_loop && reaches_igt ? Exit::success : Exit::failure;
}

} // namespace
} // namespace gem_upload::bench

int main(int argc, char** argv) {
    try {
        return static_cast<int>(gem_upload::bench::run({argv, static_cast<std::size_t>(argc)}));
    } catch (const gem_upload::Error& error) {
        fmt::print(stderr, "upload_speed: {}\n", error.what());
        return static_cast<int>(error.status());
    } catch (const std::exception& error) {
        fmt::print(stderr, "upload_speed: {}\n", error.what());
        return static_cast<int>(gem_upload::Exit::failure);
    }
}
