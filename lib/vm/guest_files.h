// A folder that becomes the guest's root: files are put under the names that they have there.
#pragma once

#include "util/stop_signals.h"

#include <set>
#include <string>
#include <string_view>

namespace gem_upload::vm {

class GuestFiles {
public:
    GuestFiles(std::string folder, StopSignals& signals)
        : folder_(std::move(folder)), signals_(signals) {}

    /// Throws failed_call, as all of these do.
    void add_folder(const std::string& guest_path);
    void add_text(const std::string& guest_path, std::string_view text);
    void add_script(const std::string& guest_path, std::string_view text); ///< executable
    /// A copy of a host's file, links followed.
    void add_file(const std::string& host_path, const std::string& guest_path);
    /// A copy without debug information, where `strip` is there and it is worth while; with the
    /// libraries that it needs. Throws failure naming a library that is missing.
    void add_program(const std::string& host_path, const std::string& guest_path);
    /// A script with its interpreter, or a program; where it is on the host.
    void add_command(const std::string& host_path);
    [[nodiscard]] bool has(const std::string& guest_path) const;

    /// Packs all into a cpio archive, as the kernel unpacks it. Throws failure.
    void pack(const std::string& archive);
    [[nodiscard]] const std::string& folder() const { return folder_; }

private:
    [[nodiscard]] std::string make_place(const std::string& guest_path) const;
    void add_library(const std::string& host_path);
    void add_stripped(const std::string& host_path, const std::string& guest_path);

    std::string folder_;
    StopSignals& signals_;
    std::string library_folder_; ///< where the C library lies: the loader looks there
    std::set<std::string> libraries_;
};

} // namespace gem_upload::vm
