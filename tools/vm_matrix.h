// Chips by kernels by upload methods: what gem-upload vm --matrix finds out.
#pragma once

#include "results/run_record.h"

#include <string>
#include <string_view>
#include <vector>

namespace gem_upload::tools {

enum class CellState {
    right,
    skipped,   ///< the method says that it cannot be measured there
    wrong,     ///< wrong data, or the method failed
    complaint, ///< of the kernel, while the method ran
    unknown,   ///< it never came to the method's end, for a reason that is not the method's
};

[[nodiscard]] std::string_view cell_state_name(CellState state); ///< "cannot tell"

struct MatrixCell {
    CellState state = CellState::unknown;
    std::string reason = "not run"; ///< a sentence; empty for what is right
};

/// A chip on a kernel, which is one guest.
struct MatrixRow {
    std::string chip;
    std::string kernel;  ///< as it was named: "debian:6.12"
    std::string release; ///< "6.12.117+deb12-amd64"
    std::string outcome; ///< the guest's, "success", "gpu-hang"; empty: it has not ended
    int status = 0;      ///< of its gem-upload vm
    std::string sentence;
    std::vector<std::string> remarks; ///< what the model does not know
    double seconds = 0;
    std::vector<MatrixCell> cells{}; ///< a method each
};

struct Matrix {
    std::vector<results::RunMethod> methods;
    std::vector<MatrixRow> rows;
    bool complete = false; ///< every guest has ended
};

/// What stands in every output.
inline constexpr std::string_view matrix_note =
    "The GPUs are modelled (model:CHIP): this says what the kernels' drivers do with them, and "
    "measures nothing.";

/// 0 right or skipped; 1 something wrong, or a kernel that complains; 125 something unknown.
[[nodiscard]] int matrix_status(const Matrix& matrix);

/// "large_gtt:staged": a method's name in a column's head.
[[nodiscard]] std::string short_title(const results::RunMethod& method);

/// "7 right, 1 skipped"
[[nodiscard]] std::string count_cells(const MatrixRow& row);

// The forms.
[[nodiscard]] std::string matrix_to_text(const Matrix& matrix);
[[nodiscard]] std::string matrix_to_markdown(const Matrix& matrix);
[[nodiscard]] std::string matrix_to_json(const Matrix& matrix);
/// Documentation/dev-tools/ktap.rst: a subtest a row.
[[nodiscard]] std::string matrix_to_ktap(const Matrix& matrix);

} // namespace gem_upload::tools
