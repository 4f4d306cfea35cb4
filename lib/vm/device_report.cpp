#include "vm/device_report.h"

#include "vm/lines.h"

#include <array>
#include <fmt/format.h>
#include <numeric>

namespace gem_upload::vm {
namespace {

struct Count {
    std::string_view name;
    std::uint64_t& (*in)(DeviceReport& report);
};

constexpr std::array<Count, 7> counts{{
    {"config-accesses", [](DeviceReport& r) -> std::uint64_t& { return r.link.config_accesses; }},
    {"bar-accesses", [](DeviceReport& r) -> std::uint64_t& { return r.link.bar_accesses; }},
    {"missed-accesses", [](DeviceReport& r) -> std::uint64_t& { return r.link.missed_accesses; }},
    {"messages", [](DeviceReport& r) -> std::uint64_t& { return r.link.messages; }},
    {"raised", [](DeviceReport& r) -> std::uint64_t& { return r.link.raised; }},
    {"interrupts", [](DeviceReport& r) -> std::uint64_t& { return r.gpu.interrupts; }},
    {"resets", [](DeviceReport& r) -> std::uint64_t& { return r.gpu.resets; }},
}};

constexpr std::string_view last_line = "end";

/// A sentence must not break its line.
std::string one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

void apply_engine(DeviceReport& report, std::string_view rest) {
    const std::string_view name = take_word(rest);
    const auto batches = number_in<std::uint64_t>(take_word(rest));
    const auto commands = number_in<std::uint64_t>(take_word(rest));
    const auto resets = number_in<std::uint64_t>(rest);
    if (batches && commands && resets) {
        report.gpu.engines.push_back({std::string(name), *batches, *commands, *resets});
    }
}

void apply_register(DeviceReport& report, std::string_view rest) {
    const auto offset = number_in<std::uint32_t>(take_word(rest), 16);
    const std::string_view use = take_word(rest);
    if (offset) {
        report.gpu.unknown_registers.push_back({*offset, std::string(rest),
                                                use.find('r') != std::string_view::npos,
                                                use.find('w') != std::string_view::npos});
    }
}

void apply(DeviceReport& report, std::string_view line) {
    const std::string_view name = take_word(line);
    for (const Count& count : counts) {
        if (name == count.name) {
            count.in(report) = number_in<std::uint64_t>(line).value_or(0);
        }
    }
    if (name == "engine") {
        apply_engine(report, line);
    } else if (name == "unknown-register") {
        apply_register(report, line);
    } else if (name == "unknown-command") {
        report.gpu.unknown_commands.emplace_back(line);
    } else if (name == "fault") {
        report.gpu.faults.emplace_back(line);
    } else if (name == "trouble") {
        report.link.trouble = line;
    } else if (name == last_line) {
        report.complete = true;
    }
}

} // namespace

std::uint64_t DeviceReport::batches() const {
    return std::accumulate(gpu.engines.begin(), gpu.engines.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const model::pci::EngineReport& engine) {
                               return sum + engine.batches;
                           });
}

std::string report_to_text(const DeviceReport& report) {
    std::string text;
    DeviceReport copy = report;
    for (const Count& count : counts) {
        text += fmt::format("{} {}\n", count.name, count.in(copy));
    }
    for (const model::pci::EngineReport& engine : report.gpu.engines) {
        text += fmt::format("engine {} {} {} {}\n", engine.name, engine.batches, engine.commands,
                            engine.resets);
    }
    for (const model::pci::UnknownRegister& unknown : report.gpu.unknown_registers) {
        text +=
            fmt::format("unknown-register {:x} {}{} {}\n", unknown.offset, unknown.read ? "r" : "",
                        unknown.written ? "w" : "", one_line(unknown.near));
    }
    for (const std::string& unknown : report.gpu.unknown_commands) {
        text += fmt::format("unknown-command {}\n", one_line(unknown));
    }
    for (const std::string& fault : report.gpu.faults) {
        text += fmt::format("fault {}\n", one_line(fault));
    }
    if (!report.link.trouble.empty()) {
        text += fmt::format("trouble {}\n", one_line(report.link.trouble));
    }
    return text + std::string(last_line) + "\n";
}

DeviceReport report_from_text(std::string_view text) {
    DeviceReport report;
    for (const std::string_view line : lines_of(text)) {
        apply(report, line);
    }
    return report;
}

} // namespace gem_upload::vm
