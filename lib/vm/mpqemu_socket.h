// The socket that carries the messages of QEMU's multi-process protocol.
#pragma once

#include "util/unique_fd.h"
#include "vm/mpqemu_message.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace gem_upload::vm {

/// A message and the descriptors that came with it.
struct ReceivedMessage {
    Message message;
    std::vector<UniqueFd> descriptors;
};

class MpqemuSocket {
public:
    explicit MpqemuSocket(UniqueFd socket) : socket_(std::move(socket)) {}

    /// Waits for the next one; nothing at the end of the connection.
    /// Throws failure where what comes is no message, failed_call where nothing can be read.
    [[nodiscard]] std::optional<ReceivedMessage> receive();
    /// Throws failed_call; nothing where QEMU is gone, for receive() tells that.
    void answer(std::uint64_t value);

private:
    [[nodiscard]] bool fill(std::size_t bytes);
    [[nodiscard]] std::vector<UniqueFd> take_descriptors(std::size_t count);

    UniqueFd socket_;
    // An access is a round trip: it is worth while to read header and payload at once.
    std::array<std::byte, 512> buffer_{};
    std::size_t filled_ = 0;
    std::vector<UniqueFd> descriptors_; ///< of messages that are in the buffer, or on their way
};

} // namespace gem_upload::vm
