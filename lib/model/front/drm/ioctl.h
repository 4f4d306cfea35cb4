// Tables of ioctls: a number, a name, the size of the kernel's structure, a function.
#pragma once

#include "model/front/drm/gem.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <sys/ioctl.h>

namespace gem_upload::model {

/// Who may call an ioctl, besides anybody on the primary node (DRM_RENDER_ALLOW, DRM_AUTH,
/// DRM_MASTER, DRM_ROOT_ONLY; drm_ioctl_permit). Bits of Ioctl::access.
enum Permission : unsigned {
    on_render_nodes = 1,
    authenticated = 2,
    by_the_master = 4,
    by_root = 8,
};

/// A row of a driver's table. RUN gets the kernel's copy of the arguments, as large as SIZE and
/// zeroed where the caller passed less, and returns 0 or a negative errno.
struct Ioctl {
    unsigned long request; ///< as the uAPI header defines it
    std::string_view name; ///< without DRM_IOCTL_, I915_ and GEM_
    int (*run)(Client& client, void* arguments);
    std::string (*describe)(const void* arguments); ///< for the trace, after the call
    unsigned access = 0;                            ///< of Permission

    [[nodiscard]] unsigned number() const { return _IOC_NR(request); }
    [[nodiscard]] std::size_t size() const { return _IOC_SIZE(request); }
};

/// The type of the last parameter of an ioctl's function.
template <typename Function>
struct IoctlArguments;
template <typename ClientType, typename Arguments>
struct IoctlArguments<int (*)(ClientType&, Arguments&)> {
    using ClientOf = ClientType;
    using Type = Arguments;
};

template <auto function>
int run_ioctl(Client& client, void* arguments) {
    using Traits = IoctlArguments<decltype(function)>;
    return function(static_cast<typename Traits::ClientOf&>(client),
                    *static_cast<typename Traits::Type*>(arguments));
}

/// TEXT has a call operator std::string(const Arguments&).
template <auto function, typename Text>
std::string describe_ioctl(const void* arguments) {
    using Traits = IoctlArguments<decltype(function)>;
    return Text{}(*static_cast<const typename Traits::Type*>(arguments));
}

/// A row made of a function int(ClientType&, Arguments&) and what describes its arguments.
template <auto function, typename Text>
constexpr Ioctl ioctl_row(unsigned long request, std::string_view name,
                          unsigned access = on_render_nodes) {
    return {request, name, &run_ioctl<function>, &describe_ioctl<function, Text>, access};
}

} // namespace gem_upload::model
