#include "drm/select.h"

#include "drm/pci.h"
#include "drm/search.h"
#include "util/error.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <sys/stat.h>
#include <system_error>

namespace gem_upload::drm {
namespace {

// What the benchmarks drive so far; chosen by the driver, for xe may be forced on i915's chips.
constexpr std::string_view driven_by = "i915";

constexpr std::string_view forms = "a node's path (/dev/dri/renderD128), pci:0000:00:02.0, "
                                   "a driver's name (i915) or model:CHIP (model:g45)";

constexpr std::string_view without_gpu =
    "'gem-upload run --methods aperture' measures this CPU without a GPU, and '--device "
    "model:g45' tries the methods on the software GPU";

std::string joined(const std::vector<std::string>& parts) {
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<std::string> labels(const std::vector<Device>& devices) {
    std::vector<std::string> parts;
    for (const Device& device : devices) {
        parts.push_back(device.pci_address.empty() && !device.is_model()
                            ? device.label()
                            : fmt::format("{} ({})", device.label(), device.node()));
    }
    return parts;
}

std::string what_is_here(const std::vector<Device>& devices) {
    return devices.empty() ? "there is no DRM device here"
                           : fmt::format("the devices here are: {}", joined(labels(devices)));
}

template <typename Property>
std::vector<Device> devices_where(const std::vector<Device>& devices, Property property) {
    std::vector<Device> fitting;
    std::ranges::copy_if(devices, std::back_inserter(fitting), property);
    return fitting;
}

Device only_one(const std::vector<Device>& fitting, std::string_view description) {
    if (fitting.size() > 1) {
        const Device& first = fitting.front();
        throw usage_error(
            fmt::format("{} {}: {}; choose one, for instance with --device {}", fitting.size(),
                        description, joined(labels(fitting)),
                        first.pci_address.empty() ? first.node() : "pci:" + first.pci_address));
    }
    return fitting.front();
}

/// Number of a device node, nothing for anything else.
std::optional<dev_t> device_number(const std::string& path) {
    struct stat status = {};
    if (::stat(path.c_str(), &status) != 0 || !S_ISCHR(status.st_mode)) {
        return std::nullopt;
    }
    return status.st_rdev;
}

Device select_by_path(const std::vector<Device>& devices, const std::string& path) {
    const std::optional<dev_t> number = device_number(path);
    const auto is_node = [&](const std::string& node) {
        return !node.empty() && (node == path || (number && device_number(node) == number));
    };
    const auto found = std::ranges::find_if(devices, [&](const Device& device) {
        return is_node(device.primary_node) || is_node(device.render_node);
    });
    if (found != devices.end()) {
        return *found;
    }
    std::error_code error;
    const bool exists = std::filesystem::exists(path, error);
    throw usage_error(fmt::format("{} {}; {}", path,
                                  exists ? "is not the node of a DRM device" : "does not exist",
                                  what_is_here(devices)));
}

Device select_by_address(const std::vector<Device>& devices, std::string_view text,
                         const Surroundings& surroundings) {
    const std::optional<std::string> address = normalize_pci_address(text);
    if (!address) {
        throw usage_error(fmt::format("'pci:{}' is not a PCI address: write it as "
                                      "pci:DOMAIN:BUS:SLOT.FUNCTION, as in pci:0000:00:02.0",
                                      text));
    }
    const auto found = std::ranges::find(devices, *address, &Device::pci_address);
    if (found != devices.end()) {
        return *found;
    }
    const std::string suffix = " at " + *address;
    const auto unbound = std::ranges::find_if(
        surroundings.unbound, [&](const std::string& label) { return label.ends_with(suffix); });
    if (unbound != surroundings.unbound.end()) {
        throw cannot_measure(fmt::format("no driver is bound to the Intel display device {}: "
                                         "'gem-upload devices --load' loads it",
                                         *unbound));
    }
    throw usage_error(
        fmt::format("there is no DRM device at {}; {}", *address, what_is_here(devices)));
}

Device select_model(const std::vector<Device>& devices, std::string_view which) {
    const auto found = std::ranges::find_if(devices, &Device::is_model);
    if (found == devices.end()) {
        throw failure(fmt::format("'{}' is not seen in this process although it was asked for: the "
                                  "preloaded layer of the software GPU is not at work",
                                  which));
    }
    return *found;
}

Device select_by_driver(const std::vector<Device>& devices, const std::string& driver,
                        const Surroundings& surroundings) {
    const auto fitting =
        devices_where(devices, [&](const Device& device) { return device.driver == driver; });
    if (!fitting.empty()) {
        return only_one(fitting, fmt::format("devices are driven by {}", driver));
    }
    if (driver == driven_by) {
        throw cannot_measure(why_no_gpu(devices, surroundings));
    }
    throw usage_error(fmt::format("'{}' is no device and drives none: give {}; {}", driver, forms,
                                  what_is_here(devices)));
}

} // namespace

Surroundings look_around(const SystemRoots& roots) {
    Surroundings surroundings;
    std::error_code error;
    surroundings.search_built_in = search_is_built_in();
    surroundings.has_dri_folder = std::filesystem::is_directory(roots.dev + "/dri", error);
    for (const PciDisplay& display : find_pci_displays(roots)) {
        if (!display.is_intel()) {
            continue;
        }
        if (display.driver.empty()) {
            surroundings.unbound.push_back(display.label());
        } else {
            surroundings.elsewhere.push_back(
                fmt::format("{} has {}", display.driver, display.label()));
        }
    }
    return surroundings;
}

std::string why_no_gpu(const std::vector<Device>& devices, const Surroundings& surroundings) {
    if (!surroundings.search_built_in) {
        return fmt::format("this build cannot look for GPUs, for it lacks libdrm: install "
                           "libdrm-dev and build anew; {}",
                           without_gpu);
    }
    std::string found;
    if (!devices.empty()) {
        found = fmt::format("found: {}", joined(labels(devices)));
    } else if (!surroundings.unbound.empty()) {
        found = fmt::format("the Intel display device {} has no driver bound to it, and "
                            "'gem-upload devices --load' would load it",
                            joined(surroundings.unbound));
    } else if (!surroundings.elsewhere.empty()) {
        found = joined(surroundings.elsewhere);
    } else if (!surroundings.has_dri_folder) {
        found = "there is no /dev/dri";
    } else {
        found = "there is no DRM device in /dev/dri";
    }
    return fmt::format("no GPU here is driven by {}: {}; {}", driven_by, found, without_gpu);
}

Device select(const std::vector<Device>& devices, std::string_view which,
              const Surroundings& surroundings) {
    constexpr std::string_view pci_prefix = "pci:";
    if (!surroundings.search_built_in) {
        throw cannot_measure(why_no_gpu(devices, surroundings));
    }
    if (which.find('/') != std::string_view::npos) {
        return select_by_path(devices, std::string(which));
    }
    if (which.starts_with(pci_prefix)) {
        return select_by_address(devices, which.substr(pci_prefix.size()), surroundings);
    }
    if (which.starts_with("model:")) {
        return select_model(devices, which);
    }
    return select_by_driver(devices, std::string(which.empty() ? driven_by : which), surroundings);
}

Device select_device(std::string_view which) {
    return select(find_devices(), which, look_around());
}

} // namespace gem_upload::drm
