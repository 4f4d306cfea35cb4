// Our end of a connection to the guest or a child, read as it comes.
#pragma once

#include "util/unique_fd.h"

#include <functional>
#include <string_view>

namespace gem_upload::vm {

class ByteStream {
public:
    explicit ByteStream(UniqueFd fd) : fd_(std::move(fd)) {}

    /// -1 once it has ended.
    [[nodiscard]] int fd() const { return fd_.get(); }
    /// Hands on what is there, without waiting; closes at its end. Throws failed_call.
    void read(const std::function<void(std::string_view text)>& take);
    /// Throws failed_call, but not where the other end is gone.
    void write(std::string_view text);

private:
    UniqueFd fd_;
};

} // namespace gem_upload::vm
