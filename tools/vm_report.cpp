#include "vm_report.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>

namespace gem_upload::tools {
namespace {

using vm::Verdict;

constexpr std::size_t shown_lines = 25;

/// Whether the end of the kernel's log tells what the sentence cannot.
bool log_helps(Verdict verdict) {
    switch (verdict) {
    case Verdict::panic:
    case Verdict::oops:
    case Verdict::lockdep:
    case Verdict::lockup:
    case Verdict::timed_out:
    case Verdict::no_boot:
    case Verdict::no_module:
    case Verdict::guest_killed:
        return true;
    default:
        return false;
    }
}

/// Each once, with how often it came.
void print_findings(std::vector<vm::Finding> findings) {
    std::ranges::stable_sort(findings);
    for (auto finding = findings.begin(); finding != findings.end();) {
        const auto next = std::ranges::upper_bound(finding, findings.end(), *finding);
        const auto count = next - finding;
        fmt::print(stderr, "gem-upload vm: in the kernel's log ({}{}{}): {}\n",
                   vm::trouble_name(finding->trouble),
                   finding->after_load ? "" : ", before the drivers were loaded",
                   count > 1 ? fmt::format(", {} times", count) : "", finding->line);
        finding = next;
    }
}

void print_work(const vm::Evidence& evidence) {
    if (!evidence.device) {
        return;
    }
    std::string engines;
    for (const model::pci::EngineReport& engine : evidence.device->gpu.engines) {
        engines += fmt::format(", {} {} batches", engine.name, engine.batches);
    }
    const std::string counted = evidence.guest.after
                                    ? fmt::format("{} interrupts", *evidence.guest.after)
                                    : "no count of interrupts";
    fmt::print(stderr, "gem-upload vm: {} of the driver by the kernel{}\n", counted, engines);
}

} // namespace

void say(std::string_view line) {
    fmt::print(stderr, "gem-upload vm: {}\n", line);
}

void print_outcome(const VmOptions& options, const VmRecord& record) {
    const vm::Outcome& outcome = record.outcome;
    if (log_helps(outcome.verdict) && !record.evidence.kernel_log.empty()) {
        fmt::print(stderr, "gem-upload vm: the kernel's log ends with:\n{}",
                   vm::last_lines(record.evidence.kernel_log, shown_lines));
        if (!record.evidence.kernel_log.ends_with('\n')) {
            fmt::print(stderr, "\n");
        }
    }
    if (outcome.verdict == Verdict::dropped_access || outcome.verdict == Verdict::guest_killed ||
        outcome.verdict == Verdict::no_boot) {
        fmt::print(stderr, "{}", vm::last_lines(record.evidence.qemu_errors, shown_lines));
    }
    print_findings(outcome.findings);
    for (const std::string& complaint : outcome.complaints) {
        say(complaint);
    }
    print_work(record.evidence);
    if (options.chip != nullptr && record.evidence.guest.running) {
        fmt::print(stderr,
                   "gem-upload vm: all figures are of a modelled GPU (model:{}) and say nothing "
                   "about any GPU\n",
                   options.chip->name);
    }
    fmt::print(stderr, "gem-upload vm: {}: {} ({:.1f} s)\n", vm::verdict_name(outcome.verdict),
               outcome.sentence, record.times.end);
}

} // namespace gem_upload::tools
