#include "vm_matrix.h"

#include "vm/outcome.h"

#include <algorithm>
#include <fmt/format.h>

namespace gem_upload::tools {
namespace {

/// A test point: what stands before its number, and after its name.
struct Point {
    bool good;
    std::string directive; ///< "SKIP REASON"; empty: none
};

std::string one_line(std::string text) {
    std::ranges::replace(text, '\n', ' ');
    return text;
}

/// A '#' would begin a directive.
std::string description(std::string text) {
    std::ranges::replace(text, '#', '_');
    return one_line(text);
}

std::string point_line(std::string_view indent, const Point& point, std::size_t number,
                       const std::string& name) {
    return fmt::format("{}{} {} {}{}\n", indent, point.good ? "ok" : "not ok", number,
                       description(name),
                       point.directive.empty() ? "" : " # " + one_line(point.directive));
}

Point cell_point(const MatrixCell& cell) {
    switch (cell.state) {
    case CellState::right:
        return {true, ""};
    case CellState::skipped:
        return {true, "SKIP " + cell.reason};
    case CellState::unknown:
        return {false, "ERROR " + cell.reason};
    case CellState::wrong:
    case CellState::complaint:
        break;
    }
    return {false, ""};
}

Point guest_point(const MatrixRow& row) {
    if (row.outcome.empty()) {
        return {false, "ERROR not run"};
    }
    if (row.status == vm::status_good || row.status == vm::status_bad) {
        return {row.status == vm::status_good, ""};
    }
    return {false, fmt::format("ERROR {}: {}", row.outcome, row.sentence)};
}

/// What a failing point says goes before it.
std::string diagnostic(const Point& point, const std::string& reason) {
    return point.good || !point.directive.empty() ? "" : fmt::format("  # {}\n", one_line(reason));
}

std::string row_name(const MatrixRow& row) {
    return fmt::format("model:{} {}", row.chip, row.kernel);
}

Point row_point(const MatrixRow& row) {
    const bool good = guest_point(row).good && std::ranges::all_of(row.cells, [](const auto& cell) {
                          return cell_point(cell).good;
                      });
    const bool nothing_run = std::ranges::all_of(
        row.cells, [](const MatrixCell& cell) { return cell.state == CellState::skipped; });
    return {good, good && nothing_run ? "SKIP no method could be run" : ""};
}

std::string subtest(const Matrix& matrix, const MatrixRow& row) {
    std::string text = fmt::format("  KTAP version 1\n  # Subtest: {}\n  # {}\n  1..{}\n",
                                   description(row_name(row)), row.release, row.cells.size() + 1);
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
        const Point point = cell_point(row.cells[i]);
        const std::string name = matrix.methods.at(i).title();
        text += diagnostic(
            point, fmt::format("{}: {}", cell_state_name(row.cells[i].state), row.cells[i].reason));
        text += point_line("  ", point, i + 1, name);
    }
    const Point point = guest_point(row);
    text += diagnostic(point, fmt::format("{}: {}", row.outcome, row.sentence));
    return text + point_line("  ", point, row.cells.size() + 1, "the guest ends well");
}

} // namespace

std::string matrix_to_ktap(const Matrix& matrix) {
    std::string text =
        fmt::format("KTAP version 1\n# {}\n1..{}\n", matrix_note, matrix.rows.size());
    for (std::size_t i = 0; i < matrix.rows.size(); ++i) {
        const MatrixRow& row = matrix.rows[i];
        text += subtest(matrix, row);
        text += point_line("", row_point(row), i + 1, row_name(row));
    }
    return text;
}

} // namespace gem_upload::tools
