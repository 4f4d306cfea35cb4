#include "model/front/drm/device.h"

#include "model/front/drm/core_ioctls.h"
#include "model/front/drm/user_memory.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <drm.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <utility>

namespace gem_upload::model {
namespace {

constexpr std::size_t largest_arguments = 512;

const Ioctl* find_in(std::span<const Ioctl> table, unsigned long request) {
    const Ioctl* found = nullptr;
    for (const Ioctl& ioctl : table) {
        if (ioctl.number() != _IOC_NR(request)) {
            continue;
        }
        // Two requests may share a number (MMAP_GTT and MMAP_OFFSET): the size tells.
        if (found == nullptr || ioctl.size() == _IOC_SIZE(request)) {
            found = &ioctl;
        }
    }
    return found;
}

bool has_name(std::span<const Ioctl> table, std::string_view name) {
    return std::any_of(table.begin(), table.end(),
                       [name](const Ioctl& ioctl) { return ioctl.name == name; });
}

} // namespace

Device::Device(std::unique_ptr<Driver> driver, FaultInjection& faults, Trace& trace)
    : driver_(std::move(driver)), faults_(faults), trace_(trace) {}

std::shared_ptr<Client> Device::open(Node node) {
    return driver_->open(node);
}

bool Device::knows(std::string_view ioctl_name) const {
    return has_name(core_ioctls(), ioctl_name) || has_name(driver_->ioctls(), ioctl_name);
}

const Ioctl* Device::find(unsigned long request) const {
    const unsigned number = _IOC_NR(request);
    const bool drivers_own = number >= DRM_COMMAND_BASE && number < DRM_COMMAND_END;
    return find_in(drivers_own ? driver_->ioctls() : core_ioctls(), request);
}

// drm_ioctl_permit().
bool Device::permitted(Client& client, const Ioctl& ioctl) {
    const auto needs = [&ioctl](Permission access) { return (ioctl.access & access) != 0; };
    if (needs(by_root) && !privileged()) {
        return false;
    }
    if (client.node() == Node::render) {
        return needs(on_render_nodes);
    }
    const Credentials& credentials = client.credentials();
    return (!needs(authenticated) || credentials.authenticated) &&
           (!needs(by_the_master) || driver_->authentication().is_current_master(credentials));
}

// As drivers/gpu/drm/drm_ioctl.c: the arguments are copied in and out in the caller's size and
// direction, and the function sees the kernel's whole structure.
int Device::run(Client& client, const Ioctl& ioctl, unsigned long request, void* argument) {
    if (!permitted(client, ioctl)) {
        return -EACCES;
    }
    alignas(16) std::array<std::byte, largest_arguments> copy;
    const std::size_t size = std::max<std::size_t>(ioctl.size(), _IOC_SIZE(request));
    if (size > copy.size()) {
        return -EINVAL;
    }
    const std::size_t passed = _IOC_SIZE(request);
    const std::size_t in = (request & IOC_IN) != 0 && (ioctl.request & IOC_IN) != 0 ? passed : 0;
    const std::size_t out = (request & IOC_OUT) != 0 && (ioctl.request & IOC_OUT) != 0 ? passed : 0;
    const std::uint64_t address = reinterpret_cast<std::uintptr_t>(argument);
    if (in != 0 && !readable(address, in)) {
        return -EFAULT;
    }
    std::memset(copy.data() + in, 0, size - in);
    if (in != 0) {
        std::memcpy(copy.data(), argument, in);
    }
    const int injected = faults_.next_ioctl(ioctl.name);
    int result = injected != 0 ? -injected : ioctl.run(client, copy.data());
    if (out != 0 && !writable(address, out)) {
        result = -EFAULT;
    } else if (out != 0) {
        std::memcpy(argument, copy.data(), out);
    }
    if (trace_.enabled()) {
        trace_.record(ioctl.name, ioctl.describe(copy.data()), result);
    }
    return result;
}

int Device::ioctl(Client& client, unsigned long request, void* argument) {
    if (_IOC_TYPE(request) != DRM_IOCTL_BASE) {
        return -ENOTTY;
    }
    const Ioctl* ioctl = find(request);
    if (ioctl == nullptr) {
        if (trace_.enabled()) {
            trace_.record(fmt::format("IOCTL_{:#04x}", _IOC_NR(request)), "", -EINVAL);
        }
        return -EINVAL;
    }
    return run(client, *ioctl, request, argument);
}

void* Device::map(Client& client, const MapRequest& request) {
    void* address = driver_->map(client, request);
    if (trace_.enabled()) {
        trace_.record("mmap", fmt::format("offset={:#x} length={}", request.offset, request.length),
                      address == MAP_FAILED ? -errno : 0);
    }
    return address;
}

} // namespace gem_upload::model
