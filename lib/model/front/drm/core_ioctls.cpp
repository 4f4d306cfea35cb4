#include "model/front/drm/core_ioctls.h"

#include "model/front/device_tree.h"
#include "model/front/drm/user_memory.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <drm.h>
#include <drm_mode.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <utility>

namespace gem_upload::model {
namespace {

constexpr std::uint32_t page_size = 4096;

/// As drm_ioctl.c's drm_copy_field(): copies what fits and tells the whole length. 0 or -EFAULT.
int copy_field(char* buffer, __kernel_size_t& length, std::string_view value) {
    const std::size_t room = length;
    length = value.size();
    if (buffer == nullptr || room == 0) {
        return 0;
    }
    const std::size_t bytes = std::min(room, value.size());
    if (!writable(reinterpret_cast<std::uintptr_t>(buffer), bytes)) {
        return -EFAULT;
    }
    std::memcpy(buffer, value.data(), bytes);
    return 0;
}

int version(CoreClient& client, drm_version& arguments) {
    const DriverVersion version = client.driver().version();
    arguments.version_major = version.major;
    arguments.version_minor = version.minor;
    arguments.version_patchlevel = version.patch;
    int error = copy_field(arguments.name, arguments.name_len, version.name);
    if (error == 0) {
        error = copy_field(arguments.date, arguments.date_len, version.date);
    }
    if (error == 0) {
        error = copy_field(arguments.desc, arguments.desc_len, version.description);
    }
    return error;
}

/// drm_getunique(): all of it or nothing.
int get_unique(CoreClient& client, drm_unique& arguments) {
    const std::string& unique = client.credentials().master->unique;
    const std::size_t room = arguments.unique_len;
    arguments.unique_len = unique.size();
    if (room < unique.size() || unique.empty()) {
        return 0;
    }
    if (!writable(reinterpret_cast<std::uintptr_t>(arguments.unique), unique.size())) {
        return -EFAULT;
    }
    std::memcpy(arguments.unique, unique.data(), unique.size());
    return 0;
}

int get_magic(CoreClient& client, drm_auth& arguments) {
    arguments.magic = client.driver().authentication().magic_of(client.credentials());
    return 0;
}

int accept_magic(CoreClient& client, drm_auth& arguments) {
    return client.driver().authentication().accept(client.credentials(), arguments.magic);
}

/// drm_setversion(): -1 asks for nothing.
bool version_known(int major, int minor, int known_major, int known_minor) {
    return major == -1 || (major == known_major && minor >= 0 && minor <= known_minor);
}

int set_version(CoreClient& client, drm_set_version& arguments) {
    constexpr int interface_major = 1;
    constexpr int interface_minor = 4;
    const DriverVersion driver = client.driver().version();
    int error = 0;
    if (!version_known(arguments.drm_di_major, arguments.drm_di_minor, interface_major,
                       interface_minor)) {
        error = -EINVAL;
    } else {
        if (arguments.drm_di_major != -1 && arguments.drm_di_minor >= 1) {
            client.credentials().master->unique = fmt::format("pci:{}", device_pci_address);
        }
        if (!version_known(arguments.drm_dd_major, arguments.drm_dd_minor, driver.major,
                           driver.minor)) {
            error = -EINVAL;
        }
    }
    arguments.drm_di_major = interface_major;
    arguments.drm_di_minor = interface_minor;
    arguments.drm_dd_major = driver.major;
    arguments.drm_dd_minor = driver.minor;
    return error;
}

int get_capability(CoreClient& client, drm_get_cap& arguments) {
    std::uint64_t value = 0;
    switch (arguments.capability) {
    case DRM_CAP_TIMESTAMP_MONOTONIC:
        value = 1;
        break;
    case DRM_CAP_PRIME:
        value = DRM_PRIME_CAP_IMPORT | DRM_PRIME_CAP_EXPORT;
        break;
    case DRM_CAP_SYNCOBJ: // not in the model
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

/// drm_setclientcap(). They unlock what belongs to a display; the model shows none, and has nothing
/// to remember.
int set_client_capability(CoreClient& client, drm_set_client_cap& arguments) {
    switch (arguments.capability) {
    case DRM_CLIENT_CAP_ATOMIC:
        if (!client.driver().atomic()) {
            return -EOPNOTSUPP;
        }
        return arguments.value > 2 ? -EINVAL : 0;
    case DRM_CLIENT_CAP_STEREO_3D:
    case DRM_CLIENT_CAP_UNIVERSAL_PLANES:
    case DRM_CLIENT_CAP_ASPECT_RATIO:
        return arguments.value > 1 ? -EINVAL : 0;
    default:
        return -EINVAL;
    }
}

int gem_close(CoreClient& client, drm_gem_close& arguments) {
    return client.remove(arguments.handle) == nullptr ? -EINVAL : 0;
}

struct NoArguments {};

int set_master(CoreClient& client, NoArguments& /*arguments*/) {
    return client.driver().authentication().set_master(client.credentials());
}
int drop_master(CoreClient& client, NoArguments& /*arguments*/) {
    return client.driver().authentication().drop_master(client.credentials());
}

int gem_flink(CoreClient& client, drm_gem_flink& arguments) {
    const std::shared_ptr<GemObject> object = client.find(arguments.handle);
    if (object == nullptr) {
        return -ENOENT;
    }
    arguments.name = client.driver().names().name(object);
    return 0;
}

/// A new handle each time, also where the client has one.
int gem_open(CoreClient& client, drm_gem_open& arguments) {
    std::shared_ptr<GemObject> object = client.driver().names().find(arguments.name);
    if (object == nullptr) {
        return -ENOENT;
    }
    arguments.size = object->size();
    arguments.handle = client.add(std::move(object));
    return 0;
}

int prime_handle_to_fd(CoreClient& client, drm_prime_handle& arguments) {
    const std::uint32_t known = DRM_CLOEXEC | DRM_RDWR;
    if ((arguments.flags & ~known) != 0) {
        return -EINVAL;
    }
    const std::shared_ptr<GemObject> object = client.find(arguments.handle);
    if (object == nullptr) {
        return -ENOENT;
    }
    return client.driver().shared().export_object(object, (arguments.flags & DRM_RDWR) != 0,
                                                  (arguments.flags & DRM_CLOEXEC) != 0,
                                                  arguments.fd);
}

/// The handle that the client has, or a new one. Buffers of other devices do not exist here.
int prime_fd_to_handle(CoreClient& client, drm_prime_handle& arguments) {
    if (::fcntl(arguments.fd, F_GETFD) < 0) {
        return -EBADF;
    }
    const std::shared_ptr<GemObject> object = client.driver().shared().find(arguments.fd);
    if (object == nullptr) {
        return -EINVAL;
    }
    const std::uint32_t known = client.handle_of(*object);
    arguments.handle = known != 0 ? known : client.add(object);
    return 0;
}

/// drm_mode_create_dumb(): nothing that does not fit into 32 bits.
int create_dumb(CoreClient& client, drm_mode_create_dumb& arguments) {
    constexpr std::uint32_t most = UINT32_MAX;
    if (arguments.width == 0 || arguments.height == 0 || arguments.bpp == 0 ||
        arguments.bpp > most - 8) {
        return -EINVAL;
    }
    const std::uint64_t row = std::uint64_t{arguments.width} * ((arguments.bpp + 7) / 8);
    if (row > most || row * arguments.height > most - (page_size - 1)) {
        return -EINVAL;
    }
    arguments.handle = 0;
    arguments.pitch = 0;
    arguments.size = 0;
    return client.driver().create_dumb(client, arguments);
}

int map_dumb(CoreClient& client, drm_mode_map_dumb& arguments) {
    std::uint64_t offset = arguments.offset;
    const int error = client.driver().map_dumb(client, arguments.handle, offset);
    arguments.offset = offset;
    return error;
}

int destroy_dumb(CoreClient& client, drm_mode_destroy_dumb& arguments) {
    return client.remove(arguments.handle) == nullptr ? -EINVAL : 0;
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
    std::string operator()(const drm_gem_flink& arguments) const {
        return fmt::format("handle={} name={}", arguments.handle, arguments.name);
    }
    std::string operator()(const drm_gem_open& arguments) const {
        return fmt::format("name={} handle={}", arguments.name, arguments.handle);
    }
    std::string operator()(const drm_prime_handle& arguments) const {
        return fmt::format("handle={} fd={}", arguments.handle, arguments.fd);
    }
    std::string operator()(const drm_mode_create_dumb& arguments) const {
        return fmt::format("handle={} size={}", arguments.handle, arguments.size);
    }
    std::string operator()(const drm_mode_map_dumb& arguments) const {
        return fmt::format("handle={} offset={:#x}", arguments.handle, arguments.offset);
    }
    std::string operator()(const drm_mode_destroy_dumb& arguments) const {
        return fmt::format("handle={}", arguments.handle);
    }
};

constexpr std::array table{
    ioctl_row<&version, Text>(DRM_IOCTL_VERSION, "VERSION"),
    ioctl_row<&get_unique, Text>(DRM_IOCTL_GET_UNIQUE, "GET_UNIQUE", 0),
    ioctl_row<&get_magic, Text>(DRM_IOCTL_GET_MAGIC, "GET_MAGIC", 0),
    ioctl_row<&accept_magic, Text>(DRM_IOCTL_AUTH_MAGIC, "AUTH_MAGIC", by_the_master),
    ioctl_row<&set_version, Text>(DRM_IOCTL_SET_VERSION, "SET_VERSION", by_the_master),
    ioctl_row<&get_capability, Text>(DRM_IOCTL_GET_CAP, "GET_CAP"),
    ioctl_row<&set_client_capability, Text>(DRM_IOCTL_SET_CLIENT_CAP, "SET_CLIENT_CAP", 0),
    ioctl_row<&set_master, Text>(DRM_IOCTL_SET_MASTER, "SET_MASTER", 0),
    ioctl_row<&drop_master, Text>(DRM_IOCTL_DROP_MASTER, "DROP_MASTER", 0),
    ioctl_row<&gem_close, Text>(DRM_IOCTL_GEM_CLOSE, "CLOSE"),
    ioctl_row<&gem_flink, Text>(DRM_IOCTL_GEM_FLINK, "FLINK", authenticated),
    ioctl_row<&gem_open, Text>(DRM_IOCTL_GEM_OPEN, "OPEN", authenticated),
    ioctl_row<&prime_handle_to_fd, Text>(DRM_IOCTL_PRIME_HANDLE_TO_FD, "PRIME_HANDLE_TO_FD"),
    ioctl_row<&prime_fd_to_handle, Text>(DRM_IOCTL_PRIME_FD_TO_HANDLE, "PRIME_FD_TO_HANDLE"),
    ioctl_row<&create_dumb, Text>(DRM_IOCTL_MODE_CREATE_DUMB, "CREATE_DUMB", 0),
    ioctl_row<&map_dumb, Text>(DRM_IOCTL_MODE_MAP_DUMB, "MAP_DUMB", 0),
    ioctl_row<&destroy_dumb, Text>(DRM_IOCTL_MODE_DESTROY_DUMB, "DESTROY_DUMB", 0),
};

} // namespace

std::span<const Ioctl> core_ioctls() {
    return table;
}

} // namespace gem_upload::model
