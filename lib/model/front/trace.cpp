#include "model/front/trace.h"

#include "util/error.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/syscall.h>

namespace gem_upload::model {
namespace {

/// Past the layer's own open(), which redirects.
UniqueFd open_directly(const std::string& path) {
    return UniqueFd{static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path.c_str(),
                                               O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666))};
}

} // namespace

Trace::Trace(const std::string& path) {
    if (path.empty()) {
        return;
    }
    fd_ = open_directly(path);
    if (!fd_) {
        throw failed_call("opening the trace", path, errno);
    }
}

void Trace::record(std::string_view name, std::string_view arguments, int result) {
    const std::string line =
        result < 0 ? fmt::format("{} {} = -1 {}\n", name, arguments, strerrorname_np(-result))
                   : fmt::format("{} {} = {}\n", name, arguments, result);
    // Appended in one write; a full disk must not stop the program that is traced.
    [[maybe_unused]] const ssize_t written = ::write(fd_.get(), line.data(), line.size());
}

} // namespace gem_upload::model
