#include "vm/byte_stream.h"

#include "util/error.h"

#include <cerrno>
#include <sys/socket.h>

namespace gem_upload::vm {

void ByteStream::read(const std::function<void(std::string_view text)>& take) {
    char buffer[65536];
    while (fd_) {
        const ssize_t count = ::recv(fd_.get(), buffer, sizeof buffer, MSG_DONTWAIT);
        if (count > 0) {
            take({buffer, static_cast<std::size_t>(count)});
        } else if (count == 0 || errno == ECONNRESET) {
            fd_ = UniqueFd();
        } else if (errno == EAGAIN) {
            return;
        } else if (errno != EINTR) {
            throw failed_call("reading from", "the guest", errno);
        }
    }
}

void ByteStream::write(std::string_view text) {
    if (::send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL) < 0 && errno != EPIPE) {
        throw failed_call("writing to", "the guest", errno);
    }
}

} // namespace gem_upload::vm
