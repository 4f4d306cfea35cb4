#include "drm/modules.h"

#include "drm/chips.h"
#include "util/error.h"
#include "util/files.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fmt/format.h>
#include <sstream>
#include <string_view>
#include <system_error>

namespace gem_upload::drm {
namespace {

/// The driver that binds the chip by default if it claims the device, else the first that does.
std::string module_for(const PciDisplay& display, Modules& modules) {
    const std::vector<std::string> claiming = modules.claiming(display.modalias);
    if (claiming.empty()) {
        return "";
    }
    const Chip* chip = find_chip(display.device_id);
    const bool usual =
        chip != nullptr && std::ranges::find(claiming, chip->kernel_driver) != claiming.end();
    return usual ? std::string(chip->kernel_driver) : claiming.front();
}

bool is_loaded(const std::string& module, const SystemRoots& roots) {
    std::error_code error;
    return std::filesystem::is_directory(roots.sys + "/module/" + module, error);
}

/// With `nomodeset` the GPU drivers load and bind nothing.
bool mode_setting_forbidden(const SystemRoots& roots) {
    std::istringstream words(read_first_line(roots.proc + "/cmdline"));
    for (std::string word; words >> word;) {
        if (word == "nomodeset" || word == "i915.modeset=0" || word == "xe.modeset=0") {
            return true;
        }
    }
    return false;
}

std::string drivers_of(const std::vector<PciDisplay>& intel) {
    std::vector<std::string> parts;
    for (const PciDisplay& display : intel) {
        parts.push_back(fmt::format("{} already drives {}", display.driver, display.label()));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

/// Why the module of an unbound device is not to be loaded, empty if it is.
std::string objection(const PciDisplay& display, const std::string& module, bool asked,
                      Modules& modules, const SystemRoots& roots) {
    if (module.empty()) {
        return fmt::format("no driver was loaded: no module of the running kernel claims {}",
                           display.label());
    }
    if (is_loaded(module, roots)) {
        return fmt::format("no driver was loaded: {} is loaded and yet does not drive {} (see its "
                           "force_probe parameter and the kernel's log)",
                           module, display.label());
    }
    if (mode_setting_forbidden(roots)) {
        return fmt::format("{} was not loaded for {}: the kernel's command line forbids mode "
                           "setting (nomodeset)",
                           module, display.label());
    }
    if (!asked && modules.blacklisted(module)) {
        return fmt::format("{} was not loaded for {}: it is blacklisted, and only --load overrides "
                           "that",
                           module, display.label());
    }
    return "";
}

} // namespace

LoadDecision decide_load(const std::vector<PciDisplay>& displays, bool asked, Modules& modules,
                         const SystemRoots& roots) {
    std::vector<PciDisplay> intel;
    std::ranges::copy_if(displays, std::back_inserter(intel), &PciDisplay::is_intel);
    const auto unbound = std::ranges::find_if(
        intel, [](const PciDisplay& display) { return display.driver.empty(); });
    if (unbound == intel.end()) {
        const std::string why =
            intel.empty() ? "this machine has no Intel display device" : drivers_of(intel);
        return {
            .module = "", .display = {}, .sentence = asked ? "no driver was loaded: " + why : ""};
    }
    const std::string module = module_for(*unbound, modules);
    const std::string why_not = objection(*unbound, module, asked, modules, roots);
    return {.module = why_not.empty() ? module : "", .display = *unbound, .sentence = why_not};
}

std::string load_driver_if_needed(bool asked, Modules& modules, const SystemRoots& roots) {
    const LoadDecision decision = decide_load(find_pci_displays(roots), asked, modules, roots);
    if (decision.module.empty()) {
        return decision.sentence;
    }
    const std::string label = decision.display.label();
    if (const int error = modules.insert(decision.module); error != 0) {
        return fmt::format("{} could not be loaded for {}: {}{}", decision.module, label,
                           errno_text(error), error == EPERM ? ": run as root" : "");
    }
    const std::string driver = bound_driver(decision.display.address, roots);
    if (driver.empty()) {
        return fmt::format("loaded {}, but it does not drive {}: see the kernel's log",
                           decision.module, label);
    }
    return fmt::format("loaded {}; {} now drives {}", decision.module, driver, label);
}

std::string load_driver_if_needed(bool asked) {
    const std::vector<PciDisplay> displays = find_pci_displays();
    const bool unbound_intel = std::ranges::any_of(displays, [](const PciDisplay& display) {
        return display.is_intel() && display.driver.empty();
    });
    if (!asked && !unbound_intel) {
        return ""; // the usual case, and no need of libkmod
    }
    try {
        const std::unique_ptr<Modules> modules = open_modules();
        return load_driver_if_needed(asked, *modules);
    } catch (const Error& error) {
        return fmt::format("no driver was loaded: {}", error.what());
    }
}

} // namespace gem_upload::drm
