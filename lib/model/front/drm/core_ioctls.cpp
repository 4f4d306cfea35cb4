#include "model/front/drm/core_ioctls.h"

#include "model/front/device_tree.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <drm.h>
#include <fmt/format.h>

namespace gem_upload::model {
namespace {

/// As drm_ioctl.c's drm_copy_field(): copies what fits and tells the whole length.
void copy_field(char* buffer, __kernel_size_t& length, std::string_view value) {
    const std::size_t room = length;
    length = value.size();
    if (buffer != nullptr && room != 0) {
        std::memcpy(buffer, value.data(), std::min(room, value.size()));
    }
}

int version(CoreClient& client, drm_version& arguments) {
    const DriverVersion version = client.driver().version();
    arguments.version_major = version.major;
    arguments.version_minor = version.minor;
    arguments.version_patchlevel = version.patch;
    copy_field(arguments.name, arguments.name_len, version.name);
    copy_field(arguments.date, arguments.date_len, version.date);
    copy_field(arguments.desc, arguments.desc_len, version.description);
    return 0;
}

int get_unique(CoreClient& /*client*/, drm_unique& arguments) {
    const std::string unique = fmt::format("pci:{}", device_pci_address);
    copy_field(arguments.unique, arguments.unique_len, unique);
    return 0;
}

int get_magic(CoreClient& /*client*/, drm_auth& arguments) {
    arguments.magic = 1;
    return 0;
}

int accept_magic(CoreClient& /*client*/, drm_auth& /*arguments*/) {
    return 0;
}

int set_version(CoreClient& /*client*/, drm_set_version& arguments) {
    arguments.drm_di_major = 1;
    arguments.drm_di_minor = 4;
    arguments.drm_dd_major = 1;
    arguments.drm_dd_minor = 6;
    return 0;
}

int get_capability(CoreClient& client, drm_get_cap& arguments) {
    std::uint64_t value = 0;
    switch (arguments.capability) {
    case DRM_CAP_TIMESTAMP_MONOTONIC:
        value = 1;
        break;
    case DRM_CAP_PRIME:
    case DRM_CAP_SYNCOBJ:
    case DRM_CAP_SYNCOBJ_TIMELINE:
        value = 0;
        break;
    default:
        if (!client.driver().capability(arguments.capability, value)) {
            return -EINVAL;
        }
    }
    arguments.value = value;
    return 0;
}

// The model shows no display: there is nothing to unlock for a client that could drive one.
int set_client_capability(CoreClient& /*client*/, drm_set_client_cap& /*arguments*/) {
    return -EOPNOTSUPP;
}

int gem_close(CoreClient& client, drm_gem_close& arguments) {
    return client.remove(arguments.handle) == nullptr ? -EINVAL : 0;
}

struct NoArguments {};

int become_master(CoreClient& /*client*/, NoArguments& /*arguments*/) {
    return 0;
}

/// The key arguments, for the trace.
struct Text {
    std::string operator()(const NoArguments& /*arguments*/) const { return ""; }
    std::string operator()(const drm_unique& /*arguments*/) const { return ""; }
    std::string operator()(const drm_set_version& /*arguments*/) const { return ""; }
    std::string operator()(const drm_version& arguments) const {
        return fmt::format("version={}.{}.{}", arguments.version_major, arguments.version_minor,
                           arguments.version_patchlevel);
    }
    std::string operator()(const drm_auth& arguments) const {
        return fmt::format("magic={}", arguments.magic);
    }
    std::string operator()(const drm_get_cap& arguments) const {
        return fmt::format("capability={} value={}", arguments.capability, arguments.value);
    }
    std::string operator()(const drm_set_client_cap& arguments) const {
        return fmt::format("capability={} value={}", arguments.capability, arguments.value);
    }
    std::string operator()(const drm_gem_close& arguments) const {
        return fmt::format("handle={}", arguments.handle);
    }
};

constexpr std::array table{
    ioctl_row<&version, Text>(DRM_IOCTL_VERSION, "VERSION"),
    ioctl_row<&get_unique, Text>(DRM_IOCTL_GET_UNIQUE, "GET_UNIQUE"),
    ioctl_row<&get_magic, Text>(DRM_IOCTL_GET_MAGIC, "GET_MAGIC", true),
    ioctl_row<&accept_magic, Text>(DRM_IOCTL_AUTH_MAGIC, "AUTH_MAGIC", true),
    ioctl_row<&set_version, Text>(DRM_IOCTL_SET_VERSION, "SET_VERSION", true),
    ioctl_row<&get_capability, Text>(DRM_IOCTL_GET_CAP, "GET_CAP"),
    ioctl_row<&set_client_capability, Text>(DRM_IOCTL_SET_CLIENT_CAP, "SET_CLIENT_CAP"),
    ioctl_row<&gem_close, Text>(DRM_IOCTL_GEM_CLOSE, "CLOSE"),
    ioctl_row<&become_master, Text>(DRM_IOCTL_SET_MASTER, "SET_MASTER", true),
    ioctl_row<&become_master, Text>(DRM_IOCTL_DROP_MASTER, "DROP_MASTER", true),
};

} // namespace

std::span<const Ioctl> core_ioctls() {
    return table;
}

} // namespace gem_upload::model
