// A record of the ioctls: one line each, with its key arguments and its result.
#pragma once

#include "util/unique_fd.h"

#include <string>
#include <string_view>

namespace gem_upload::model {

class Trace {
public:
    /// Appends to the file at PATH; with an empty path records nothing. Throws failed_call.
    explicit Trace(const std::string& path);

    [[nodiscard]] bool enabled() const { return static_cast<bool>(fd_); }
    /// "NAME ARGUMENTS = 0", or "= -1 ENAME" where RESULT is a negative errno.
    void record(std::string_view name, std::string_view arguments, int result);

private:
    UniqueFd fd_;
};

} // namespace gem_upload::model
