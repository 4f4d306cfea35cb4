#include "vm_matrix_run.h"

#include "pinned_jobs.h"
#include "util/error.h"
#include "util/files.h"
#include "vm/bootable_kernel.h"
#include "vm/initramfs.h"
#include "vm/kernel_choice.h"
#include "vm/module_tree.h"
#include "vm/process.h"
#include "vm/virtual_machine.h"
#include "vm/work_folder.h"
#include "vm_matrix.h"
#include "vm_matrix_guest.h"
#include "vm_report.h"

#include <filesystem>
#include <fmt/format.h>
#include <sys/wait.h>

namespace gem_upload::tools {
namespace {

namespace fs = std::filesystem;

/// Of QEMU and the device, beside the guest's own memory.
constexpr std::uint64_t overhead_mib = 256;

struct MatrixKernel {
    std::string name;
    std::string release;
    std::string image;
    std::string modules; ///< lib/modules/RELEASE
};

MatrixKernel prepare(const vm::KernelChoice& choice, const std::string& cache,
                     const std::string& work, StopSignals& signals) {
    const vm::KernelFiles files = vm::find_kernel(choice, cache, work, say, signals);
    const std::string release = vm::prepare_kernel(files.image, cache, signals).release;
    return {choice.kernel, release, files.image,
            vm::with_module_index(vm::find_module_folder(files.modules, release), release, work,
                                  signals)};
}

/// Those that were asked for; or else those of the default ones that are to be had.
std::vector<MatrixKernel> prepare_kernels(const VmOptions& options, const std::string& cache,
                                          const std::string& work, StopSignals& signals) {
    const bool asked_for = !options.matrix->kernels.empty();
    const std::vector<std::string> names =
        asked_for ? options.matrix->kernels : std::vector<std::string>{"debian:6.1", "debian:6.12"};
    std::vector<MatrixKernel> kernels;
    for (const std::string& name : names) {
        const std::string folder = fmt::format("{}/kernel-{}", work, kernels.size());
        fs::create_directory(folder);
        try {
            kernels.push_back(prepare({name, options.kernel.modules}, cache, folder, signals));
        } catch (const Error& error) {
            if (asked_for) {
                throw;
            }
            say(fmt::format("going on without {}: {}", name, error.what()));
        }
    }
    if (kernels.empty()) {
        throw failure("there is no kernel to run: name one with --kernel");
    }
    return kernels;
}

/// The options that each guest is given as they are.
std::vector<std::string> passed_on(const VmOptions& options) {
    std::vector<std::string> words = {
        "--append",    options.append + (options.append.empty() ? "" : " ") + matrix_kernel_words,
        "--memory",    std::to_string(options.memory_mib),
        "--timeout",   std::to_string(*options.limit_seconds),
        "--execution", options.execution,
        "--delay",     std::to_string(options.delay_microseconds)};
    for (const vm::Trouble trouble : options.allowed) {
        words.insert(words.end(), {"--allow", std::string(vm::trouble_name(trouble))});
    }
    if (!options.device_program.empty()) {
        words.insert(words.end(), {"--device-program", options.device_program});
    }
    if (options.kvm) {
        words.emplace_back("--kvm");
    }
    if (options.strict) {
        words.emplace_back("--strict");
    }
    return words;
}

/// A file that may not have come to be.
std::string content_of(const std::string& path) {
    std::error_code ignored;
    return fs::exists(path, ignored) ? read_file(path) : "";
}

class MatrixRun {
public:
    MatrixRun(const VmOptions& options, const std::vector<MatrixKernel>& kernels,
              const std::string& folder)
        : options_(options), folder_(folder) {
        matrix_.methods = options.matrix->methods;
        for (const model::ChipModel* chip : options.matrix->chips) {
            for (const MatrixKernel& kernel : kernels) {
                add(std::string(chip->name), kernel);
            }
        }
    }

