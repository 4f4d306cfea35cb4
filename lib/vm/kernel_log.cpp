#include "vm/kernel_log.h"

#include "vm/guest_record.h"
#include "vm/lines.h"

#include <algorithm>
#include <array>
#include <utility>

namespace gem_upload::vm {
namespace {

constexpr std::array<std::pair<Trouble, std::string_view>, 8> names{{
    {Trouble::panic, "panic"},
    {Trouble::oops, "oops"},
    {Trouble::lockdep, "lockdep"},
    {Trouble::lockup, "lockup"},
    {Trouble::gpu_hang, "gpu-hang"},
    {Trouble::refused_access, "refused-access"},
    {Trouble::warning, "warning"},
    {Trouble::error, "error"},
}};

/// Where in the line a text must stand.
enum class Where { begin, anywhere };

struct Sign {
    Trouble trouble;
    Where where;
    std::string_view text;
};

/// The first that fits counts: the special ones stand before the general.
constexpr std::array signs{
    Sign{Trouble::panic, Where::begin, "Kernel panic - not syncing"},
    // "[ INFO: ... ]" before 4.11, "WARNING: ..." since.
    Sign{Trouble::lockdep, Where::anywhere, ": possible circular locking dependency detected"},
    Sign{Trouble::lockdep, Where::anywhere, ": possible recursive locking detected"},
    Sign{Trouble::lockdep, Where::anywhere, ": possible irq lock inversion dependency detected"},
    Sign{Trouble::lockdep, Where::anywhere, ": inconsistent lock state"},
    Sign{Trouble::lockdep, Where::anywhere, ": bad unlock balance detected"},
    Sign{Trouble::lockdep, Where::anywhere, ": held lock freed"},
    Sign{Trouble::lockdep, Where::anywhere, ": lock held when returning to user space"},
    Sign{Trouble::lockdep, Where::anywhere, ": suspicious RCU usage"},
    Sign{Trouble::lockdep, Where::anywhere, ": Nested lock was not taken"},
    Sign{Trouble::lockdep, Where::anywhere, "-safe -> "}, // "SOFTIRQ-safe -> SOFTIRQ-unsafe"
    Sign{Trouble::lockdep, Where::anywhere, "DEBUG_LOCKS_WARN_ON"},
    Sign{Trouble::lockdep, Where::begin, "INFO: trying to register non-static key"},
    Sign{Trouble::lockdep, Where::anywhere, "BUG: Invalid wait context"},
    Sign{Trouble::lockup, Where::anywhere, "BUG: soft lockup"},
    Sign{Trouble::lockup, Where::anywhere, "Watchdog detected hard LOCKUP"},
    Sign{Trouble::lockup, Where::begin, "BUG: workqueue lockup"},
    Sign{Trouble::lockup, Where::begin, "INFO: task "},
    Sign{Trouble::lockup, Where::anywhere, "detected stalls on CPUs/tasks"},
    Sign{Trouble::lockup, Where::anywhere, "self-detected stall on CPU"},
    Sign{Trouble::oops, Where::begin, "BUG: "},
    Sign{Trouble::oops, Where::begin, "kernel BUG at "},
    Sign{Trouble::oops, Where::begin, "Oops: "},
    Sign{Trouble::oops, Where::begin, "UBSAN: "},
    Sign{Trouble::oops, Where::begin, "general protection fault, "},
    Sign{Trouble::oops, Where::begin, "general protection fault: "},
    Sign{Trouble::oops, Where::begin, "invalid opcode: "},
    Sign{Trouble::oops, Where::begin, "divide error: "},
    Sign{Trouble::oops, Where::begin, "stack segment: "},
    Sign{Trouble::oops, Where::begin, "traps: PANIC: double fault"},
    Sign{Trouble::gpu_hang, Where::anywhere, "GPU HANG: ecode"},
    Sign{Trouble::gpu_hang, Where::anywhere, "GPU recovery failed"},
    Sign{Trouble::gpu_hang, Where::anywhere, "declaring wedged"},
    Sign{Trouble::refused_access, Where::anywhere, "DMAR: [DMA "},
    Sign{Trouble::refused_access, Where::anywhere, "[IO_PAGE_FAULT "},
    Sign{Trouble::refused_access, Where::begin, "Lockdown: "},
    Sign{Trouble::refused_access, Where::anywhere, "Unexpected fault"},
    Sign{Trouble::refused_access, Where::begin, "unchecked MSR access error"},
    Sign{Trouble::warning, Where::begin, "WARNING: "},
    Sign{Trouble::warning, Where::begin, "refcount_t: "},
    Sign{Trouble::error, Where::anywhere, "*ERROR*"},
};

/// "[    4.221054] text", with "[    T123]" behind the time where callers are logged.
std::string_view without_stamp(std::string_view line) {
    while (line.starts_with('[')) {
        const std::size_t end = line.find(']');
        const std::string_view inside = line.substr(1, end == std::string_view::npos ? 0 : end - 1);
        if (inside.empty() ||
            inside.find_first_not_of(" .0123456789TC") != std::string_view::npos) {
            break;
        }
        line.remove_prefix(end + 1);
        line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    }
    return line;
}

} // namespace

std::string_view trouble_name(Trouble trouble) {
    return std::ranges::find(names, trouble, &decltype(names)::value_type::first)->second;
}

std::optional<Trouble> trouble_from_name(std::string_view name) {
    const auto* const entry = std::ranges::find(names, name, &decltype(names)::value_type::second);
    return entry == names.end() ? std::nullopt : std::optional(entry->first);
}

std::vector<std::string> trouble_names() {
    std::vector<std::string> all;
    for (const auto& [trouble, name] : names) {
        all.emplace_back(name);
    }
    return all;
}

std::optional<Trouble> trouble_in_line(std::string_view line) {
    line = without_stamp(line);
    for (const Sign& sign : signs) {
        const bool here = sign.where == Where::begin
                              ? line.starts_with(sign.text)
                              : line.find(sign.text) != std::string_view::npos;
        if (here) {
            return sign.trouble;
        }
    }
    return std::nullopt;
}

std::vector<Finding> find_trouble(std::string_view log) {
    std::vector<Finding> findings;
    bool after_load = false;
    const std::string whole = std::string(log) + "\n"; // a guest that dies does not end its line
    for (const std::string_view line : lines_of(whole)) {
        after_load = after_load || line.find(loaded_mark) != std::string_view::npos;
        if (const auto trouble = trouble_in_line(line)) {
            findings.push_back({*trouble, std::string(without_stamp(line)), after_load});
        }
    }
    return findings;
}

std::string last_lines(std::string_view log, std::size_t lines) {
    std::size_t begin = log.size();
    while (begin > 0 && lines > 0) {
        const std::size_t newline = log.rfind('\n', begin - 1);
        lines -= begin == log.size() && newline == begin - 1 ? 0U : 1U;
        begin = newline == std::string_view::npos ? 0 : newline;
    }
    begin += begin > 0 ? 1 : 0;
    return std::string(log.substr(begin));
}

} // namespace gem_upload::vm
