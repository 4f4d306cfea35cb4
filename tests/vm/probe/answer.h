// How answers are written: stable and comparable, without addresses and times.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace gem_upload::probe {

/// "ok" for 0, else the error's name ("EINVAL").
[[nodiscard]] std::string errno_text(int error);

/// "yes" or "no".
[[nodiscard]] std::string yes_or_no(bool value);

/// What keeps a question from being asked at all: its text becomes the answer.
class CannotAsk : public std::runtime_error {
public:
    CannotAsk(const std::string& call, int error);
};

/// Throws CannotAsk unless ERROR is 0.
void insist(const std::string& call, int error);

} // namespace gem_upload::probe
