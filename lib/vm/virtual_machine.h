// One boot: QEMU and, where there is a modelled GPU, the process that is its device; watched to
// their end.
#pragma once

#include "util/stop_signals.h"
#include "vm/outcome.h"
#include "vm/qemu_command.h"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gem_upload::vm {

struct DeviceSpec {
    std::string program;                  ///< gem-upload-gpu
    std::string chip;                     ///< "g33"
    std::string execution;                ///< "asynchronous", "immediate"
    std::uint64_t delay_microseconds = 0; ///< from an engine's getting work to its beginning
    std::uint64_t hang_at = 0;            ///< the batch that never ends; 0: none
    std::string trace;                    ///< a file; empty: none
    /// The kernel reads the size of stolen memory from the host bridge (GMCH_CTRL), where QEMU's
    /// has nothing: up to gen7.
    bool host_bridge_gmch = false;
};

struct RunSpec {
    Machine machine; ///< its descriptors are filled in here
    std::optional<DeviceSpec> device;
    std::vector<std::string> drivers;
    std::optional<std::chrono::seconds> limit;
    unsigned cpu = 0;         ///< that QEMU and the device share
    bool interactive = false; ///< standard input goes to the command's terminal
};

/// Who is told what, as it comes.
struct Observer {
    std::function<void(std::string_view qemu_version)> started;
    std::function<void(std::string_view text)> output; ///< of the command
    std::function<void(std::string_view text)> errors;
    std::function<void(const GuestRecord& record, std::string_view line)> told; ///< a line of it
};

/// Boots and waits for the end. No process is left, however it is left. Throws failure in one
/// sentence where QEMU does not come up, Interrupted.
[[nodiscard]] Evidence run_machine(const RunSpec& spec, const Observer& observer,
                                   StopSignals& signals);

/// The program, found or not.
inline constexpr const char* qemu_program = "qemu-system-x86_64";

/// Why QEMU has not come up, from its standard error, in one sentence.
[[nodiscard]] std::string explain_start(std::string_view qemu_errors);

} // namespace gem_upload::vm
