#include "model/front/i915/extensions.h"

#include "model/front/drm/user_memory.h"

#include <algorithm>
#include <cerrno>
#include <i915_drm.h>
#include <iterator>

namespace gem_upload::model::i915 {

int for_each_extension(std::uint64_t address,
                       const std::function<int(std::uint32_t, std::uint64_t)>& do_it) {
    constexpr int longest_chain = 512;
    for (int length = 0; address != 0; ++length) {
        i915_user_extension extension{};
        if (length == longest_chain) {
            return -E2BIG;
        }
        if (!copy_from_user(extension, address)) {
            return -EFAULT;
        }
        const bool reserved = std::any_of(std::begin(extension.rsvd), std::end(extension.rsvd),
                                          [](std::uint32_t value) { return value != 0; });
        if (extension.flags != 0 || reserved) {
            return -EINVAL;
        }
        if (const int error = do_it(extension.name, address)) {
            return error;
        }
        address = extension.next_extension;
    }
    return 0;
}

} // namespace gem_upload::model::i915
