// Files that are never half written.
#pragma once

#include <string>
#include <string_view>

namespace gem_upload {

/// The whole file. Throws failed_call.
[[nodiscard]] std::string read_file(const std::string& path);
/// A file's content in memory, read as far as it is looked at.
class MappedFile {
public:
    /// Throws failed_call.
    explicit MappedFile(const std::string& path);
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    ~MappedFile();
    [[nodiscard]] std::string_view content() const { return content_; }

private:
    std::string_view content_;
};

/// The first line of a small file such as one of sysfs's, empty when it cannot be read.
[[nodiscard]] std::string read_first_line(const std::string& path);
/// Appends in one write(2) and waits for the disk (fdatasync). Throws failed_call.
void append_synced(const std::string& path, std::string_view text);
/// Writes beside the file, syncs, then renames over it. Throws failed_call.
void replace_file(const std::string& path, std::string_view text);

} // namespace gem_upload
