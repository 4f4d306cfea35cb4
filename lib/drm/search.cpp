#include "drm/search.h"

#include "config.h"
#include "drm/pci.h"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

#if HAVE_LIBDRM
#include <fcntl.h>
#include <memory>
#include <xf86drm.h>
#endif

namespace gem_upload::drm {

std::string model_chip_of(std::string_view version_description) {
    constexpr std::string_view prefix = "model:";
    if (!version_description.starts_with(prefix)) {
        return "";
    }
    version_description.remove_prefix(prefix.size());
    return std::string(version_description.substr(0, version_description.find(' ')));
}

std::optional<std::uint64_t> aperture_of(const Device& device, const SystemRoots& roots) {
    const bool has_aperture = device.chip == nullptr || device.chip->aperture;
    if (device.driver != "i915" || device.pci_address.empty() || !has_aperture) {
        return std::nullopt;
    }
    const unsigned bar = device.chip != nullptr && device.chip->generation == 2 ? 0 : 2;
    return bar_bytes(device.pci_address, bar, roots);
}

bool comes_before(const Device& left, const Device& right) {
    // Of two nodes in one folder the shorter has the smaller number.
    const auto key = [](const Device& device) {
        const std::string& node = device.primary_node;
        return std::make_tuple(node.empty(), node.size(), node);
    };
    return key(left) < key(right);
}

#if HAVE_LIBDRM

namespace {

class DeviceList {
public:
    DeviceList() {
        const int count = ::drmGetDevices2(0, nullptr, 0);
        if (count <= 0) {
            return; // no /dev/dri, or nothing in it
        }
        devices_.resize(static_cast<std::size_t>(count), nullptr);
        const int filled = ::drmGetDevices2(DRM_DEVICE_GET_PCI_REVISION, devices_.data(), count);
        devices_.resize(static_cast<std::size_t>(std::max(filled, 0)));
    }
    DeviceList(const DeviceList&) = delete;
    DeviceList& operator=(const DeviceList&) = delete;
    ~DeviceList() { ::drmFreeDevices(devices_.data(), static_cast<int>(devices_.size())); }

    [[nodiscard]] const std::vector<drmDevicePtr>& devices() const { return devices_; }

private:
    std::vector<drmDevicePtr> devices_;
};

std::string node_of(const drmDevice& device, int type) {
    return (device.available_nodes & (1 << type)) != 0 ? device.nodes[type] : "";
}

void read_pci(const drmDevice& raw, Device& device) {
    if (raw.bustype != DRM_BUS_PCI) {
        return;
    }
    const drmPciBusInfo& bus = *raw.businfo.pci;
    device.pci_address =
        fmt::format("{:04x}:{:02x}:{:02x}.{:x}", bus.domain, bus.bus, bus.dev, bus.func);
    device.vendor_id = raw.deviceinfo.pci->vendor_id;
    device.device_id = raw.deviceinfo.pci->device_id;
    device.revision = raw.deviceinfo.pci->revision_id;
    device.pci_name = pci_product_name(device.pci_address);
    if (device.vendor_id == intel_vendor_id) {
        device.chip = find_chip(device.device_id);
    }
}

/// Asks the driver itself; where the node may not be opened, sysfs still names it.
void read_driver(Device& device) {
    const UniqueFd fd(::open(device.node().c_str(), O_RDWR | O_CLOEXEC));
    using Version = std::unique_ptr<drmVersion, decltype(&::drmFreeVersion)>;
    const Version version(fd ? ::drmGetVersion(fd.get()) : nullptr, &::drmFreeVersion);
    if (!version) {
        device.driver = bound_driver(device.pci_address);
        return;
    }
    device.driver = version->name;
    device.driver_version = fmt::format("{}.{}.{}", version->version_major, version->version_minor,
                                        version->version_patchlevel);
    device.model_chip = model_chip_of(version->desc);
}

} // namespace

bool search_is_built_in() {
    return true;
}

std::vector<Device> find_devices() {
    std::vector<Device> found;
    const DeviceList list;
    for (const drmDevicePtr raw : list.devices()) {
        Device device;
        device.primary_node = node_of(*raw, DRM_NODE_PRIMARY);
        device.render_node = node_of(*raw, DRM_NODE_RENDER);
        read_pci(*raw, device);
        read_driver(device);
        device.aperture_bytes = aperture_of(device);
        found.push_back(std::move(device));
    }
    std::ranges::sort(found, comes_before);
    return found;
}

#else

bool search_is_built_in() {
    return false;
}

std::vector<Device> find_devices() {
    return {};
}

#endif

} // namespace gem_upload::drm
