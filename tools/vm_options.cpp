#include "vm_options.h"

#include "bench/method.h"
#include "model/pci/gpu.h"
#include "run_methods.h"
#include "util/command_line.h"
#include "util/error.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>
#include <unistd.h>

namespace gem_upload::tools {
namespace {

constexpr std::array<DriverDevice, 4> driver_devices{{
    {"i915", nullptr, nullptr},
    {"vgem", nullptr, nullptr},
    {"bochs", "bochs-display", nullptr},
    {"virtio-gpu", "virtio-gpu-pci", "virtio_pci"},
}};

constexpr unsigned default_limit_seconds = 300;
constexpr unsigned matrix_limit_seconds = 900; ///< for all methods of a guest

constexpr const char* footer =
    "The guest has busybox, the benchmarks, gem-upload, and COMMAND with its libraries. Its\n"
    "standard output and error become ours; what this program says itself goes to standard error.\n"
    "What is measured in the guest is measured on a modelled GPU, and says nothing about any.\n"
    "Exit status, as 'git bisect run' reads it: 0 good; 1 bad (COMMAND failed, wrong data, or in\n"
    "the kernel a GPU hang, oops, panic, lockup or lockdep splat after the driver was loaded);\n"
    "125 cannot tell (no boot, no driver, COMMAND exited with 77, QEMU or the device died);\n"
    "128 wrong usage or input, or something that is needed is missing.";

std::string profile_names() {
    std::vector<std::string_view> names;
    for (const model::ChipModel* chip : model::pci::gpu_chips()) {
        names.push_back(chip->name);
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

const model::ChipModel& find_profile(const std::string& name) {
    const model::ChipModel* const chip = model::find_chip_model(name);
    const auto profiles = model::pci::gpu_chips();
    if (chip == nullptr) {
        throw usage_error(fmt::format("the model has no chip '{}': as PCI devices it has {}", name,
                                      profile_names()));
    }
    if (std::ranges::find(profiles, chip) == profiles.end()) {
        throw usage_error(fmt::format("the model has {} in user space only ('gem-upload model'): "
                                      "as PCI devices it has {}",
                                      chip->name, profile_names()));
    }
    return *chip;
}

bool has_driver(const VmOptions& options, std::string_view name) {
    return std::ranges::find(options.drivers, name) != options.drivers.end();
}

/// Without --gpu there is a g33 exactly when i915 is to drive it; without --driver, i915 exactly
/// when there is a GPU.
void settle_gpu(VmOptions& options, const std::string& gpu, bool drivers_given) {
    const bool wants_gpu =
        gpu.empty() ? !drivers_given || has_driver(options, "i915") : gpu != "none";
    if (wants_gpu) {
        options.chip = &find_profile(gpu.empty() ? "g33" : gpu);
    }
    if (wants_gpu && !drivers_given) {
        options.drivers = {"i915"};
    }
    if (!wants_gpu && has_driver(options, "i915")) {
        throw usage_error("i915 needs a GPU: leave --gpu none out");
    }
}

std::vector<std::string> split(const std::string& list) {
    std::vector<std::string> words;
    std::istringstream stream(list);
    for (std::string word; std::getline(stream, word, ',');) {
        words.push_back(word);
    }
    return words;
}

std::vector<const model::ChipModel*> find_profiles(const std::string& list) {
    const auto all = model::pci::gpu_chips();
    if (list.empty() || list == "all") {
        return {all.begin(), all.end()};
    }
    std::vector<const model::ChipModel*> chips;
    for (const std::string& name : split(list)) {
        const model::ChipModel* const chip = &find_profile(name);
        if (std::ranges::find(chips, chip) == chips.end()) {
            chips.push_back(chip);
        }
    }
    return chips;
}

/// What the matrix's guests have no use for.
void refuse_beside_matrix(const CLI::App& app, const VmOptions& options) {
    for (const char* name : {"--driver", "--share", "--include", "--interactive", "--trace",
                             "--dmesg", "--fetch", "--hang"}) {
        if (app.count(name) > 0) {
            throw usage_error(fmt::format("--matrix has guests of its own: leave {} out", name));
        }
    }
    if (!options.command.empty()) {
        throw usage_error("--matrix runs the benchmarks, and no command: name them with --methods");
    }
}

void settle_matrix(VmOptions& options, const std::string& gpus, const std::string& methods) {
    MatrixOptions& matrix = *options.matrix;
    matrix.chips = find_profiles(gpus);
    matrix.kernels = split(options.kernel.kernel);
    matrix.methods = select_methods(methods, bench::all_methods()).methods;
    if (!options.kernel.modules.empty() && matrix.kernels.size() != 1) {
        throw usage_error("--modules are of one kernel: name one with --kernel");
    }
    for (const std::string& kernel : matrix.kernels) {
        if (kernel.empty()) {
            throw usage_error("--kernel: a name in the list is empty");
        }
        vm::check_kernel_choice({kernel, options.kernel.modules});
    }
}

/// What is written at the end must not fail only then.
void require_folder_of(const char* option, const std::string& path) {
    if (path.empty()) {
        return;
    }
    const std::filesystem::path given = std::filesystem::path(path).parent_path();
    const std::string folder = given.empty() ? "." : given.string();
    if (::access(folder.c_str(), W_OK | X_OK) != 0) {
        throw usage_error(fmt::format("{}: no file can be made in the folder '{}': {}", option,
                                      folder, errno_text(errno)));
    }
}

void refuse_empty_names(const CLI::App& app, const VmOptions& options, const std::string& gpu) {
    if (app.count("--gpu") > 0 && gpu.empty()) {
        throw usage_error("--gpu: the name is empty");
    }
    if (app.count("--kernel") > 0 && options.kernel.kernel.empty()) {
        throw usage_error("--kernel: the name is empty");
    }
}

void check(const VmOptions& options) {
    require_folder_of("--json", options.json);
    require_folder_of("--dmesg", options.dmesg);
    vm::check_kernel_choice(options.kernel);
    if (options.command.empty() && !options.interactive && !options.fetch) {
        throw usage_error("no command was given: put it after '--', or give --interactive for a "
                          "shell (see 'gem-upload vm --help')");
    }
    std::error_code ignored;
    if (!options.share.empty() && !std::filesystem::is_directory(options.share, ignored)) {
        throw usage_error(fmt::format("--share: there is no folder '{}'", options.share));
    }
    if (!options.trace.empty() && options.chip == nullptr) {
        throw usage_error("--trace is of the modelled GPU, and there is none");
    }
    if (options.hang_at != 0 && options.chip == nullptr) {
        throw usage_error("--hang is of the modelled GPU, and there is none");
    }
}

} // namespace

const DriverDevice& device_of(std::string_view driver) {
    return *std::ranges::find(driver_devices, driver, &DriverDevice::driver);
}

std::optional<VmOptions> parse_vm_options(int argc, char** argv) {
    VmOptions options;
    std::string gpu;
    std::vector<std::string> allowed;
    MatrixOptions matrix;
    std::string methods = "blit,small";
    bool has_matrix = false;
    // The command's own options are not ours: it begins after the first "--".
    char** const separator = std::find_if(
        argv, argv + argc, [](const char* word) { return std::strcmp(word, "--") == 0; });
    options.command.assign(std::min(separator + 1, argv + argc), argv + argc);

    CLI::App app("Boots a real kernel in QEMU, with the real driver bound to a modelled GPU, and "
                 "runs a command there:\ngem-upload vm [OPTIONS] -- COMMAND [ARGUMENT]...\n",
                 "gem-upload vm");
    app.footer(footer);
    app.add_option("--gpu", gpu,
                   "the modelled GPU, by its name or alias (" + profile_names() +
                       "; default g33), or none")
        ->type_name("CHIP");
    app.add_option("--driver", options.drivers,
                   "the driver: i915, or vgem, bochs, virtio-gpu with devices of QEMU's; several "
                   "by commas")
        ->delimiter(',')
        ->check(CLI::IsMember({"i915", "vgem", "bochs", "virtio-gpu"}))
        ->type_name("NAME");
    app.add_option("--kernel", options.kernel.kernel,
                   "debian:6.12, the newest of that series that apt knows; a bzImage (vmlinuz) or "
                   "vmlinux; a package (.deb); or a folder with an unpacked one (default: the "
                   "distribution's). What is fetched is kept in a cache and never installed")
        ->type_name("WHICH");
    app.add_option("--modules", options.kernel.modules,
                   "an image's modules: lib/modules/RELEASE, a folder that holds it, or a package")
        ->type_name("PATH");
    app.add_flag("--fetch", options.fetch,
                 "only see to it that the kernel is in the cache, for use without network");
    app.add_option("--append", options.append, "add to the kernel's command line")
        ->type_name("WORDS");
    app.add_option("--share", options.share, "a folder to be /share in the guest, writable")
        ->type_name("DIR");
    app.add_option("--include", options.include, "a further program for the guest; may be repeated")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->type_name("PROGRAM");
    app.add_option("--memory", options.memory_mib, "of the guest, in MiB")
        ->check(CLI::Range(128U, 65536U))
        ->capture_default_str();
    app.add_option("--timeout", options.limit_seconds,
                   fmt::format("seconds from start to end (default {}; none with --interactive)",
                               default_limit_seconds))
        ->check(CLI::Range(1U, 1'000'000U));
    app.add_flag("--kvm", options.kvm, "use KVM instead of emulation (untested)");
    app.add_flag("--interactive", options.interactive,
                 "COMMAND, or a shell, on this terminal; Ctrl-] ends the guest");
    app.add_option("--execution", options.execution, "when the modelled GPU's engines run")
        ->check(CLI::IsMember({"asynchronous", "immediate"}))
        ->capture_default_str();
    app.add_option("--delay", options.delay_microseconds,
                   "microseconds between an engine's getting work and its beginning (asynchronous)")
        ->check(CLI::Range(0U, 10'000'000U))
        ->capture_default_str();
    app.add_option("--hang", options.hang_at,
                   "the batch, counted from 1 on the engine that blits, which never ends")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000}))
        ->type_name("N");
    app.add_option("--allow", allowed,
                   "trouble in the kernel's log that does not make the run bad; several by commas")
        ->delimiter(',')
        ->check(CLI::IsMember(vm::trouble_names()))
        ->type_name("KIND");
    app.add_flag("--strict", options.strict,
                 "warnings, errors of the driver, and what the model does not know are bad, too");
    app.add_option("--trace", options.trace, "write the GPU's registers and commands to FILE")
        ->type_name("FILE");
    app.add_option("--json", options.json, "write what became of the run to FILE")
        ->type_name("FILE");
    app.add_option("--dmesg", options.dmesg, "write the kernel's log to FILE")->type_name("FILE");
    app.add_option("--device-program", options.device_program,
                   "another gem-upload-gpu, such as one built with sanitizers")
        ->check(CLI::ExistingFile)
        ->type_name("FILE");

