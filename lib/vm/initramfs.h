// The guest's root: busybox, our programs, what the command needs, the modules.
#pragma once

#include "util/stop_signals.h"
#include "vm/guest_job.h"

#include <string>
#include <string_view>
#include <vector>

namespace gem_upload::vm {

struct InitramfsSpec {
    std::string release;
    std::string module_folder;           ///< lib/modules/RELEASE
    std::vector<std::string> benchmarks; ///< our programs in libexec, by name
    std::vector<std::string> programs;   ///< further ones, by their paths here
    GuestJob job;                        ///< its PATH is set here
};

/// Writes the archive into FOLDER and returns its path. Throws failure in one sentence,
/// Interrupted.
[[nodiscard]] std::string build_initramfs(InitramfsSpec spec, const std::string& folder,
                                          StopSignals& signals);

/// The names that busybox answers to here; throws failure where it is missing.
[[nodiscard]] std::vector<std::string> busybox_applets(StopSignals& signals);

} // namespace gem_upload::vm
