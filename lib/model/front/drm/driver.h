// What the DRM core asks of a driver.
#pragma once

#include "model/front/drm/gem.h"
#include "model/front/drm/ioctl.h"

#include <cstddef>
#include <cstdint>
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
    [[nodiscard]] virtual std::shared_ptr<Client> open(Node node) = 0;
    /// The address, or MAP_FAILED with errno set.
    [[nodiscard]] virtual void* map(Client& client, const MapRequest& request) = 0;
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
};

} // namespace gem_upload::model
