// Errors that are fit to print, each with the exit status it leads to.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace gem_upload {

/// Exit statuses of every binary (README, "Exit status").
enum class Exit : int { success = 0, failure = 1, usage = 2, skipped = 77 };

/// One sentence for people: what was wrong and what to do.
class Error : public std::runtime_error {
public:
    Error(Exit status, const std::string& sentence)
        : std::runtime_error(sentence), status_(status) {}
    [[nodiscard]] Exit status() const { return status_; }

private:
    Exit status_;
};

/// Wrong data, a failed call: exit 1.
[[nodiscard]] Error failure(const std::string& sentence);
/// The command line or an input file is wrong: exit 2.
[[nodiscard]] Error usage_error(const std::string& sentence);
/// It cannot be measured here; says why and what would help: exit 77.
[[nodiscard]] Error cannot_measure(const std::string& sentence);
/// A failed system call or ioctl: "WHAT on WHERE failed: strerror (ENAME)", exit 1.
[[nodiscard]] Error failed_call(std::string_view what, std::string_view where, int errno_value);

/// "No such file or directory (ENOENT)".
[[nodiscard]] std::string errno_text(int errno_value);

} // namespace gem_upload
