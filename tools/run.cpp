#include "run.h"

#include "bench/method.h"
#include "config.h"
#include "drm/device.h"
#include "drm/environment.h"
#include "drm/modules.h"
#include "run_directory.h"
#include "run_methods.h"
#include "run_order.h"
#include "run_session.h"
#include "subcommand.h"
#include "util/command_line.h"
#include "util/error.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <optional>
#include <random>
#include <unistd.h>

namespace gem_upload::tools {
namespace {

using results::RunHeader;

/// The benchmarks' own options; they check the values.
constexpr std::pair<const char*, const char*> passed_on[] = {
    {"width", "pixels of 4 bytes in a row"},
    {"height", "rows"},
    {"iterations", "timed iterations a sample"},
    {"warmup", "iterations before the first sample"},
    {"samples", "samples a process"},
    {"store", "bytes a store: 4, 8, 16, 32, 64"},
    {"store-type", "plain or nt (non-temporal)"},
    {"verify", "none, last or every"},
};

struct RunOptions {
    std::string device;
    std::string methods = "blit";
    std::uint64_t rounds = 6;
    std::string label;
    std::string output;
    std::optional<std::uint64_t> seed;
    std::string cpu;
    std::uint64_t timeout = 300;
    std::string resume;
    bool load = false;
    bool no_load = false;
    std::vector<std::pair<std::string, std::string>> passed;
};

/// Adds the options to the parser; `values` holds the texts of those that are passed on.
void define_options(CLI::App& app, RunOptions& options, std::vector<std::string>& values) {
    std::vector<CLI::Option*> fixed{
        app.add_option("--device", options.device,
                       "a node's path, pci:0000:00:02.0, a driver's name, or model:CHIP"),
        app.add_option("--methods", options.methods,
                       "binaries without upload_, with :staged, suffixes within the group of the "
                       "one before, or groups: blit, small, aperture, all (default: blit)"),
        app.add_option("--rounds", options.rounds,
                       "rounds, rounded up to a balanced number (default: 6)"),
        app.add_option("--label", options.label,
                       "how the logs' names begin (default: the device's short name)"),
        app.add_option("-o,--output", options.output,
                       "a new or empty folder (default: results/LABEL-DATE-TIME)"),
        app.add_option("--seed", options.seed, "the order's seed (default: a random one)"),
        app.add_option("--cpu", options.cpu,
                       "the CPU the benchmarks are pinned to, or any (default: the first other "
                       "than 0)"),
        app.add_option("--timeout", options.timeout,
                       "seconds after which a benchmark is ended (default: 300)")
            ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{86400})),
    };
    CLI::Option* load = app.add_flag(
        "--load", options.load,
        "load the driver of an Intel display device that has none, even if it is blacklisted");
    CLI::Option* no_load = app.add_flag("--no-load", options.no_load, "load no driver");
    no_load->excludes(load);
    fixed.insert(fixed.end(), {load, no_load});
    for (std::size_t i = 0; i < std::size(passed_on); ++i) {
        const auto& [name, help] = passed_on[i];
        fixed.push_back(app.add_option(fmt::format("--{}", name), values[i],
                                       fmt::format("passed on: {}", help)));
    }
    CLI::Option* resume =
        app.add_option("--resume", options.resume, "go on with the run in this folder");
    for (CLI::Option* option : fixed) {
        resume->excludes(option); // a resumed run keeps the options it was started with
    }
}

std::optional<int> parse(int argc, char** argv, RunOptions& options) {
    CLI::App app("Runs upload methods in a randomised balanced order, each round a fresh process, "
                 "records every sample, and compares the methods.\n"
                 "Exit status: 0 measured; 1 something failed (the rest still ran); 2 usage; 77 "
                 "everything was skipped; 128 + N interrupted by signal N.",
                 "gem-upload run");
    app.set_version_flag("--version", "gem-upload " GEM_UPLOAD_VERSION);
    std::vector<std::string> values(std::size(passed_on));
    define_options(app, options, values);
    const auto done = parse_command_line(app, argc, argv);
    for (std::size_t i = 0; i < std::size(passed_on); ++i) {
        if (app.count(fmt::format("--{}", passed_on[i].first)) > 0) {
            options.passed.emplace_back(passed_on[i].first, values[i]);
        }
    }
    return done;
}

constexpr std::string_view model_prefix = "model:";

bool on_model(const RunOptions& options) {
    return options.device.compare(0, model_prefix.size(), model_prefix) == 0;
}

/// The GPU to be measured, where it is known before the benchmarks run: the model is set up by
/// them, and they say best why there is none.
std::optional<drm::Device> find_gpu(const RunOptions& options, bool needed) {
    if (!needed || on_model(options)) {
        return std::nullopt;
    }
    if (!options.no_load) {
        if (const std::string done = drm::load_driver_if_needed(options.load); !done.empty()) {
            fmt::print(stderr, "{}\n", done);
        }
    }
    try {
        return drm::select_device(options.device);
    } catch (const Error& error) {
        if (error.status() != Exit::skipped) {
            throw;
        }
        return std::nullopt;
    }
}

std::string default_label(const RunOptions& options, const std::optional<drm::Device>& gpu,
                          bool gpu_needed) {
    std::string label = gpu           ? std::string(gpu->chip ? gpu->chip->name : gpu->driver)
                        : !gpu_needed ? "cpu"
                                      : "no-gpu";
    if (gpu_needed && on_model(options)) {
        label = options.device;
    }
    std::replace_if(
        label.begin(), label.end(),
        [](unsigned char c) { return std::isalnum(c) == 0 && c != '.' && c != '_'; }, '-');
    return label;
}

