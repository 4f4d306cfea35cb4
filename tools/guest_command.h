// The command that the guest was booted for.
#pragma once

#include "vm/guest_job.h"

#include <functional>
#include <optional>

namespace gem_upload::guest {

struct CommandEnd {
    int error = 0;  ///< why it could not be started: an errno
    int status = 0; ///< in waitpid's form
};

/// Runs it to its end, and passes on what it writes. STARTED is called when it runs.
[[nodiscard]] CommandEnd run_command(const vm::GuestJob& job, int output, int errors,
                                     const std::function<void()>& started);
/// Runs it on a terminal, which it controls.
[[nodiscard]] CommandEnd run_on_terminal(const vm::GuestJob& job, const char* terminal,
                                         const std::function<void()>& started);

} // namespace gem_upload::guest
