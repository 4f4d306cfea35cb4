// gem-upload vm --matrix.
#pragma once

#include "vm_options.h"

namespace gem_upload::tools {

/// Boots a guest for each chip and kernel, and prints what became of the methods there. Returns the
/// exit status. Throws failure, and vm::Interrupted once what was finished has been printed.
[[nodiscard]] int run_matrix(const VmOptions& options);

} // namespace gem_upload::tools
