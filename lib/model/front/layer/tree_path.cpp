#include "model/front/layer/tree_path.h"

#include "model/front/settings_text.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace gem_upload::model {
namespace {

/// Whole folders, with all below them.
constexpr std::array<std::string_view, 6> folders{
    "/dev/dri",         "/sys/class/drm",        "/sys/bus/pci",
    "/sys/module/i915", "/sys/kernel/debug/dri", "/sys/devices/pci0000:00/0000:00:02.0"};
/// Folders whose list of entries is the tree's, while entries that are not the model's lead to the
/// machine's own.
constexpr std::array<std::string_view, 3> listings{"/sys/class", "/sys/bus",
                                                   "/sys/devices/pci0000:00"};
/// Beginnings of names.
constexpr std::array<std::string_view, 1> beginnings{"/sys/dev/char/226:"};

bool in_folder(std::string_view path, std::string_view folder) {
    return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

bool is_models(std::string_view path) {
    std::string_view bare = path;
    while (bare.size() > 1 && bare.back() == '/') {
        bare.remove_suffix(1);
    }
    const auto holds = [path](std::string_view folder) { return in_folder(path, folder); };
    const auto begins = [path](std::string_view beginning) { return path.starts_with(beginning); };
    return std::any_of(folders.begin(), folders.end(), holds) ||
           std::any_of(beginnings.begin(), beginnings.end(), begins) ||
           std::find(listings.begin(), listings.end(), bare) != listings.end();
}

struct Root {
    char path[PATH_MAX] = {};
    std::size_t length = 0;
    bool known = false;
};

std::string_view find_tree(std::string_view settings) {
    constexpr std::string_view name = "tree=";
    const std::size_t at = settings.starts_with(name) ? 0 : settings.find("\ntree=");
    if (at == std::string_view::npos) {
        return {};
    }
    settings.remove_prefix(settings.find('=', at) + 1);
    return settings.substr(0, settings.find('\n'));
}

} // namespace

std::string_view tree_root() {
    // Constant-initialised: there is no constructor to wait for. Two threads that come first at
    // once write the same.
    static Root root;
    if (!root.known && environ != nullptr) {
        const char* settings = ::getenv(settings_variable);
        const std::string_view tree = find_tree(settings != nullptr ? settings : "");
        if (tree.size() < sizeof root.path) {
            std::memcpy(root.path, tree.data(), tree.size());
            root.length = tree.size();
        }
        root.known = true;
    }
    return {root.path, root.length};
}

std::size_t strip_tree(char* path, std::size_t length) {
    const std::string_view root = tree_root();
    if (root.empty() || !in_folder({path, length}, root)) {
        return length;
    }
    std::memmove(path, path + root.size(), length - root.size());
    return length - root.size();
}

TreePath::TreePath(const char* path) : TreePath(AT_FDCWD, path) {}

TreePath::TreePath(int directory, const char* path) : path_(path), directory_(directory) {
    if (path == nullptr || path[0] == '\0' || tree_root().empty()) {
        return;
    }
    if (path[0] == '/') {
        resolve(path);
    } else if (directory != AT_FDCWD) {
        resolve_in(directory, path);
    }
}

void TreePath::resolve(std::string_view path) {
    const std::string_view root = tree_root();
    if (!is_models(path) || root.size() + path.size() >= sizeof buffer_) {
        return;
    }
    std::memcpy(buffer_, root.data(), root.size());
    std::memcpy(buffer_ + root.size(), path.data(), path.size());
    buffer_[root.size() + path.size()] = '\0';
    path_ = buffer_;
    directory_ = AT_FDCWD;
}

void TreePath::resolve_in(int directory, std::string_view path) {
    char link[64] = "/proc/self/fd/";
    char* digit = link + std::strlen(link);
    for (int place = 1000000000; place > 0; place /= 10) {
        *digit++ = static_cast<char>('0' + directory / place % 10);
    }
    // The kernel wants the number without leading zeros.
    char* const first = link + std::strlen("/proc/self/fd/");
    char* const significant = std::find_if(first, digit - 1, [](char c) { return c != '0'; });
    std::memmove(first, significant, static_cast<std::size_t>(digit - significant));
    first[digit - significant] = '\0';

    char whole[PATH_MAX];
    const long length = ::syscall(SYS_readlinkat, AT_FDCWD, link, whole, sizeof whole);
    if (length <= 0) {
        return;
    }
    const auto known = static_cast<std::size_t>(length);
    std::size_t end = known < sizeof whole ? strip_tree(whole, known) : known;
    const bool was_in_tree = end != known;
    const std::string_view folder(whole, end);
    if (!was_in_tree && !folder.starts_with("/sys") && !folder.starts_with("/dev") &&
        folder != "/") {
        return;
    }
    if (end + path.size() + 1 >= sizeof whole) {
        return;
    }
    if (folder != "/") {
        whole[end++] = '/';
    }
    std::memcpy(whole + end, path.data(), path.size());
    end += path.size();
    whole[end] = '\0';
    resolve({whole, end});
    if (!redirected() && was_in_tree) { // the machine's own entry, reached from a merged folder
        std::memcpy(buffer_, whole, end + 1);
        path_ = buffer_;
        directory_ = AT_FDCWD;
    }
}

} // namespace gem_upload::model
