// One guest of the matrix: what it is told to do, and what it has told when it has ended.
#pragma once

#include "results/run_record.h"
#include "vm/outcome.h"
#include "vm_matrix.h"

#include <string>
#include <string_view>
#include <vector>

namespace gem_upload::tools {

/// A script for the guest's sh: each method once, small, every upload verified. It writes a line a
/// method, and marks in the kernel's log where each begins.
[[nodiscard]] std::string matrix_script(const std::vector<results::RunMethod>& methods);

/// What must be on the guest's kernel command line, so that no mark is left out.
inline constexpr const char* matrix_kernel_words = "printk.devkmsg=on";

/// What a guest has left; all of it may end anywhere.
struct GuestRemains {
    std::string output;     ///< the script's
    std::string kernel_log; ///< whole
    std::string record;     ///< gem-upload vm --json; empty where it wrote none
    std::string errors;     ///< of gem-upload vm
    int status = 0;         ///< its exit status
};

/// Fills in ROW's outcome and cells, for METHODS.
void judge_guest(MatrixRow& row, const std::vector<results::RunMethod>& methods,
                 const GuestRemains& remains, const vm::Policy& policy);

} // namespace gem_upload::tools
