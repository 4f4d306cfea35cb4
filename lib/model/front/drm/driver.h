// What the DRM core asks of a driver.
#pragma once

#include "model/front/drm/gem.h"
#include "model/front/drm/ioctl.h"
#include "model/front/drm/sharing.h"

#include <cstddef>
#include <cstdint>
#include <drm.h>
#include <drm_mode.h>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace gem_upload::model {

struct DriverVersion {
    int major;
    int minor;
    int patch;
    std::string_view name;
    std::string_view date;
    std::string description;
};

/// mmap(2) of the device.
struct MapRequest {
    void* address;
    std::size_t length;
    int protection;
    int flags;
    std::uint64_t offset;
};

class Driver {
public:
    Driver() = default;
    Driver(const Driver&) = delete;
    Driver& operator=(const Driver&) = delete;
    virtual ~Driver() = default;

    [[nodiscard]] virtual DriverVersion version() const = 0;
    [[nodiscard]] virtual std::span<const Ioctl> ioctls() const = 0;
    /// What DRM_IOCTL_GET_CAP answers; false: EINVAL.
    [[nodiscard]] virtual bool capability(std::uint64_t which, std::uint64_t& value) const = 0;
    /// DRIVER_ATOMIC: the display takes atomic changes.
    [[nodiscard]] virtual bool atomic() const = 0;
    [[nodiscard]] virtual std::shared_ptr<Client> open(Node node) = 0;
    /// The address, or MAP_FAILED with errno set.
    [[nodiscard]] virtual void* map(Client& client, const MapRequest& request) = 0;
    /// The same of an object that is shared as a descriptor.
    [[nodiscard]] virtual void* map_shared(const std::shared_ptr<GemObject>& object,
                                           const MapRequest& request) = 0;
    /// DMA_BUF_IOCTL_SYNC: the CPU begins or ends its access. 0 or a negative errno.
    [[nodiscard]] virtual int synchronise(GemObject& object, bool end, bool write) = 0;
    /// drm_driver.dumb_create: width, height and bpp are known to make sense. 0 or a negative
    /// errno.
    [[nodiscard]] virtual int create_dumb(Client& client, drm_mode_create_dumb& arguments) = 0;
    /// drm_driver.dumb_map_offset.
    [[nodiscard]] virtual int map_dumb(Client& client, std::uint32_t handle,
                                       std::uint64_t& offset) = 0;
    /// True if any of the range is a mapping of the device's.
    [[nodiscard]] virtual bool maps(const void* address, std::size_t length) = 0;
    /// A range of addresses is about to be unmapped.
    virtual void forget_mappings(void* address, std::size_t length) = 0;

    /// The program has read the clock.
    virtual void clock_was_read() = 0;
    /// Execution outstanding? Cheap; for every read of the clock.
    [[nodiscard]] virtual bool outstanding() const = 0;

    /// Executes all that is outstanding, at exit.
    virtual void finish() = 0;
    /// Around fork(2): a child has the memory and no thread.
    virtual void before_fork() = 0;
    virtual void after_fork_in_parent() = 0;
    virtual void after_fork_in_child() = 0;

    /// What the core keeps for every driver.
    [[nodiscard]] Authentication& authentication() { return authentication_; }
    [[nodiscard]] GlobalNames& names() { return names_; }
    [[nodiscard]] SharedBuffers& shared() { return shared_; }

private:
    Authentication authentication_;
    GlobalNames names_;
    SharedBuffers shared_;
};

} // namespace gem_upload::model
