// The table for people, as text and as Markdown.
#include "vm_matrix.h"

#include <algorithm>
#include <fmt/format.h>

namespace gem_upload::tools {
namespace {

using Line = std::vector<std::string>;

/// The table's lines, and what their notes say.
struct Grid {
    std::vector<Line> lines; ///< the first is the head
    std::vector<std::string> notes;
};

/// "skipped [2]"; the same reason has the same number everywhere.
std::string with_note(std::string_view word, const std::string& reason, Grid& grid) {
    if (reason.empty()) {
        return std::string(word);
    }
    auto note = std::ranges::find(grid.notes, reason);
    if (note == grid.notes.end()) {
        grid.notes.push_back(reason);
        note = grid.notes.end() - 1;
    }
    return fmt::format("{} [{}]", word, note - grid.notes.begin() + 1);
}

std::string guest_word(const MatrixRow& row, Grid& grid) {
    if (row.outcome.empty()) {
        return "-";
    }
    return row.outcome == "success" ? "ended well" : with_note(row.outcome, row.sentence, grid);
}

Grid make_grid(const Matrix& matrix) {
    Grid grid;
    Line& head = grid.lines.emplace_back(Line{"chip", "kernel"});
    for (const results::RunMethod& method : matrix.methods) {
        head.push_back(short_title(method));
    }
    head.emplace_back("guest");
    for (const MatrixRow& row : matrix.rows) {
        Line line{row.chip, row.kernel};
        for (const MatrixCell& cell : row.cells) {
            line.push_back(with_note(cell_state_name(cell.state), cell.reason, grid));
        }
        line.push_back(guest_word(row, grid));
        grid.lines.push_back(std::move(line));
    }
    return grid;
}

std::string columns(const Grid& grid) {
    std::vector<std::size_t> widths(grid.lines.front().size());
    for (const Line& line : grid.lines) {
        for (std::size_t i = 0; i < line.size(); ++i) {
            widths[i] = std::max(widths[i], line[i].size());
        }
    }
    std::string text;
    for (const Line& line : grid.lines) {
        for (std::size_t i = 0; i + 1 < line.size(); ++i) {
            text += fmt::format("{:<{}}  ", line[i], widths[i]);
        }
        text += line.back() + "\n";
    }
    return text;
}

/// Each kernel once: what its name stood for.
std::vector<std::string> releases(const Matrix& matrix) {
    std::vector<std::string> lines;
    for (const MatrixRow& row : matrix.rows) {
        std::string line = fmt::format("{} is {}", row.kernel, row.release);
        if (std::ranges::find(lines, line) == lines.end()) {
            lines.push_back(std::move(line));
        }
    }
    return lines;
}

std::string markdown_line(const Line& line) {
    std::string text = "|";
    for (std::string cell : line) {
        for (std::size_t bar = 0; (bar = cell.find('|', bar)) != std::string::npos; bar += 2) {
            cell.insert(bar, 1, '\\');
        }
        text += " " + cell + " |";
    }
    return text + "\n";
}

} // namespace

std::string matrix_to_text(const Matrix& matrix) {
    const Grid grid = make_grid(matrix);
    std::string text = columns(grid) + "\n";
    for (std::size_t i = 0; i < grid.notes.size(); ++i) {
        text += fmt::format("[{}] {}\n", i + 1, grid.notes[i]);
    }
    for (const std::string& line : releases(matrix)) {
        text += line + "\n";
    }
    return text + std::string(matrix_note) + "\n";
}

std::string matrix_to_markdown(const Matrix& matrix) {
    const Grid grid = make_grid(matrix);
    std::string text =
        markdown_line(grid.lines.front()) + markdown_line(Line(grid.lines.front().size(), "---"));
    for (std::size_t i = 1; i < grid.lines.size(); ++i) {
        text += markdown_line(grid.lines[i]);
    }
    text += "\n";
    for (std::size_t i = 0; i < grid.notes.size(); ++i) {
        text += fmt::format("- [{}] {}\n", i + 1, grid.notes[i]);
    }
    for (const std::string& line : releases(matrix)) {
        text += fmt::format("- {}\n", line);
    }
    return text + "\n" + std::string(matrix_note) + "\n";
}

} // namespace gem_upload::tools
