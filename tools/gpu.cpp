// gem-upload-gpu: one modelled GPU as a PCI device, in a process of its own that QEMU's
// x-pci-proxy-dev speaks to. gem-upload-vm starts it with the descriptors that it serves.
#include "model/pci/gpu.h"
#include "config.h"
#include "util/command_line.h"
#include "util/error.h"
#include "util/standard_streams.h"
#include "vm/device_report.h"
#include "vm/mpqemu_link.h"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <exception>
#include <fmt/core.h>
#include <fstream>
#include <optional>
#include <string>

namespace gem_upload {
namespace {

struct Options {
    std::string chip;
    std::string trace;
    std::string execution = "asynchronous";
    std::uint32_t delay_microseconds = 200;
    std::uint64_t hang_at = 0;
    int proxy = -1;
    int qtest = -1;
    int report = -1;
};

std::optional<int> parse(Options& options, int argc, char** argv) {
    CLI::App app("Serves one modelled GPU as a PCI device to QEMU, over descriptors that it was "
                 "started with.\ngem-upload-vm(1) starts it; it is of no use by itself.\n",
                 "gem-upload-gpu");
    app.set_version_flag("--version", "gem-upload-gpu " GEM_UPLOAD_VERSION);
    app.add_option("--chip", options.chip, "the chip, by its name or alias")->required();
    app.add_option("--proxy", options.proxy, "the descriptor that x-pci-proxy-dev speaks over")
        ->required();
    app.add_option("--qtest", options.qtest, "the descriptor of QEMU's qtest")->required();
    app.add_option("--report", options.report, "the descriptor that the report goes to")
        ->required();
    app.add_option("--trace", options.trace, "write registers, commands and interrupts to FILE");
    app.add_option("--execution", options.execution, "when engines run")
        ->check(CLI::IsMember({"asynchronous", "immediate"}))
        ->capture_default_str();
    app.add_option("--delay", options.delay_microseconds,
                   "microseconds between an engine's getting work and its beginning (asynchronous)")
        ->check(CLI::Range(0, 10'000'000))
        ->capture_default_str();
    app.add_option("--hang", options.hang_at,
                   "the batch, counted from 1 on the engine that blits, which never ends");
    return parse_command_line(app, argc, argv);
}

model::pci::Settings settings_from(const Options& options, std::ofstream& trace) {
    model::pci::Settings settings;
    settings.timing = options.execution == "immediate" ? model::pci::Timing::immediate
                                                       : model::pci::Timing::asynchronous;
    settings.delay = std::chrono::microseconds(options.delay_microseconds);
    settings.hang_at = options.hang_at;
    settings.complaint = [](std::string_view line) { fmt::print(stderr, "model: {}\n", line); };
    if (options.trace.empty()) {
        return settings;
    }
    trace.open(options.trace);
    if (!trace) {
        throw failed_call("opening", options.trace, errno);
    }
    settings.trace = [&trace](std::string_view line) { trace << line << '\n'; };
    return settings;
}

void write_report(const UniqueFd& fd, const vm::DeviceReport& report) {
    const std::string text = vm::report_to_text(report);
    std::string_view left = text;
    while (!left.empty()) {
        const ssize_t count = ::write(fd.get(), left.data(), left.size());
        if (count < 0 && errno != EINTR) {
            throw failed_call("writing", "the device's report", errno);
        }
        left.remove_prefix(count < 0 ? 0 : static_cast<std::size_t>(count));
    }
}

int serve(const Options& options) {
    std::ofstream trace;
    const model::pci::Settings settings = settings_from(options, trace);
    const UniqueFd report_fd(options.report);
    vm::MpqemuLink link{UniqueFd(options.proxy), UniqueFd(options.qtest)};
    const auto gpu = model::pci::make_gpu(options.chip, link, settings);
    if (!gpu) {
        throw usage_error(
            fmt::format("there is no PCI device for the chip '{}' in the model", options.chip));
    }
    link.serve(*gpu);
    gpu->pause();
    trace.flush();
    if (!options.trace.empty() && !trace) {
        throw failed_call("writing", options.trace, errno);
    }
    vm::DeviceReport report;
    report.link = link.report();
    report.gpu = gpu->report();
    write_report(report_fd, report);
    return static_cast<int>(Exit::success);
}

} // namespace
} // namespace gem_upload

int main(int argc, char** argv) {
    gem_upload::fill_closed_standard_streams();
    ::signal(SIGPIPE, SIG_IGN);
    try {
        gem_upload::Options options;
        if (const std::optional<int> status = gem_upload::parse(options, argc, argv)) {
            return *status;
        }
        return gem_upload::serve(options);
    } catch (const gem_upload::Error& error) {
        fmt::print(stderr, "gem-upload-gpu: {}\n", error.what());
        return static_cast<int>(error.status());
    } catch (const std::exception& error) {
        fmt::print(stderr, "gem-upload-gpu: {}\n", error.what());
        return static_cast<int>(gem_upload::Exit::failure);
    }
}
