// The command line of gem-upload vm.
#pragma once

#include "model/gpu.h"
#include "results/run_record.h"
#include "vm/kernel_choice.h"
#include "vm/kernel_log.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gem_upload::tools {

/// What --matrix is to go through.
struct MatrixOptions {
    std::vector<const model::ChipModel*> chips;
    std::vector<std::string> kernels; ///< as --kernel names them; empty: what is to be had
    std::vector<results::RunMethod> methods;
    std::string ktap; ///< a file; "-": standard output, in the table's place; empty: none
    bool markdown = false;
};

struct VmOptions {
    const model::ChipModel* chip = nullptr; ///< of the modelled GPU; nullptr: none
    std::vector<std::string> drivers;       ///< "i915", "vgem", "bochs", "virtio-gpu"
    vm::KernelChoice kernel;
    bool fetch = false; ///< the kernel into the cache, and no more
    std::string share;
    std::vector<std::string> include; ///< further programs for the guest
    std::string append;               ///< to the kernel's command line
    unsigned memory_mib = 512;
    std::optional<unsigned> limit_seconds;
    bool kvm = false;
    bool interactive = false;
    bool strict = false;
    std::set<vm::Trouble> allowed;
    std::string trace;
    std::string json;
    std::string dmesg;
    std::string execution = "asynchronous";
    std::uint64_t delay_microseconds = 200;
    std::uint64_t hang_at = 0;  ///< the batch that never ends; 0: none
    std::string device_program; ///< empty: gem-upload-gpu
    std::vector<std::string> command;
    std::optional<MatrixOptions> matrix;
};

/// Nothing when there is nothing more to do (--help). Throws usage_error.
[[nodiscard]] std::optional<VmOptions> parse_vm_options(int argc, char** argv);

/// How a driver's device is plugged in, and what else has to be loaded for it.
struct DriverDevice {
    std::string_view driver;
    const char* device;  ///< in the form of QEMU's -device; nullptr: none, or the modelled GPU
    const char* support; ///< a module loaded before; nullptr: none
};
[[nodiscard]] const DriverDevice& device_of(std::string_view driver);

} // namespace gem_upload::tools
