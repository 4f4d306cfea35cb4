// A fixed table of methods, so that the tests of the wrapper depend on no back end.
#include "bench/method.h"

namespace gem_upload::bench {
namespace {

constexpr Method method(std::string_view name, Group group, bool has_staged) {
    Method method{};
    method.name = name;
    method.group = group;
    method.has_staged = has_staged;
    return method;
}

constexpr Method table[] = {
    method("upload_blit_large", Group::blit, false),
    method("upload_blit_large_gtt", Group::blit, true),
    method("upload_blit_large_map", Group::blit, true),
    method("upload_blit_small", Group::small, false),
    method("upload_blit_small_map", Group::small, false),
    method("upload_aperture", Group::aperture, false),
    method("upload_aperture_map", Group::aperture, true),
};
constexpr const Method* methods[] = {&table[0], &table[1], &table[2], &table[3],
                                     &table[4], &table[5], &table[6]};

} // namespace

std::span<const Method* const> all_methods() {
    return methods;
}

} // namespace gem_upload::bench
