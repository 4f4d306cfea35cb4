// Where fetched kernels are kept, and where what one run needs is made.
#pragma once

#include <cstdint>
#include <string>

namespace gem_upload::vm {

/// $XDG_CACHE_HOME/gem-upload-tools, or ~/.cache/gem-upload-tools; made where it is missing, and
/// cleared of what runs left that were killed. Throws failure that says what to set.
[[nodiscard]] std::string cache_folder();

/// Throws failure where fewer than BYTES are free, naming the folder.
void require_space(const std::string& folder, std::uint64_t bytes);

/// A fresh folder inside of another, removed with all in it at the end.
class WorkFolder {
public:
    explicit WorkFolder(const std::string& parent);
    WorkFolder(const WorkFolder&) = delete;
    WorkFolder& operator=(const WorkFolder&) = delete;
    ~WorkFolder();
    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::string path_;
};

} // namespace gem_upload::vm
