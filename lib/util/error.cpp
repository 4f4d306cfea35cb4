#include "util/error.h"

#include <cstring>
#include <fmt/format.h>

namespace gem_upload {

Error failure(const std::string& sentence) {
    return {Exit::failure, sentence};
}
Error usage_error(const std::string& sentence) {
    return {Exit::usage, sentence};
}
Error cannot_measure(const std::string& sentence) {
    return {Exit::skipped, sentence};
}

Error failed_call(std::string_view what, std::string_view where, int errno_value) {
    return failure(fmt::format("{} on {} failed: {}", what, where, errno_text(errno_value)));
}

std::string errno_text(int errno_value) {
    const char* name = strerrorname_np(errno_value);
    return fmt::format(
        "{} ({})", strerrordesc_np(errno_value) ? strerrordesc_np(errno_value) : "unknown error",
        name ? name : std::to_string(errno_value));
}

} // namespace gem_upload
