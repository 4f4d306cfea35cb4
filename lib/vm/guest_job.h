// What the guest's init is told to do: a file of lines in its initramfs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gem_upload::vm {

inline constexpr const char* job_path = "/etc/gem-upload-guest";

struct GuestJob {
    std::vector<std::string> support; ///< modules loaded first: buses, the share
    std::vector<std::string> drivers; ///< the GPU drivers, then loaded in turn
    bool share = false;               ///< mount the share
    struct Terminal {
        unsigned short rows;
        unsigned short columns;
        std::string type; ///< TERM
    };
    std::optional<Terminal> terminal; ///< the command gets it, and is a shell where it is empty
    std::string path;                 ///< PATH
    std::vector<std::string> command;
};

[[nodiscard]] std::string job_to_text(const GuestJob& job);
/// Throws failure that names a line that is not understood.
[[nodiscard]] GuestJob job_from_text(std::string_view text);

/// Any text in one line: control characters and '%' as %XX.
[[nodiscard]] std::string line_escaped(std::string_view text);
[[nodiscard]] std::string line_unescaped(std::string_view text);

} // namespace gem_upload::vm
