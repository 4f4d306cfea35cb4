#include "vm_matrix.h"

#include <nlohmann/json.hpp>

namespace gem_upload::tools {
namespace {

using nlohmann::json;

json cell_json(const results::RunMethod& method, const MatrixCell& cell) {
    return {{"method", method.method},
            {"variant", method.variant},
            {"result", cell_state_name(cell.state)},
            {"reason", cell.reason}};
}

json row_json(const Matrix& matrix, const MatrixRow& row) {
    json cells = json::array();
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
        cells.push_back(cell_json(matrix.methods.at(i), row.cells[i]));
    }
    const bool ended = !row.outcome.empty();
    return {{"gpu", "model:" + row.chip},
            {"kernel", row.kernel},
            {"release", row.release},
            {"outcome", ended ? json(row.outcome) : json(nullptr)},
            {"status", ended ? json(row.status) : json(nullptr)},
            {"sentence", row.sentence},
            {"remarks", row.remarks},
            {"guest_seconds", row.seconds},
            {"cells", cells}};
}

} // namespace

std::string matrix_to_json(const Matrix& matrix) {
    json rows = json::array();
    for (const MatrixRow& row : matrix.rows) {
        rows.push_back(row_json(matrix, row));
    }
    const json whole = {{"schema", "gem-upload-matrix/1"},
                        {"note", matrix_note},
                        {"complete", matrix.complete},
                        {"status", matrix_status(matrix)},
                        {"rows", rows}};
    return whole.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

} // namespace gem_upload::tools