std::string host_name() {
    char name[256] = {};
    if (::gethostname(name, sizeof name - 1) != 0) {
        throw failed_call("gethostname", "this machine", errno);
    }
    return name;
}

cpu_set_t allowed_cpus() {
    cpu_set_t allowed;
    if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
        throw failed_call("sched_getaffinity", "this process", errno);
    }
    return allowed;
}

/// Everything that the run is; prints what was changed or chosen.
RunHeader make_header(const RunOptions& options) {
    const auto table = bench::all_methods();
    MethodSelection selection = select_methods(options.methods, table);
    for (const std::string& remark : selection.remarks) {
        fmt::print(stderr, "{}\n", remark);
    }
    const bool gpu_needed =
        std::any_of(selection.methods.begin(), selection.methods.end(),
                    [&](const auto& method) { return needs_device(method, table); });
    const auto gpu = find_gpu(options, gpu_needed);
    RunHeader header;
    header.methods = std::move(selection.methods);
    header.label = options.label.empty() ? default_label(options, gpu, gpu_needed) : options.label;
    check_label(header.label);
    header.started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
    header.host = host_name();
    header.device = options.device;
    header.seed = options.seed.value_or(std::random_device()()); // short enough to be typed
    header.order = balanced_order(
        header.methods.size(), balanced_rounds(header.methods.size(), options.rounds), header.seed);
    header.options = options.passed;
    header.cpu = options.cpu.empty() ? std::to_string(default_cpu(allowed_cpus())) : options.cpu;
    header.timeout_seconds = options.timeout;
    header.environment = drm::read_environment(gpu ? &*gpu : nullptr);
    return header;
}

std::string plural(std::uint64_t number, std::string_view word) {
    return fmt::format("{} {}{}", number, word, number == 1 ? "" : "s");
}

void print_plan(const RunDirectory& folder, std::uint64_t asked_rounds) {
    const RunHeader& header = folder.record().header;
    if (header.order.size() != asked_rounds) {
        fmt::print(stderr, "{} rounds instead of {}: {} methods are balanced in {}\n",
                   header.order.size(), asked_rounds, header.methods.size(),
                   header.methods.size() == 2 ? "ABBA blocks of 2 rounds" : "whole Latin squares");
    }
    fmt::print(
        stderr, "{} of {}, --seed {}, {}, recorded in {}\n", plural(header.order.size(), "round"),
        plural(header.methods.size(), "method"), header.seed,
        header.cpu == "any" ? "not pinned to a CPU" : "pinned to CPU " + header.cpu, folder.path());
}

int start_run(const RunOptions& options) {
    const RunHeader header = make_header(options);
    RunDirectory folder = options.output.empty() ? RunDirectory::create_default(header)
                                                 : RunDirectory::create(options.output, header);
    print_plan(folder, options.rounds);
    return carry_out_run(folder);
}

int resume_run(const std::string& path) {
    check_same_boot(results::read_run(path).header, host_name(), drm::read_environment(nullptr));
    RunDirectory folder = RunDirectory::reopen(path);
    const auto& record = folder.record();
    const std::size_t left = results::places_left(record).size();
    if (left == 0) {
        fmt::print(stderr, "The run in {} is finished: there is nothing left to do.\n", path);
    } else {
        fmt::print(stderr, "{} of {} processes are left in {}, --seed {}\n", left,
                   record.header.processes(), path, record.header.seed);
    }
    return carry_out_run(folder);
}

std::string value_of(const drm::Environment& environment, std::string_view name) {
    const auto found = std::find_if(environment.begin(), environment.end(),
                                    [&](const auto& pair) { return pair.first == name; });
    return found == environment.end() ? "unknown" : found->second;
}

} // namespace

void check_label(const std::string& label) {
    const bool control = std::any_of(label.begin(), label.end(),
                                     [](unsigned char c) { return c < 0x20 || c == 0x7f; });
    if (control || label.empty() || label.find('/') != std::string::npos || label[0] == '.' ||
        label[0] == '-' || label.size() > 100) {
        throw usage_error(fmt::format("--label '{}' cannot begin a file's name: it is to have 1 "
                                      "to 100 characters, none a slash or a control character, "
                                      "and not to begin with '.' or '-'",
                                      control ? "" : label));
    }
}

int default_cpu(const cpu_set_t& allowed) {
    for (std::size_t cpu = 1; cpu < CPU_SETSIZE; ++cpu) {
        if (CPU_ISSET(cpu, &allowed)) {
            return static_cast<int>(cpu);
        }
    }
    return 0;
}

void check_same_boot(const RunHeader& recorded, const std::string& host,
                     const drm::Environment& now) {
    const auto require = [&](std::string_view what, const std::string& then,
                             const std::string& today) {
        if (then != today) {
            throw usage_error(fmt::format("the run cannot be resumed: its {} was '{}', and here "
                                          "it is '{}', so that its samples would not belong "
                                          "together; start a new run",
                                          what, then, today));
        }
    };
    require("machine", recorded.host, host);
    for (const auto& [key, what] :
         {std::pair{"kernel_release", "kernel release"}, std::pair{"boot_id", "boot id"},
          std::pair{"cpu_model", "CPU"}, std::pair{"gem_upload_tools", "version of these tools"}}) {
        require(what, value_of(recorded.environment, key), value_of(now, key));
    }
}

int run_main(int argc, char** argv) {
    RunOptions options;
    if (const auto done = parse(argc, argv, options)) {
        return *done;
    }
    return options.resume.empty() ? start_run(options) : resume_run(options.resume);
}

} // namespace gem_upload::tools
