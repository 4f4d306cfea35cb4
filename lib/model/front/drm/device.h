// The DRM core: dispatches ioctls as the kernel's drm_ioctl() does, and answers those that belong
// to no driver.
#pragma once

#include "model/front/drm/driver.h"
#include "model/front/fault_injection.h"
#include "model/front/report.h"
#include "model/front/trace.h"

#include <map>
#include <memory>
#include <mutex>

namespace gem_upload::model {

class Device {
public:
    /// The references must outlive the device.
    Device(std::unique_ptr<Driver> driver, FaultInjection& faults, Trace& trace);

    [[nodiscard]] Driver& driver() { return *driver_; }
    [[nodiscard]] std::shared_ptr<Client> open(Node node);

    /// ioctl(2) on the device: 0 or a negative errno.
    [[nodiscard]] int ioctl(Client& client, unsigned long request, void* argument);

    /// mmap(2) of the device: the address, or MAP_FAILED with errno set.
    [[nodiscard]] void* map(Client& client, const MapRequest& request);

    /// True if a name (without prefixes) is one of this device's ioctls.
    [[nodiscard]] bool knows(std::string_view ioctl_name) const;

private:
    [[nodiscard]] const Ioctl* find(unsigned long request) const;
    [[nodiscard]] bool permitted(Client& client, const Ioctl& ioctl);
    [[nodiscard]] int run(Client& client, const Ioctl& ioctl, unsigned long request,
                          void* argument);

    std::unique_ptr<Driver> driver_;
    FaultInjection& faults_;
    Trace& trace_;
};

} // namespace gem_upload::model
