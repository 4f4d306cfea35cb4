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

const Method* find_method(std::string_view name) {
    for (const Method* method : all_methods()) {
        if (method->name == name || method->short_name() == name) {
            return method;
        }
    }
    return nullptr;
}

} // namespace gem_upload::bench
