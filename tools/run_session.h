// The loop of `gem-upload run`: every process of the order that is not recorded yet.
#pragma once

#include "run_directory.h"

namespace gem_upload::tools {

/// Measures what is left of the run and prints what happens; then makes the files and compares.
/// Returns the exit status: 0, 1 when something failed, 77 when everything was skipped, 128 plus
/// the signal when interrupted. Throws usage_error when a benchmark refuses its options,
/// failed_call when the record cannot be written; what was recorded before stays.
[[nodiscard]] int carry_out_run(RunDirectory& folder);

} // namespace gem_upload::tools
