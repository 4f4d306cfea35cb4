// What has to be known of a program file before a layer can be preloaded into it.
#pragma once

#include <string>
#include <vector>

namespace gem_upload::model {

struct ProgramFile {
    bool elf = false;                ///< false: a script, whose interpreter the kernel finds
    bool elf64 = false;              ///< for 64-bit x86
    bool dynamic = false;            ///< has a dynamic loader, which is what preloads
    bool privileged = false;         ///< set-user-ID and such: the loader ignores LD_PRELOAD
    std::vector<std::string> needed; ///< the libraries that it names (DT_NEEDED)
};

/// Where execvp(3) would find NAME; throws usage_error where it would find nothing.
[[nodiscard]] std::string find_program(const std::string& name);

/// Throws failed_call where the file cannot be read.
[[nodiscard]] ProgramFile inspect_program(const std::string& path);

/// The AddressSanitizer runtime among the libraries that a file needs, or empty.
[[nodiscard]] std::string sanitizer_runtime(const ProgramFile& file);

} // namespace gem_upload::model
