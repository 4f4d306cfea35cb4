// What every benchmark's binary does.
#pragma once

namespace gem_upload {

namespace bench {
struct Method;
}

/// Measures METHOD as the command line asks, and returns the exit status; errors are said on
/// standard error.
[[nodiscard]] int run_benchmark(const bench::Method& method, int argc, char** argv);

} // namespace gem_upload
