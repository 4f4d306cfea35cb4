// The ioctls of a benchmark, as the software GPU traced them, cut into iterations.
#pragma once

#include <string>
#include <vector>

namespace gem_upload::testing_support {

/// One iteration's calls in order, each as NAME(role, what matters), separated by blanks:
/// "BUSY(source,idle) MADVISE(source,WILLNEED) PWRITE(source,0+3686400) ...". The roles are
/// those of the EXECBUFFER2 that ends the iteration: destination, source, batch; else other.
struct Trace {
    std::vector<std::string> iterations;
    std::string end; ///< what follows the last iteration
};

/// Reads `gem-upload model --trace`'s file. An iteration ends with the MADVISE(DONTNEED) of its
/// source, and with the CLOSEs that libdrm adds there for objects idle for a second.
[[nodiscard]] Trace read_trace(const std::string& path);

} // namespace gem_upload::testing_support
