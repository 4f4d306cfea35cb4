#include "vm_matrix.h"

#include "vm/outcome.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace gem_upload::tools {
namespace {

constexpr std::array<std::string_view, 5> state_names{"right", "skipped", "wrong", "complaint",
                                                      "cannot tell"};

bool has(const MatrixRow& row, CellState state) {
    return std::ranges::find(row.cells, state, &MatrixCell::state) != row.cells.end();
}

bool is_bad(const MatrixRow& row) {
    return row.status == vm::status_bad || has(row, CellState::wrong) ||
           has(row, CellState::complaint);
}

bool is_unknown(const MatrixRow& row) {
    return row.outcome.empty() || row.status != vm::status_good || has(row, CellState::unknown);
}

} // namespace

std::string_view cell_state_name(CellState state) {
    return state_names.at(static_cast<std::size_t>(state));
}

int matrix_status(const Matrix& matrix) {
    if (std::ranges::any_of(matrix.rows, is_bad)) {
        return vm::status_bad;
    }
    return std::ranges::any_of(matrix.rows, is_unknown) ? vm::status_cannot_tell : vm::status_good;
}

std::string short_title(const results::RunMethod& method) {
    std::string title = method.title();
    for (const std::string_view prefix : {"upload_blit_", "upload_"}) {
        if (title.starts_with(prefix)) {
            return title.substr(prefix.size());
        }
    }
    return title;
}

std::string count_cells(const MatrixRow& row) {
    std::string text;
    for (std::size_t i = 0; i < state_names.size(); ++i) {
        const auto count =
            std::ranges::count(row.cells, static_cast<CellState>(i), &MatrixCell::state);
        if (count > 0) {
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, state_names.at(i));
        }
    }
    return text;
}

} // namespace gem_upload::tools
