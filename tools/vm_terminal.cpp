#include "vm_terminal.h"

#include "util/error.h"

#include <cerrno>
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>

namespace gem_upload::tools {

vm::GuestJob::Terminal terminal_here() {
    if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDOUT_FILENO) == 0) {
        throw usage_error("--interactive needs a terminal: standard input or output is none");
    }
    winsize size{};
    ::ioctl(STDIN_FILENO, TIOCGWINSZ, &size);
    const char* const type = std::getenv("TERM");
    return {size.ws_row != 0 ? size.ws_row : static_cast<unsigned short>(24),
            size.ws_col != 0 ? size.ws_col : static_cast<unsigned short>(80),
            type != nullptr && *type != '\0' ? type : "vt100"};
}

RawTerminal::RawTerminal() {
    if (::tcgetattr(STDIN_FILENO, &before_) != 0) {
        throw failed_call("tcgetattr", "standard input", errno);
    }
    termios raw = before_;
    ::cfmakeraw(&raw);
    raw.c_oflag |= OPOST; // our own lines still begin at the left
    if (::tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) != 0) {
        throw failed_call("tcsetattr", "standard input", errno);
    }
}

RawTerminal::~RawTerminal() {
    ::tcsetattr(STDIN_FILENO, TCSADRAIN, &before_);
}

} // namespace gem_upload::tools
