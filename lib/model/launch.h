// Putting a process on the software GPU.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gem_upload::model {

/// How the model behaves; travels in the environment to the preloaded layer.
struct Settings {
    std::string chip; ///< "g45"
    enum class Execution { asynchronous, immediate, late } execution = Execution::asynchronous;
    bool check_clock =
        false;              ///< a clock read by the program with execution outstanding is an error
    std::string trace_path; ///< one line an ioctl; empty: none
    std::vector<std::string> faults; ///< "PWRITE:3=EIO", see gem-upload-model(1)
};

/// True in a process that already runs on the model.
[[nodiscard]] bool on_model();

/// Executes argv anew with the preloaded layer in place; returns only by throwing usage_error
/// (unknown chip: names the known ones; static or setuid program) or failure.
[[noreturn]] void execute_on_model(const Settings& settings, const std::vector<std::string>& argv);

/// The same in a child process, waited for: its exit status, or 128 and the number of the signal
/// that ended it. Signals to stop are passed on.
[[nodiscard]] int run_on_model(const Settings& settings, const std::vector<std::string>& argv);

/// If DEVICE is "model:CHIP" and the process is not on the model yet, executes it anew on it, with
/// check_clock set; else does nothing.
void enter_model_if_asked(std::string_view device, int argc, char** argv);

} // namespace gem_upload::model
