// QEMU's command line, from what the machine is to have.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace gem_upload::vm {

/// Numbers of descriptors that QEMU inherits.
struct QemuDescriptors {
    int qmp;
    int console; ///< ttyS0: the kernel's log
    int output;  ///< ttyS1: the command's standard output, or the interactive shell
    int errors;  ///< ttyS2: the command's standard error
    int control; ///< ttyS3: the guest's report
    std::optional<int> qtest;
    std::optional<int> gpu; ///< to the device process
};

struct Machine {
    std::string kernel;
    std::string initramfs;
    std::string command_line;  ///< the kernel's
    unsigned memory_mib = 512; ///< of the guest
    bool kvm = false;
    std::string share;                ///< a folder, mounted at /share; empty: none
    std::vector<std::string> devices; ///< further ones, in -device's form
    QemuDescriptors descriptors{};
};

/// argv. One CPU, for with two QEMU drops accesses to the device.
[[nodiscard]] std::vector<std::string> qemu_command(const std::string& program,
                                                    const Machine& machine);

/// What every guest of ours is booted with.
[[nodiscard]] std::string kernel_command_line(const std::string& further);

/// The port of isa-debug-exit by which the guest ends QEMU, what it writes there, and what QEMU
/// then exits with (hw/misc/debugexit.c: twice the value, plus one).
inline constexpr unsigned end_port = 0x501;
inline constexpr unsigned end_value = 0x10;
inline constexpr int end_status = 2 * 0x10 + 1;

} // namespace gem_upload::vm
