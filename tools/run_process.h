// One benchmark process: started, watched, ended.
#pragma once

#include "util/stop_signals.h"

#include <chrono>
#include <string>
#include <vector>

namespace gem_upload::tools {

/// How a process ended.
struct ProcessEnd {
    enum class Kind { exited, killed, timed_out, interrupted } kind = Kind::exited;
    int number = 0;           ///< the exit status, or the signal that killed or interrupted it
    std::string error_output; ///< the last 16 KiB of its standard error
    double seconds = 0;
};

/// Runs a program without standard input and output and waits for its end. It dies with this
/// process (PR_SET_PDEATHSIG). A process over its time, or one that runs when a stopping signal
/// arrives, is ended by SIGTERM and, two seconds later, by SIGKILL. Throws failed_call, or failure
/// for a process that not even SIGKILL ends.
[[nodiscard]] ProcessEnd run_process(const std::vector<std::string>& argv,
                                     std::chrono::seconds time_limit, StopSignals& signals);

} // namespace gem_upload::tools
