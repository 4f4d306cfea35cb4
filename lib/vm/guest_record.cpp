#include "vm/guest_record.h"

#include "vm/lines.h"

#include <algorithm>
#include <fmt/format.h>

namespace gem_upload::vm {
namespace {

bool apply_number(GuestRecord& record, std::string_view name, std::int64_t value) {
    const int number = static_cast<int>(value);
    if (name == "share") {
        record.share_errno = number;
    } else if (name == "unstarted") {
        record.unstarted = number;
    } else if (name == "status") {
        record.status = number;
    } else if (name == "interrupts-before") {
        record.before = static_cast<std::uint64_t>(value);
    } else if (name == "interrupts-after") {
        record.after = static_cast<std::uint64_t>(value);
    } else {
        return false;
    }
    return true;
}

bool apply_module(GuestRecord& record, std::string_view rest) {
    const std::string_view name = take_word(rest);
    const auto error = number_in<int>(rest);
    if (error) {
        record.modules.emplace_back(name, *error);
        record.loading.clear();
    }
    return error.has_value();
}

/// The action's names in a line of /proc/interrupts, "i915" in " 22: 7 IO-APIC 22-fasteoi i915".
bool names_driver(std::string_view line, const std::vector<std::string>& drivers) {
    return std::ranges::any_of(drivers, [line](const std::string& driver) {
        const std::size_t at = line.rfind(driver);
        const auto ends_word = [line](std::size_t position) {
            return position >= line.size() || line[position] == ' ' || line[position] == ',' ||
                   line[position] == '-';
        };
        return at != std::string_view::npos && at > 0 && line[at - 1] == ' ' &&
               ends_word(at + driver.size());
    });
}

std::string_view without_blanks(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    return text;
}

} // namespace

bool GuestRecord::has_failed_module() const {
    return std::ranges::any_of(modules, [](const auto& module) { return module.second != 0; });
}

bool apply_line(GuestRecord& record, std::string_view line) {
    if (line == "running") {
        record.running = true;
        return true;
    }
    if (line == "ended") {
        record.ended = true;
        return true;
    }
    const std::string_view name = take_word(line);
    if (line.empty()) {
        return false;
    }
    if (name == "release") {
        record.release = line;
    } else if (name == "loading") {
        record.loading = line;
    } else if (name == "module") {
        return apply_module(record, line);
    } else if (name == "node") {
        const std::string_view node = take_word(line);
        record.nodes.emplace_back(node, line);
    } else {
        const auto value = number_in<std::int64_t>(line);
        return value && apply_number(record, name, *value);
    }
    return true;
}

std::string release_line(std::string_view release) {
    return fmt::format("release {}\n", release);
}
std::string loading_line(std::string_view module) {
    return fmt::format("loading {}\n", module);
}
std::string module_line(std::string_view module, int error) {
    return fmt::format("module {} {}\n", module, error);
}
std::string node_line(std::string_view node, std::string_view driver) {
    return fmt::format("node {} {}\n", node, driver);
}
std::string number_line(std::string_view name, std::int64_t value) {
    return fmt::format("{} {}\n", name, value);
}

std::uint64_t count_interrupts(std::string_view proc_interrupts,
                               const std::vector<std::string>& drivers) {
    std::uint64_t sum = 0;
    for (std::string_view line : lines_of(proc_interrupts)) {
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos || !names_driver(line, drivers)) {
            continue;
        }
        line = without_blanks(line.substr(colon + 1));
        while (const auto count = number_in<std::uint64_t>(line.substr(0, line.find(' ')))) {
            sum += *count;
            (void)take_word(line);
            line = without_blanks(line);
        }
    }
    return sum;
}

} // namespace gem_upload::vm