    int run(StopSignals& signals) {
        std::vector<unsigned> cpus = usable_cpus();
        cpus.resize(jobs_with_room(cpus.size(), available_mib(content_of("/proc/meminfo")),
                                   options_.memory_mib + overhead_mib));
        say(fmt::format("{} guests, up to {} at a time, with {} methods each", jobs_.size(),
                        std::min(cpus.size(), jobs_.size()), matrix_.methods.size()));
        keep();
        const std::optional<int> signal =
            run_pinned(jobs_, cpus,
                       {.started = [](std::size_t) {},
                        .ended = [this](std::size_t job, int status) { take(job, status); }},
                       signals);
        matrix_.complete = !signal;
        keep();
        print();
        if (signal) {
            throw vm::Interrupted{*signal};
        }
        return matrix_status(matrix_);
    }

private:
    [[nodiscard]] std::string file(std::size_t job, std::string_view what) const {
        return fmt::format("{}/{}.{}", folder_, job, what);
    }

    void add(const std::string& chip, const MatrixKernel& kernel) {
        const std::size_t job = jobs_.size();
        PinnedJob guest;
        guest.argv = {fs::read_symlink("/proc/self/exe"),
                      "vm",
                      "--gpu",
                      chip,
                      "--kernel",
                      kernel.image,
                      "--modules",
                      kernel.modules,
                      "--json",
                      file(job, "json"),
                      "--dmesg",
                      file(job, "dmesg")};
        const std::vector<std::string> further = passed_on(options_);
        guest.argv.insert(guest.argv.end(), further.begin(), further.end());
        guest.argv.insert(guest.argv.end(), {"--", "sh", "-c", matrix_script(matrix_.methods)});
        guest.output = file(job, "output");
        guest.errors = file(job, "errors");
        jobs_.push_back(std::move(guest));
        MatrixRow row{chip, kernel.name, kernel.release, {}, 0, {}, {}};
        row.cells.resize(matrix_.methods.size());
        matrix_.rows.push_back(std::move(row));
    }

    void take(std::size_t job, int status) {
        MatrixRow& row = matrix_.rows[job];
        const GuestRemains remains{content_of(file(job, "output")), content_of(file(job, "dmesg")),
                                   content_of(file(job, "json")), content_of(file(job, "errors")),
                                   WIFEXITED(status) ? WEXITSTATUS(status)
                                                     : vm::status_cannot_tell};
        judge_guest(row, matrix_.methods, remains, {options_.allowed, options_.strict});
        say(fmt::format("{} on {}: {}; {} ({:.0f} s)", row.chip, row.kernel, count_cells(row),
                        row.outcome, row.seconds));
        keep();
    }

    /// After each guest, so that a run that is killed leaves what was finished.
    void keep() const {
        if (!options_.json.empty()) {
            replace_file(options_.json, matrix_to_json(matrix_));
        }
        const std::string& ktap = options_.matrix->ktap;
        if (!ktap.empty() && ktap != "-") {
            replace_file(ktap, matrix_to_ktap(matrix_));
        }
    }

    void print() const {
        const MatrixOptions& options = *options_.matrix;
        fmt::print("{}", options.ktap == "-" ? matrix_to_ktap(matrix_)
                         : options.markdown  ? matrix_to_markdown(matrix_)
                                             : matrix_to_text(matrix_));
        std::fflush(stdout);
    }

    const VmOptions& options_;
    std::string folder_;
    std::vector<PinnedJob> jobs_;
    Matrix matrix_;
};

} // namespace

int run_matrix(const VmOptions& options) {
    StopSignals signals;
    if (vm::locate_program(vm::qemu_program).empty()) {
        throw failure(fmt::format("there is no {}: install qemu-system-x86", vm::qemu_program));
    }
    (void)vm::busybox_applets(signals); // throws where there is none
    const std::string cache = vm::cache_folder();
    const vm::WorkFolder work(cache);
    const std::vector<MatrixKernel> kernels = prepare_kernels(options, cache, work.path(), signals);
    return MatrixRun(options, kernels, work.path()).run(signals);
}

} // namespace gem_upload::tools
