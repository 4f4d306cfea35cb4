// Loading the GPU's kernel driver where it is asked for, or plainly missing, and unloading it
// (libkmod).
#pragma once

#include "drm/pci.h"
#include "drm/roots.h"

#include <memory>
#include <string>
#include <vector>

namespace gem_upload::drm {

/// What the system's module tools know and can do.
class Modules {
public:
    Modules() = default;
    Modules(const Modules&) = delete;
    Modules& operator=(const Modules&) = delete;
    virtual ~Modules() = default;

    /// Names of the modules that claim a device's modalias, blacklisted or not.
    [[nodiscard]] virtual std::vector<std::string> claiming(const std::string& modalias) = 0;
    /// By modprobe.d or the kernel's command line.
    [[nodiscard]] virtual bool blacklisted(const std::string& module) = 0;
    /// Loads it and what it depends on; 0 or an errno.
    [[nodiscard]] virtual int insert(const std::string& module) = 0;
    /// Unloads it, and nothing else; 0 or an errno (EBUSY: it is in use).
    [[nodiscard]] virtual int remove(const std::string& module) = 0;
};

/// The modules in FOLDER with the settings in CONFIGURATION (files or folders); empty: the running
/// kernel's and the system's. Throws cannot_measure where the build has no libkmod.
[[nodiscard]] std::unique_ptr<Modules>
open_modules(const std::string& folder = "", const std::vector<std::string>& configuration = {});

/// What is to be done: the module to load (empty: none) and, where there is something to say, why.
struct LoadDecision {
    std::string module;
    PciDisplay display;   ///< for which it is to be loaded
    std::string sentence; ///< why nothing is loaded; empty when nothing is amiss
};

/// Only for an Intel display device without a driver, whose module is not blacklisted; ASKED
/// (--load) overrides the blacklist and always gets an answer.
[[nodiscard]] LoadDecision decide_load(const std::vector<PciDisplay>& displays, bool asked,
                                       Modules& modules, const SystemRoots& roots = {});

/// Decides and loads. Returns what was done, or why it could not be, in one sentence; empty when
/// there was nothing to do and nobody asked.
[[nodiscard]] std::string load_driver_if_needed(bool asked, Modules& modules,
                                                const SystemRoots& roots = {});
/// The same on this machine. Not for a process on the software GPU, whose /sys is another's.
[[nodiscard]] std::string load_driver_if_needed(bool asked);

} // namespace gem_upload::drm
