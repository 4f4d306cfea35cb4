// Paths that lead to the model's tree instead of the kernel's files.
#pragma once

#include <climits>
#include <cstddef>
#include <string_view>

namespace gem_upload::model {

/// The tree of this process, or empty where it is not on the model. Never allocates.
[[nodiscard]] std::string_view tree_root();

/// A path as a system call is to get it: in the tree where the model has that file, else unchanged.
/// Lives on the stack and never allocates, so that it works in the smallest of worlds.
class TreePath {
public:
    /// DIRECTORY and PATH as openat(2) takes them. A folder's own path is looked up where PATH is
    /// relative, so that walks through /sys by descriptors are redirected as well.
    TreePath(int directory, const char* path);
    explicit TreePath(const char* path);
    TreePath(const TreePath&) = delete;
    TreePath& operator=(const TreePath&) = delete;

    [[nodiscard]] const char* get() const { return path_; }
    [[nodiscard]] int directory() const { return directory_; }
    [[nodiscard]] bool redirected() const { return path_ == buffer_; }

private:
    void resolve(std::string_view path);
    void resolve_in(int directory, std::string_view path);

    const char* path_;
    int directory_;
    char buffer_[PATH_MAX];
};

/// A path without the tree's own part: what the program would have seen. In place; returns the
/// length.
std::size_t strip_tree(char* path, std::size_t length);

} // namespace gem_upload::model
