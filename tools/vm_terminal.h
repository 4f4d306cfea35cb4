// The terminal of an interactive guest.
#pragma once

#include "vm/guest_job.h"

#include <termios.h>

namespace gem_upload::tools {

/// The size and type of standard input's terminal. Throws usage_error where it is none.
[[nodiscard]] vm::GuestJob::Terminal terminal_here();

/// While it lives, keys go to the guest as they are typed.
class RawTerminal {
public:
    RawTerminal();
    RawTerminal(const RawTerminal&) = delete;
    RawTerminal& operator=(const RawTerminal&) = delete;
    ~RawTerminal();

private:
    termios before_{};
};

} // namespace gem_upload::tools
