// Prints the manual page sections of a group's methods from their descriptors, at build time.
#include "bench/method.h"
#include "util/error.h"

#include <cctype>
#include <exception>
#include <fmt/format.h>
#include <span>
#include <string>
#include <string_view>

namespace gem_upload::bench {
namespace {

std::string canonical_size(const Method& method) {
    const std::uint64_t bytes = std::uint64_t{4} * method.width * method.height;
    return fmt::format(
        "{} x {} pixels of 4 bytes ({} bytes), {} iterations a sample, {} stores of {} bytes",
        method.width, method.height, bytes, method.iterations,
        method.store.type == StoreType::plain ? "plain" : "non-temporal", method.store.width);
}

std::string as_sentence(std::string_view words) {
    std::string sentence{words};
    sentence.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(words.front())));
    return sentence + ".";
}

/// reStructuredText: a subsection named after the binary.
std::string describe(const Method& method) {
    return fmt::format("{0}\n{1:~<{2}}\n{3}\n\n"
                       ":Stands for: {4}\n"
                       ":Canonical workload: {5}\n"
                       ":Variants: {6}\n\n{7}\n\n",
                       method.name, "", method.name.size(), as_sentence(method.summary),
                       method.workload, canonical_size(method),
                       method.has_staged ? "direct, staged" : "direct", method.algorithm);
}

/// The sections of the group's methods; throws usage_error for a group without any.
std::string describe_group(std::string_view group) {
    std::string text;
    for (const Method* method : all_methods()) {
        if (group_name(method->group) == group) {
            text += describe(*method);
        }
    }
    if (text.empty()) {
        throw usage_error(fmt::format("there is no method in a group '{}'", group));
    }
    return text;
}

} // namespace
} // namespace gem_upload::bench

int main(int argc, char** argv) {
    try {
        const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
        if (arguments.size() != 2) {
            throw gem_upload::usage_error("usage: describe_methods GROUP");
        }
        fmt::print("{}", gem_upload::bench::describe_group(arguments[1]));
        return 0;
    } catch (const gem_upload::Error& error) {
        fmt::print(stderr, "describe_methods: {}\n", error.what());
        return static_cast<int>(error.status());
    } catch (const std::exception& error) {
        fmt::print(stderr, "describe_methods: {}\n", error.what());
        return static_cast<int>(gem_upload::Exit::failure);
    }
}
