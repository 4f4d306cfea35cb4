// How the core's inner functions refuse something; run_batch turns it into a Fault.
#pragma once

#include "model/gpu.h"

#include <fmt/format.h>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

namespace gem_upload::model {

/// What is wrong with a command, without the place where it stands.
class Rejection : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// No row of the command tables fits a header.
class UnknownCommand : public Rejection {
public:
    using Rejection::Rejection;
};

/// Throws a Rejection with formatted words.
template <typename... Values>
[[noreturn]] void reject(fmt::format_string<Values...> format, Values&&... values) {
    throw Rejection(fmt::format(format, std::forward<Values>(values)...));
}

/// The memory at a GPU address, never empty; a Rejection if there is none.
[[nodiscard]] inline Span reach(AddressSpace& memory, Engine engine, std::uint64_t address,
                                Access access) {
    const auto found = memory.translate(engine, address, access);
    if (const auto* fault = std::get_if<Fault>(&found)) {
        throw Rejection(fault->what);
    }
    const Span span = std::get<Span>(found);
    if (span.empty()) {
        throw Rejection("there is no memory");
    }
    return span;
}

} // namespace gem_upload::model
