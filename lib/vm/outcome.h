// What became of a run, from all that was seen of it.
#pragma once

#include "vm/device_report.h"
#include "vm/guest_record.h"
#include "vm/kernel_log.h"

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gem_upload::vm {

/// What was seen.
struct Evidence {
    std::string kernel_log;
    GuestRecord guest;
    std::string command_errors;         ///< the command's standard error, its end
    std::vector<std::string> drivers;   ///< that were to be loaded
    std::string qemu_errors;            ///< QEMU's standard error
    std::optional<int> qemu_status;     ///< in waitpid's form; nothing: we have ended it
    bool device_died = false;           ///< the device process ended before QEMU did
    std::string device_end;             ///< and how, in words
    std::optional<DeviceReport> device; ///< where there was one
    bool timed_out = false;
    unsigned limit_seconds = 0;
};

/// What is wanted of a run beside that its command succeeds.
struct Policy {
    std::set<Trouble> allowed; ///< does not make a run bad
    bool strict = false;       ///< warnings, errors and what the model does not know do
};

enum class Verdict {
    success,
    skipped, ///< the command exited with 77
    command_failed,
    wrong_data,
    panic,
    oops,
    lockdep,
    lockup,
    gpu_hang,
    refused_access,
    complaint, ///< strict only
    timed_out,
    no_boot,
    no_module,
    no_command,
    guest_killed,
    device_died,
    dropped_access, ///< by QEMU
};

[[nodiscard]] std::string_view verdict_name(Verdict verdict); ///< "gpu-hang"

/// Statuses of gem-upload vm, in the language of `git bisect run`.
inline constexpr int status_good = 0;
inline constexpr int status_bad = 1;
inline constexpr int status_cannot_tell = 125;
inline constexpr int status_broken_input = 128;

struct Outcome {
    Verdict verdict;
    int status;
    std::string sentence;
    std::vector<Finding> findings;       ///< in the kernel's log
    std::vector<std::string> complaints; ///< of the model, and about the run
};

/// Whether trouble in the kernel's log, once the drivers are loaded, makes a run bad.
[[nodiscard]] bool makes_bad(Trouble trouble, const Policy& policy);

[[nodiscard]] Outcome classify(const Evidence& evidence, const Policy& policy);

/// Whether QEMU says that it has dropped an access to a device that was busy with another.
[[nodiscard]] bool says_dropped_access(std::string_view qemu_errors);
/// Whether a benchmark of ours says that what it read back is not what it uploaded.
[[nodiscard]] bool says_wrong_data(std::string_view command_errors);

} // namespace gem_upload::vm
