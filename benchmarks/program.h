// What every benchmark's binary does.
#pragma once

#include <string>

namespace gem_upload {

/// Measures the method called NAME ("upload_blit_large") as the command line asks, and returns the
/// exit status; errors are said on standard error.
[[nodiscard]] int run_benchmark(const std::string& name, int argc, char** argv);

} // namespace gem_upload