    app.add_flag("--matrix", has_matrix,
                 "run upload methods on chips and kernels, a guest each, and print a table; --gpu "
                 "and --kernel take lists (default: all chips; debian:6.1 and debian:6.12, as far "
                 "as they are to be had)");
    app.add_option("--methods", methods, "with --matrix: as gem-upload run has them")
        ->type_name("LIST")
        ->capture_default_str();
    app.add_option("--ktap", matrix.ktap,
                   "with --matrix: write the results as KTAP to FILE; - is standard output")
        ->type_name("FILE");
    app.add_flag("--markdown", matrix.markdown, "with --matrix: print the table as Markdown");

    if (parse_command_line(app, static_cast<int>(separator - argv), argv)) {
        return std::nullopt;
    }
    for (const std::string& name : allowed) {
        options.allowed.insert(*vm::trouble_from_name(name));
    }
    if (!options.interactive && !options.limit_seconds) {
        options.limit_seconds = has_matrix ? matrix_limit_seconds : default_limit_seconds;
    }
    refuse_empty_names(app, options, gpu);
    if (has_matrix) {
        refuse_beside_matrix(app, options);
        options.matrix = std::move(matrix);
        settle_matrix(options, gpu, methods);
        return options;
    }
    for (const char* name : {"--methods", "--ktap", "--markdown"}) {
        if (app.count(name) > 0) {
            throw usage_error(fmt::format("{} goes with --matrix", name));
        }
    }
    settle_gpu(options, gpu, !options.drivers.empty());
    check(options);
    return options;
}

} // namespace gem_upload::tools
