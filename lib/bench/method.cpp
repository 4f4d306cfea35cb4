#include "bench/method.h"

namespace gem_upload::bench {

std::string_view group_name(Group group) {
    switch (group) {
    case Group::blit:
        return "blit";
    case Group::small:
        return "small";
    case Group::aperture:
        return "aperture";
    }
    return "?";
}

} // namespace gem_upload::bench
