#include "vm/mpqemu_socket.h"

#include "util/error.h"

#include <cerrno>
#include <cstring>
#include <sys/socket.h>

namespace gem_upload::vm {
namespace {

void take_descriptors(msghdr& header, std::vector<UniqueFd>& descriptors) {
    for (cmsghdr* control = CMSG_FIRSTHDR(&header); control != nullptr;
         control = CMSG_NXTHDR(&header, control)) {
        if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS) {
            continue;
        }
        const std::size_t count = (control->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(control) + i * sizeof fd, sizeof fd);
            descriptors.emplace_back(fd);
        }
    }
}

} // namespace

bool MpqemuSocket::fill(std::byte* data, std::size_t bytes, std::vector<UniqueFd>& descriptors) {
    std::size_t filled = 0;
    while (filled < bytes) {
        alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * most_descriptors)];
        iovec piece{data + filled, bytes - filled};
        msghdr header{};
        header.msg_iov = &piece;
        header.msg_iovlen = 1;
        header.msg_control = control;
        header.msg_controllen = sizeof control;
        const ssize_t count = ::recvmsg(socket_.get(), &header, MSG_CMSG_CLOEXEC);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0 && errno != ECONNRESET) {
            throw failed_call("reading", "QEMU's multi-process socket", errno);
        }
        if (count <= 0) {
            return false;
        }
        take_descriptors(header, descriptors);
        filled += static_cast<std::size_t>(count);
    }
    return true;
}

std::optional<ReceivedMessage> MpqemuSocket::receive() {
    std::vector<UniqueFd> descriptors;
    std::array<std::byte, header_bytes> head{};
    if (!fill(head.data(), head.size(), descriptors)) {
        return std::nullopt;
    }
    const Header header = decode_header(head);
    std::vector<std::byte> payload(header.payload_bytes);
    if (!fill(payload.data(), payload.size(), descriptors)) {
        return std::nullopt;
    }
    Message message = decode_message(header, payload, descriptors.size());
    return ReceivedMessage{std::move(message), std::move(descriptors)};
}

void MpqemuSocket::answer(std::uint64_t value) {
    const auto bytes = encode_answer(value);
    // It is far smaller than a socket's buffer, and nothing else is written: it goes out whole.
    if (::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) < 0 && errno != EPIPE &&
        errno != ECONNRESET) {
        throw failed_call("answering", "QEMU's multi-process socket", errno);
    }
}

} // namespace gem_upload::vm
