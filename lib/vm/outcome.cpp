#include "vm/outcome.h"

#include "util/error.h"
#include "vm/process.h"
#include "vm/qemu_command.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>
#include <utility>

namespace gem_upload::vm {
namespace {

constexpr int skip_status = 77;
constexpr int shell_cannot_execute = 126;
constexpr int shell_finds_nothing = 127;

struct VerdictRow {
    Verdict verdict;
    std::string_view name;
    int status;
};

constexpr std::array verdicts{
    VerdictRow{Verdict::success, "success", status_good},
    VerdictRow{Verdict::skipped, "skipped", status_cannot_tell},
    VerdictRow{Verdict::command_failed, "command-failed", status_bad},
    VerdictRow{Verdict::wrong_data, "wrong-data", status_bad},
    VerdictRow{Verdict::panic, "panic", status_bad},
    VerdictRow{Verdict::oops, "oops", status_bad},
    VerdictRow{Verdict::lockdep, "lockdep", status_bad},
    VerdictRow{Verdict::lockup, "lockup", status_bad},
    VerdictRow{Verdict::gpu_hang, "gpu-hang", status_bad},
    VerdictRow{Verdict::refused_access, "refused-access", status_bad},
    VerdictRow{Verdict::complaint, "complaint", status_bad},
    VerdictRow{Verdict::timed_out, "timed-out", status_bad},
    VerdictRow{Verdict::no_boot, "no-boot", status_cannot_tell},
    VerdictRow{Verdict::no_module, "no-module", status_cannot_tell},
    VerdictRow{Verdict::no_command, "no-command", status_broken_input},
    VerdictRow{Verdict::guest_killed, "guest-killed", status_cannot_tell},
    VerdictRow{Verdict::device_died, "device-died", status_cannot_tell},
    VerdictRow{Verdict::dropped_access, "dropped-access", status_cannot_tell},
};

const VerdictRow& row_of(Verdict verdict) {
    return *std::ranges::find(verdicts, verdict, &VerdictRow::verdict);
}

Verdict verdict_for(Trouble trouble) {
    switch (trouble) {
    case Trouble::panic:
        return Verdict::panic;
    case Trouble::oops:
        return Verdict::oops;
    case Trouble::lockdep:
        return Verdict::lockdep;
    case Trouble::lockup:
        return Verdict::lockup;
    case Trouble::gpu_hang:
        return Verdict::gpu_hang;
    case Trouble::refused_access:
        return Verdict::refused_access;
    case Trouble::warning:
    case Trouble::error:
        break;
    }
    return Verdict::complaint;
}

bool is_mere_complaint(Trouble trouble) {
    return trouble == Trouble::warning || trouble == Trouble::error;
}

/// A conclusion: its sentence, and a status where it is not the verdict's own.
struct Conclusion {
    Verdict verdict;
    std::string sentence;
    std::optional<int> status;
};

/// How far the guest had come, in words.
std::string stage(const GuestRecord& guest) {
    if (guest.status) {
        return "after its command had ended";
    }
    if (guest.loaded()) {
        return "while its command ran";
    }
    if (!guest.loading.empty()) {
        return fmt::format("while {} was being loaded", guest.loading);
    }
    return guest.release.empty() ? "before its user space was up"
                                 : "before its drivers were loaded";
}

std::optional<Conclusion> about_emulator(const Evidence& evidence) {
    if (evidence.device_died) {
        return Conclusion{
            Verdict::device_died,
            fmt::format("the device process {} {}", evidence.device_end, stage(evidence.guest)),
            {}};
    }
    if (says_dropped_access(evidence.qemu_errors)) {
        return Conclusion{Verdict::dropped_access,
                          "QEMU has dropped accesses to the device ('Blocked re-entrant IO'): "
                          "nothing that the guest says can be trusted",
                          {}};
    }
    if (evidence.qemu_status && WIFSIGNALED(*evidence.qemu_status)) {
        return Conclusion{
            Verdict::guest_killed,
            fmt::format("QEMU {} {}", status_text(*evidence.qemu_status), stage(evidence.guest)),
            {}};
    }
    return std::nullopt;
}

/// The worst thing in the kernel's log that the policy does not allow. Trouble before the drivers
/// were loaded tells nothing of them: only what ended the guest counts then.
std::optional<Conclusion> about_kernel(const Evidence& evidence, const Policy& policy,
                                       const std::vector<Finding>& findings) {
    const Finding* worst = nullptr;
    for (const Finding& finding : findings) {
        const bool counts = makes_bad(finding.trouble, policy) &&
                            (finding.after_load || finding.trouble <= Trouble::oops);
        if (counts && (worst == nullptr || finding.trouble < worst->trouble)) {
            worst = &finding;
        }
    }
    const bool outlived = worst != nullptr && !worst->after_load && evidence.guest.ended;
    if (worst == nullptr || outlived) {
        return std::nullopt;
    }
    return Conclusion{
        verdict_for(worst->trouble),
        fmt::format("in the kernel's log, {}: {}",
                    worst->after_load ? "after the drivers were loaded" : stage(evidence.guest),
                    worst->line),
        worst->after_load ? std::nullopt : std::optional(status_cannot_tell)};
}

std::optional<Conclusion> about_time(const Evidence& evidence) {
    if (!evidence.timed_out) {
        return std::nullopt;
    }
    return Conclusion{Verdict::timed_out,
                      fmt::format("the guest was ended after {} s {}", evidence.limit_seconds,
                                  stage(evidence.guest)),
                      evidence.guest.loaded() ? std::nullopt : std::optional(status_cannot_tell)};
}

/// Node drivers are called "i915", "bochs-drm", "virtio_gpu".
bool has_bound(const GuestRecord& guest, std::string driver) {
    std::ranges::replace(driver, '-', '_');
    return std::ranges::any_of(guest.nodes, [&](const auto& node) {
        std::string bound = node.second;
        std::ranges::replace(bound, '-', '_');
        return bound.starts_with(driver);
    });
}

std::optional<Conclusion> about_boot(const Evidence& evidence) {
    const GuestRecord& guest = evidence.guest;
    if (guest.release.empty()) {
        const std::string why = evidence.qemu_errors.empty()
                                    ? "the guest's user space did not come up"
                                    : "QEMU said: " + last_lines(evidence.qemu_errors, 1);
        return Conclusion{Verdict::no_boot, why, {}};
    }
    for (const auto& [module, error] : guest.modules) {
        if (error != 0) {
            return Conclusion{Verdict::no_module,
                              fmt::format("{} could not be loaded: {}", module, errno_text(error)),
                              {}};
        }
    }
    if (guest.share_errno != 0) {
        return Conclusion{Verdict::no_boot,
                          fmt::format("the shared folder could not be mounted in the guest: {}",
                                      errno_text(guest.share_errno)),
                          {}};
    }
    if (guest.loaded()) {
        for (const std::string& driver : evidence.drivers) {
            if (!has_bound(guest, driver)) {
                return Conclusion{
                    Verdict::no_module,
                    fmt::format("{} was loaded, but drives no device: see the kernel's log",
                                driver),
                    {}};
            }
        }
    }
    return std::nullopt;
}

Conclusion about_exit(const Evidence& evidence, int exit_status) {
    switch (exit_status) {
    case 0:
        return {Verdict::success, "the command succeeded", {}};
    case skip_status:
        return {
            Verdict::skipped, "the command exited with status 77: it could not be measured", {}};
    case shell_cannot_execute:
    case shell_finds_nothing:
        return {Verdict::no_command,
                fmt::format("the command exited with status {}, as a shell does that finds no "
                            "program: name what it needs with --include",
                            exit_status),
                {}};
    default:
        break;
    }
    if (says_wrong_data(evidence.command_errors)) {
        return {Verdict::wrong_data, "what was read back is not what was uploaded", {}};
    }
    return {
        Verdict::command_failed, fmt::format("the command exited with status {}", exit_status), {}};
}

Conclusion about_command(const Evidence& evidence) {
    const GuestRecord& guest = evidence.guest;
    if (guest.unstarted) {
        return {Verdict::no_command,
                fmt::format("the command could not be started in the guest: {}",
                            errno_text(*guest.unstarted)),
                {}};
    }
    if (!guest.status) {
        return {Verdict::guest_killed, fmt::format("the guest ended {}", stage(guest)), {}};
    }
    if (WIFSIGNALED(*guest.status)) {
        return {
            Verdict::command_failed, fmt::format("the command {}", status_text(*guest.status)), {}};
    }
    return about_exit(evidence, WEXITSTATUS(*guest.status));
}

/// What the model does not know, and what is odd about the run: printed, and bad where it is
/// strict.
std::vector<std::string> find_complaints(const Evidence& evidence) {
    std::vector<std::string> complaints;
    if (!evidence.device) {
        return complaints;
    }
    const DeviceReport& device = *evidence.device;
    for (const auto& unknown : device.gpu.unknown_registers) {
        complaints.push_back(fmt::format("the model has no register {:#x} ({}), which was {}",
                                         unknown.offset, unknown.near,
                                         unknown.written ? "written" : "read"));
    }
    for (const std::string& unknown : device.gpu.unknown_commands) {
        complaints.push_back("the model has no such command: " + unknown);
    }
    if (device.link.missed_accesses > 0) {
        complaints.push_back(fmt::format("{} accesses went to none of the device's BARs",
                                         device.link.missed_accesses));
    }
    if (!device.link.trouble.empty()) {
        complaints.push_back("an interrupt was not delivered: " + device.link.trouble);
    }
    if (device.batches() > 0 && evidence.guest.after == 0U) {
        complaints.emplace_back("the GPU has executed batches, but no interrupt of its driver was "
                                "counted: waits have been timers");
    }
    return complaints;
}

std::optional<Conclusion> about_model(const Evidence& evidence, const Policy& policy,
                                      const std::vector<std::string>& complaints) {
    if (evidence.device && !evidence.device->gpu.faults.empty() &&
        !policy.allowed.contains(Trouble::refused_access) &&
        !policy.allowed.contains(Trouble::gpu_hang)) {
        return Conclusion{Verdict::refused_access,
                          "the GPU was not let go on: " + evidence.device->gpu.faults.front(),
                          {}};
    }
    if (policy.strict && !complaints.empty()) {
        return Conclusion{Verdict::complaint, complaints.front(), {}};
    }
    return std::nullopt;
}

Conclusion conclude(const Evidence& evidence, const Policy& policy,
                    const std::vector<Finding>& findings,
                    const std::vector<std::string>& complaints) {
    if (const auto emulator = about_emulator(evidence)) {
        return *emulator;
    }
    if (const auto kernel = about_kernel(evidence, policy, findings)) {
        return *kernel;
    }
    if (const auto time = about_time(evidence)) {
        return *time;
    }
    if (const auto boot = about_boot(evidence)) {
        return *boot;
    }
    const Conclusion command = about_command(evidence);
    if (command.verdict == Verdict::success) {
        return about_model(evidence, policy, complaints).value_or(command);
    }
    return command;
}

} // namespace

std::string_view verdict_name(Verdict verdict) {
    return row_of(verdict).name;
}

bool makes_bad(Trouble trouble, const Policy& policy) {
    return !policy.allowed.contains(trouble) && (!is_mere_complaint(trouble) || policy.strict);
}

Outcome classify(const Evidence& evidence, const Policy& policy) {
    std::vector<Finding> findings = find_trouble(evidence.kernel_log);
    std::vector<std::string> complaints = find_complaints(evidence);
    const Conclusion conclusion = conclude(evidence, policy, findings, complaints);
    return {conclusion.verdict, conclusion.status.value_or(row_of(conclusion.verdict).status),
            conclusion.sentence, std::move(findings), std::move(complaints)};
}

bool says_dropped_access(std::string_view qemu_errors) {
    return qemu_errors.find("Blocked re-entrant IO") != std::string_view::npos;
}

bool says_wrong_data(std::string_view command_errors) {
    return command_errors.find("wrong data, so nothing was measured") != std::string_view::npos;
}

} // namespace gem_upload::vm
