// What the guest tells over its control channel, line by line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gem_upload::vm {

/// All that has come so far; a guest may end after any line.
struct GuestRecord {
    std::string release;                              ///< empty: the guest's init has not come up
    std::string loading;                              ///< the module being loaded; empty: none
    std::vector<std::pair<std::string, int>> modules; ///< loaded: 0, or the errno
    std::vector<std::pair<std::string, std::string>>
        nodes;                           ///< DRM nodes and the driver that each belongs to
    int share_errno = 0;                 ///< of mounting the share
    bool running = false;                ///< the command has been started
    std::optional<int> unstarted;        ///< the errno, where it could not be
    std::optional<int> status;           ///< of the command, in waitpid's form
    std::optional<std::uint64_t> before; ///< interrupts of the drivers when the command began
    std::optional<std::uint64_t> after;  ///< and when it had ended
    bool ended = false;                  ///< the guest has ended in order

    [[nodiscard]] bool has_failed_module() const;
    /// All modules are loaded, and the command's turn has come.
    [[nodiscard]] bool loaded() const { return running || unstarted; }
};

/// Takes a line; false for one that is not understood, and changes nothing.
bool apply_line(GuestRecord& record, std::string_view line);

/// The line for a record's field, as apply_line takes it.
[[nodiscard]] std::string release_line(std::string_view release);
[[nodiscard]] std::string loading_line(std::string_view module);
[[nodiscard]] std::string module_line(std::string_view module, int error);
[[nodiscard]] std::string node_line(std::string_view node, std::string_view driver);
[[nodiscard]] std::string number_line(std::string_view name, std::int64_t value);
inline constexpr std::string_view running_line = "running\n";
inline constexpr std::string_view ended_line = "ended\n";

/// The interrupts of the drivers in a text of /proc/interrupts, of all CPUs.
[[nodiscard]] std::uint64_t count_interrupts(std::string_view proc_interrupts,
                                             const std::vector<std::string>& drivers);

/// What stands in the guest's kernel log once its drivers are loaded: what comes after is about
/// them.
inline constexpr std::string_view loaded_mark = "gem-upload-guest: drivers are loaded";

} // namespace gem_upload::vm
