#include "answer.h"

#include <cstring>
#include <fmt/format.h>

namespace gem_upload::probe {

std::string errno_text(int error) {
    if (error == 0) {
        return "ok";
    }
    constexpr int not_supported = 524; // ENOTSUPP, the kernel's own, escapes at places
    const char* const name = error == not_supported ? "ENOTSUPP" : ::strerrorname_np(error);
    return name != nullptr ? name : fmt::format("errno {}", error);
}

std::string yes_or_no(bool value) {
    return value ? "yes" : "no";
}

CannotAsk::CannotAsk(const std::string& call, int error)
    : std::runtime_error(fmt::format("cannot ask: {}: {}", call, errno_text(error))) {}

void insist(const std::string& call, int error) {
    if (error != 0) {
        throw CannotAsk(call, error);
    }
}

} // namespace gem_upload::probe
