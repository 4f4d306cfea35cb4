// Child processes: QEMU, the device, and the programs that prepare what they need.
#pragma once

#include "util/stop_signals.h"
#include "util/unique_fd.h"

#include <csignal>
#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace gem_upload::vm {

/// What is started, and with what.
struct ProcessSpec {
    std::vector<std::string> argv; ///< argv[0] is found in PATH, and in /usr/sbin and /sbin
    std::string folder;            ///< where it runs; empty: here
    int input = -1;                ///< its standard input; -1: /dev/null
    int output = -1;               ///< its standard output; -1: /dev/null
    int errors = -1;               ///< its standard error; -1: /dev/null
    std::vector<int> inherited;    ///< further descriptors, under the numbers that they have here
    std::optional<unsigned> cpu;   ///< the only CPU that it may run on
    std::vector<std::string> without; ///< variables taken out of its environment
};

/// A running child in a process group of its own. It dies with this process (PR_SET_PDEATHSIG, so
/// start it from the main thread), and is ended when it is let go of.
class Process {
public:
    /// SIGNALS is the mask that the child gets. Throws failure where the program is not found,
    /// failed_call where it cannot be started.
    Process(const ProcessSpec& spec, const sigset_t& signals);
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;
    ~Process();

    [[nodiscard]] pid_t pid() const { return pid_; }
    void send(int signal) const;
    /// Its status in waitpid's form, once it has ended.
    [[nodiscard]] std::optional<int> status();

private:
    pid_t pid_ = -1;
    std::optional<int> status_;
};

/// The absolute path of a program, or empty: as the shell finds it, and in /usr/sbin and /sbin,
/// where a user's PATH does not lead.
[[nodiscard]] std::string locate_program(const std::string& name);

/// "exited with status 1", "was ended by signal 9 (Killed)".
[[nodiscard]] std::string status_text(int status);

/// A stopping signal has come.
struct Interrupted {
    int signal = 0;
};

/// What a program that has ended with success said on standard output.
/// Throws failure with what it said on standard error where it did not, Interrupted where a
/// stopping signal came first. SPEC's output is used if it is given, and the answer is then empty.
[[nodiscard]] std::string run_helper(ProcessSpec spec, StopSignals& signals);

/// Two connected stream sockets, both close-on-exec.
[[nodiscard]] std::pair<UniqueFd, UniqueFd> socket_pair();

} // namespace gem_upload::vm
