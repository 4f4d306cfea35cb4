// gem-upload vm: a real kernel, its real driver on a modelled GPU, and a command.
#include "vm/virtual_machine.h"

#include "bench/method.h"
#include "config.h"
#include "model/pci/gpu.h"
#include "subcommand.h"
#include "util/error.h"
#include "util/files.h"
#include "util/siblings.h"
#include "vm/bootable_kernel.h"
#include "vm/initramfs.h"
#include "vm/kernel_choice.h"
#include "vm/module_tree.h"
#include "vm/process.h"
#include "vm/work_folder.h"
#include "vm_matrix_run.h"
#include "vm_options.h"
#include "vm_report.h"
#include "vm_terminal.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <exception>
#include <filesystem>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <memory>
#include <sched.h>
#include <unistd.h>

namespace gem_upload::tools {
namespace {

using Clock = std::chrono::steady_clock;

/// With a newer one GMCH_CTRL, interrupts and the proxy device may be otherwise.
constexpr std::string_view tested_qemu = "7.2.";
/// Sandy Bridge's is the last whose stolen memory is told by the host bridge at 0x52.
constexpr int last_generation_with_gmch = 7;

std::vector<std::string> benchmark_names() {
    std::vector<std::string> names;
    for (const bench::Method* method : bench::all_methods()) {
        names.emplace_back(method->name);
    }
    return names;
}

bool is_in_guest(const std::string& name, StopSignals& signals) {
    std::vector<std::string> names = benchmark_names();
    names.insert(names.end(), {"gem-upload", "gem-upload-guest"});
    const std::vector<std::string> applets = vm::busybox_applets(signals);
    names.insert(names.end(), applets.begin(), applets.end());
    return std::ranges::find(names, name) != names.end();
}

/// Where a program that is to go into the guest lies here.
std::string program_here(const std::string& name) {
    const std::string path = vm::locate_program(name);
    if (path.empty()) {
        throw usage_error(fmt::format("there is no program '{}' for the guest: it is none of the "
                                      "benchmarks and no applet of busybox, and it is not here",
                                      name));
    }
    return std::filesystem::absolute(path).lexically_normal();
}

/// The programs that the command names, which the guest needs beside its own.
std::vector<std::string> programs_for(VmOptions& options, StopSignals& signals) {
    std::vector<std::string> programs;
    for (const std::string& name : options.include) {
        programs.push_back(program_here(name));
    }
    if (!options.command.empty()) {
        std::string& name = options.command.front();
        const bool shared = name.starts_with("/share/") && !options.share.empty();
        if (!shared && !is_in_guest(name, signals)) {
            programs.push_back(program_here(name));
            name = programs.back();
        }
    }
    for (std::size_t i = 1; i < options.command.size(); ++i) {
        const std::string& word = options.command[i];
        if (word.starts_with('/') && !vm::locate_program(word).empty()) {
            programs.push_back(word);
        }
    }
    return programs;
}

vm::GuestJob job_for(const VmOptions& options) {
    vm::GuestJob job;
    job.drivers = options.drivers;
    for (const std::string& driver : options.drivers) {
        if (const char* const support = device_of(driver).support) {
            job.support.emplace_back(support);
        }
    }
    if (!options.share.empty()) {
        job.support.insert(job.support.end(), {"virtio_pci", "9pnet_virtio", "9p"});
        job.share = true;
    }
    if (options.interactive) {
        job.terminal = terminal_here();
    }
    job.command = options.command;
    return job;
}

/// What the chip needs comes first: of an argument given twice the kernel takes the last.
std::string arguments_for(const VmOptions& options) {
    const std::string_view needed =
        options.chip == nullptr ? "" : model::pci::kernel_arguments(*options.chip);
    return fmt::format("{}{}{}", needed, needed.empty() ? "" : " ", options.append);
}

vm::RunSpec run_spec(const VmOptions& options, const vm::BootableKernel& kernel,
                     const std::string& initramfs) {
    vm::RunSpec spec;
    spec.machine.kernel = kernel.image;
    spec.machine.initramfs = initramfs;
    spec.machine.command_line = vm::kernel_command_line(arguments_for(options));
    spec.machine.memory_mib = options.memory_mib;
    spec.machine.kvm = options.kvm;
    spec.machine.share = options.share;
    for (const std::string& driver : options.drivers) {
        if (const char* const device = device_of(driver).device) {
            spec.machine.devices.emplace_back(device);
        }
    }
    if (options.chip != nullptr) {
        spec.device = vm::DeviceSpec{
            .program = options.device_program.empty() ? find_sibling("gem-upload-gpu")
                                                      : options.device_program,
            .chip = std::string(options.chip->name),
            .execution = options.execution,
            .delay_microseconds = options.delay_microseconds,
            .hang_at = options.hang_at,
            .trace = options.trace,
            .host_bridge_gmch = options.chip->generation <= last_generation_with_gmch,
        };
    }
    spec.drivers = options.drivers;
    if (options.limit_seconds) {
        spec.limit = std::chrono::seconds(*options.limit_seconds);
    }
    spec.cpu = static_cast<unsigned>(std::max(::sched_getcpu(), 0));
    spec.interactive = options.interactive;
    return spec;
}

void write_through(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t count = ::write(fd, text.data(), text.size());
        if (count < 0 && errno != EINTR) {
            throw failed_call("writing", fd == STDOUT_FILENO ? "standard output" : "standard error",
                              errno);
        }
        text.remove_prefix(count < 0 ? 0 : static_cast<std::size_t>(count));
    }
}

/// Says how far the guest has come, and notes when.
class Progress {
public:
    Progress(const VmOptions& options, VmRecord& record) : options_(options), record_(record) {}

