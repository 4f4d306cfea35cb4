#include "vm/mpqemu_socket.h"

#include "util/error.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <sys/socket.h>

namespace gem_upload::vm {
namespace {

void receive_descriptors(msghdr& header, std::vector<UniqueFd>& descriptors) {
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

/// Of the descriptors that have come, how many are this message's; the rest came with the next.
std::size_t descriptors_of(const Message& message, std::size_t received) {
    if (const auto* const sync = std::get_if<SyncMemory>(&message)) {
        return sync->ranges.size();
    }
    constexpr std::size_t interrupt_descriptors = 2; // raise, and end of interrupt
    return std::holds_alternative<SetInterruptDescriptors>(message)
               ? std::min(received, interrupt_descriptors)
               : 0;
}

} // namespace

/// Until the buffer holds BYTES; false at the end of the connection.
bool MpqemuSocket::fill(std::size_t bytes) {
    while (filled_ < bytes) {
        alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * most_descriptors)];
        iovec piece{buffer_.data() + filled_, buffer_.size() - filled_};
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
        receive_descriptors(header, descriptors_);
        filled_ += static_cast<std::size_t>(count);
    }
    return true;
}

std::vector<UniqueFd> MpqemuSocket::take_descriptors(std::size_t count) {
    const auto end = descriptors_.begin() + static_cast<std::ptrdiff_t>(count);
    std::vector<UniqueFd> taken(std::make_move_iterator(descriptors_.begin()),
                                std::make_move_iterator(end));
    descriptors_.erase(descriptors_.begin(), end);
    return taken;
}

std::optional<ReceivedMessage> MpqemuSocket::receive() {
    if (!fill(header_bytes)) {
        return std::nullopt;
    }
    const Header header = decode_header(std::span(buffer_).first<header_bytes>());
    const std::size_t whole = header_bytes + header.payload_bytes;
    if (!fill(whole)) {
        return std::nullopt;
    }
    Message message =
        decode_message(header, std::span(buffer_).subspan(header_bytes, header.payload_bytes),
                       descriptors_.size());
    std::vector<UniqueFd> descriptors =
        take_descriptors(descriptors_of(message, descriptors_.size()));
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(whole),
              buffer_.begin() + static_cast<std::ptrdiff_t>(filled_), buffer_.begin());
    filled_ -= whole;
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
