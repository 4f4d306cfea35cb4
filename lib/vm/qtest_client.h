// QEMU's qtest protocol (docs/devel/testing: lines, each answered by OK or FAIL): the way to raise
// an interrupt and to reach I/O ports from outside of the guest.
#pragma once

#include "util/error.h"
#include "util/unique_fd.h"

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace gem_upload::vm {

/// QEMU has closed the connection, as it does when it ends.
class QtestGone : public Error {
public:
    QtestGone() : Error(Exit::failure, "QEMU has closed its qtest connection") {}
};

class QtestClient {
public:
    explicit QtestClient(UniqueFd socket);

    /// Sends COMMAND and waits for its answer: what follows OK. Throws failure where QEMU refuses,
    /// QtestGone where it has ended. Where nothing may wait (see set_waiting) it answers "" at
    /// once.
    std::string command(std::string_view command);

    /// While QEMU's main thread waits for the device (at its creation, in a reset) it answers
    /// nothing: waiting is then switched off, and who waits is let go. The answers that are still
    /// to come are taken before the next command is sent.
    void set_waiting(bool allowed);

    std::uint32_t read_port(std::uint16_t port, unsigned bytes);
    void write_port(std::uint16_t port, std::uint32_t value, unsigned bytes);

private:
    struct Answer {
        bool complete = false;
        std::string text;
    };
    [[nodiscard]] Answer wait_for_line();
    [[nodiscard]] bool take_line(std::string& line);
    void check(std::string_view command, const std::string& line) const;

    UniqueFd socket_;
    UniqueFd wake_;
    std::mutex mutex_; ///< one command at a time
    std::string received_;
    unsigned unanswered_ = 0;
};

} // namespace gem_upload::vm
