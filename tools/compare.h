// What `gem-upload compare` prints, for other subcommands that end with it.
#pragma once

#include <cstdio>
#include <string>

namespace gem_upload::tools {

/// Prints to `out` what `gem-upload compare FOLDER` prints. Throws usage_error for a folder that is
/// not a run or holds no sample, failed_call when it cannot be written.
void print_comparison(std::FILE* out, const std::string& folder);

} // namespace gem_upload::tools
