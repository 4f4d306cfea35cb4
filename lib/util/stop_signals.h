// Signals that ask a program to stop, taken in turn with what else it waits for.
#pragma once

#include "util/unique_fd.h"

#include <csignal>
#include <optional>

namespace gem_upload {

/// While it lives, SIGINT, SIGTERM and SIGHUP do not end this process but are told by stop(), and
/// the end of a child wakes a waiter on fd(). A signal that is ignored (nohup) stays ignored.
class StopSignals {
public:
    StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;
    ~StopSignals();

    /// Takes what has arrived; the first stopping signal, once there was one.
    std::optional<int> stop();
    [[nodiscard]] int fd() const { return fd_.get(); }
    [[nodiscard]] const sigset_t& mask_before() const { return before_; }

private:
    sigset_t before_{};
    UniqueFd fd_;
    std::optional<int> signal_;
};

} // namespace gem_upload