    vm::Observer observer() {
        return {
            .started = [this](std::string_view version) { started(version); },
            .output = [](std::string_view text) { write_through(STDOUT_FILENO, text); },
            .errors = [](std::string_view text) { write_through(STDERR_FILENO, text); },
            .told = [this](const vm::GuestRecord& guest,
                           std::string_view line) { told(guest, line); },
        };
    }
    [[nodiscard]] double seconds() const {
        return std::chrono::duration<double>(Clock::now() - start_).count();
    }

private:
    void started(std::string_view version) {
        record_.qemu = version;
        start_ = Clock::now();
        if (!version.starts_with(tested_qemu)) {
            say(fmt::format("QEMU {} is untested here ({}x is tested): going on", version,
                            tested_qemu));
        }
        say(fmt::format("booting {} on {} (QEMU {}, {})", record_.release,
                        options_.chip != nullptr ? fmt::format("model:{}", options_.chip->name)
                                                 : "a machine without a modelled GPU",
                        version, options_.kvm ? "KVM" : "emulated"));
    }
    void told(const vm::GuestRecord& guest, std::string_view line) {
        if (line.starts_with("release ")) {
            record_.times.user_space = seconds();
            say(fmt::format("{} is up after {:.1f} s", guest.release, seconds()));
        } else if (line.starts_with("module ") && guest.modules.back().second == 0 &&
                   is_driver(guest.modules.back().first)) {
            record_.times.drivers = seconds();
            say(fmt::format("{} is loaded after {:.1f} s", guest.modules.back().first, seconds()));
        } else if (line == "running") {
            record_.times.command = seconds();
            say(options_.command.empty()
                    ? std::string("a shell: 'exit' or Ctrl-] ends the guest")
                    : fmt::format("running {}", fmt::join(options_.command, " ")));
        }
    }
    [[nodiscard]] bool is_driver(const std::string& module) const {
        return std::ranges::find(options_.drivers, module) != options_.drivers.end();
    }

    const VmOptions& options_;
    VmRecord& record_;
    Clock::time_point start_ = Clock::now();
};

void write_files(const VmOptions& options, const VmRecord& record) {
    if (!options.dmesg.empty()) {
        replace_file(options.dmesg, record.evidence.kernel_log);
    }
    if (!options.json.empty()) {
        replace_file(options.json, vm_record_to_json(options, record));
    }
}

void require_guest_program() {
    // NOLINTNEXTLINE(misc-redundant-expression): two settings of the build
    if (!HAVE_LIBKMOD || !HAVE_LIBDRM) {
        throw failure("this build cannot load drivers in a guest: install libkmod-dev and "
                      "libdrm-dev, and build again");
    }
}

int run(VmOptions options) {
    StopSignals signals;
    const std::string cache = vm::cache_folder();
    const std::vector<std::string> programs = programs_for(options, signals);
    const vm::GuestJob job = job_for(options);
    const vm::WorkFolder work(cache);
    const vm::KernelFiles files = vm::find_kernel(options.kernel, cache, work.path(), say, signals);
    const vm::BootableKernel kernel = vm::prepare_kernel(files.image, cache, signals);
    if (options.fetch) {
        say(fmt::format("{} is here", files.name));
        return vm::status_good;
    }
    const std::string module_folder =
        vm::with_module_index(vm::find_module_folder(files.modules, kernel.release), kernel.release,
                              work.path(), signals);
    const std::string initramfs = vm::build_initramfs(
        {kernel.release, module_folder, benchmark_names(), programs, job}, work.path(), signals);

    VmRecord record;
    record.kernel = files.name;
    record.release = kernel.release;
    Progress progress(options, record);
    const auto terminal =
        options.interactive ? std::make_unique<RawTerminal>() : std::unique_ptr<RawTerminal>();
    record.evidence =
        vm::run_machine(run_spec(options, kernel, initramfs), progress.observer(), signals);
    record.times.end = progress.seconds();
    record.outcome = vm::classify(record.evidence, {options.allowed, options.strict});
    print_outcome(options, record);
    write_files(options, record);
    return record.outcome.status;
}

} // namespace

int vm_main(int argc, char** argv) {
    ::signal(SIGPIPE, SIG_IGN);
    try {
        const std::optional<VmOptions> options = parse_vm_options(argc, argv);
        if (!options) {
            return static_cast<int>(Exit::success);
        }
        require_guest_program();
        return options->matrix ? run_matrix(*options) : run(*options);
    } catch (const vm::Interrupted& interrupted) {
        say(fmt::format("interrupted: {}", ::sigdescr_np(interrupted.signal)));
        return 128 + interrupted.signal;
    } catch (const std::exception& error) {
        // Whatever it is, the next commit of a bisection would meet it, too.
        say(error.what());
        return vm::status_broken_input;
    }
}

} // namespace gem_upload::tools
