#include "vm_matrix_guest.h"

#include "vm/kernel_log.h"
#include "vm/lines.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

namespace gem_upload::tools {
namespace {

constexpr std::string_view mark = "gem-upload-matrix: ";
/// Through the aperture, each store is a message to the device: with more pixels g33 takes minutes.
constexpr std::string_view geometry = "--width 16 --height 16 --iterations 3 --verify every";
constexpr int method_seconds = 100; // some twenty times what the slowest takes
constexpr int skip_status = 77;
constexpr int killed_status = 128 + 9;

/// "upload_blit_large: no such thing" without the name in front, which the table has.
std::string without_name(std::string_view text, const std::string& name) {
    if (text.starts_with(name + ": ")) {
        text.remove_prefix(name.size() + 2);
    }
    return std::string(text);
}

/// By what the method's exit status and its last line on standard error say.
MatrixCell told_cell(int status, std::string_view text, const results::RunMethod& method) {
    std::string sentence = without_name(text, method.method);
    switch (status) {
    case 0:
        return {CellState::right, ""};
    case skip_status:
        return {CellState::skipped, std::move(sentence)};
    case killed_status:
        return {CellState::wrong, fmt::format("still running after {} s", method_seconds)};
    default:
        return {CellState::wrong, sentence.empty() ? fmt::format("exited with status {}", status)
                                                   : std::move(sentence)};
    }
}

void take_output(std::vector<MatrixCell>& cells, const std::vector<results::RunMethod>& methods,
                 std::string_view output) {
    for (std::string_view line : vm::lines_of(output)) {
        if (!line.starts_with(mark)) {
            continue;
        }
        line.remove_prefix(mark.size());
        const auto number = vm::number_in<std::size_t>(vm::take_word(line));
        const auto status = vm::number_in<int>(vm::take_word(line));
        if (number && status && *number < cells.size()) {
            cells[*number] = told_cell(*status, line, methods.at(*number));
        }
    }
}

/// The kernel's log from each method's beginning to the next one's.
std::vector<std::string> log_sections(std::string_view log, std::size_t methods) {
    std::vector<std::string> sections(methods);
    std::optional<std::size_t> current;
    for (const std::string_view line : vm::lines_of(log)) {
        const std::size_t at = line.find(mark);
        if (at != std::string_view::npos) {
            current = vm::number_in<std::size_t>(line.substr(at + mark.size()));
        } else if (current && *current < methods) {
            sections[*current].append(line).append("\n");
        }
    }
    return sections;
}

/// The worst in a section that the policy does not allow.
std::optional<vm::Finding> worst_in(std::string_view section, const vm::Policy& policy) {
    std::optional<vm::Finding> worst;
    for (const vm::Finding& finding : vm::find_trouble(section)) {
        if (vm::makes_bad(finding.trouble, policy) &&
            (!worst || finding.trouble < worst->trouble)) {
            worst = finding;
        }
    }
    return worst;
}

void take_log(std::vector<MatrixCell>& cells, std::string_view log, const vm::Policy& policy) {
    const std::vector<std::string> sections = log_sections(log, cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (const auto worst = worst_in(sections[i], policy)) {
            std::string reason =
                fmt::format("{}: {}", vm::trouble_name(worst->trouble), worst->line);
            if (cells[i].state == CellState::wrong) {
                reason += "; and " + cells[i].reason;
            }
            cells[i] = {CellState::complaint, std::move(reason)};
        }
    }
}

std::string last_line(std::string_view text) {
    std::string line = vm::last_lines(text, 1);
    std::erase(line, '\n');
    constexpr std::string_view prefix = "gem-upload vm: ";
    return line.starts_with(prefix) ? line.substr(prefix.size()) : line;
}

void take_record(MatrixRow& row, const GuestRemains& remains) {
    using nlohmann::json;
    row.status = remains.status;
    const json record = json::parse(remains.record, nullptr, false);
    if (!record.is_object()) {
        row.outcome = remains.status > vm::status_broken_input ? "interrupted" : "not-started";
        row.sentence = last_line(remains.errors);
        return;
    }
    row.outcome = record.value("outcome", "");
    row.sentence = record.value("sentence", "");
    row.remarks = record.value("complaints", std::vector<std::string>{});
    row.seconds = record.value("/seconds/end"_json_pointer, 0.0);
}

} // namespace

std::string matrix_script(const std::vector<results::RunMethod>& methods) {
    std::string script =
        fmt::format("run() {{\n"
                    "  number=$1; shift\n"
                    "  echo \"{0}$number\" >/dev/kmsg\n"
                    "  timeout -s KILL {1} \"$@\" >/dev/null 2>/tmp/errors </dev/null\n"
                    "  status=$?\n"
                    "  echo \"{0}$number $status $(tail -n 1 /tmp/errors)\"\n"
                    "}}\n",
                    mark, method_seconds);
    for (std::size_t i = 0; i < methods.size(); ++i) {
        const results::RunMethod& method = methods[i];
        script += fmt::format("run {} {} {}{}\n", i, method.method, geometry,
                              method.variant.empty() ? "" : " --variant " + method.variant);
    }
    return script + fmt::format("echo '{}end' >/dev/kmsg\n", mark);
}

void judge_guest(MatrixRow& row, const std::vector<results::RunMethod>& methods,
                 const GuestRemains& remains, const vm::Policy& policy) {
    take_record(row, remains);
    row.cells.assign(methods.size(), {CellState::unknown, row.sentence});
    take_output(row.cells, methods, remains.output);
    take_log(row.cells, remains.kernel_log, policy);
}

} // namespace gem_upload::tools
