#include "util/standard_streams.h"

#include "util/error.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

namespace gem_upload {

void fill_closed_standard_streams() {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
        if (::fcntl(fd, F_GETFD) < 0 && errno == EBADF && ::open("/dev/null", O_RDONLY) < 0) {
            return;
        }
    }
}

void flush_standard_output() {
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
        throw failed_call("writing", "standard output", errno != 0 ? errno : EIO);
    }
}

} // namespace gem_upload
