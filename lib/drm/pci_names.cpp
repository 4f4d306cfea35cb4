#include "config.h"
#include "drm/pci.h"

#if HAVE_LIBPCIACCESS
#include <cstdio>
#include <pciaccess.h>
#endif

namespace gem_upload::drm {

#if HAVE_LIBPCIACCESS

namespace {

/// libpciaccess keeps one list of devices for the process.
class PciSystem {
public:
    PciSystem() : usable_(::pci_system_init() == 0) {}
    PciSystem(const PciSystem&) = delete;
    PciSystem& operator=(const PciSystem&) = delete;
    ~PciSystem() {
        if (usable_) {
            ::pci_system_cleanup();
        }
    }
    [[nodiscard]] bool usable() const { return usable_; }

private:
    bool usable_;
};

} // namespace

std::string pci_product_name(const std::string& address) {
    unsigned domain = 0;
    unsigned bus = 0;
    unsigned slot = 0;
    unsigned function = 0;
    // NOLINTNEXTLINE(cert-err34-c): the address is one that the kernel wrote
    if (std::sscanf(address.c_str(), "%x:%x:%x.%x", &domain, &bus, &slot, &function) != 4) {
        return "";
    }
    const PciSystem system;
    const pci_device* device =
        system.usable() ? ::pci_device_find_by_slot(domain, bus, slot, function) : nullptr;
    if (device == nullptr) {
        return "";
    }
    const char* name = ::pci_device_get_device_name(device);
    return name != nullptr ? name : "";
}

#else

std::string pci_product_name(const std::string& /*address*/) {
    return "";
}

#endif

} // namespace gem_upload::drm
