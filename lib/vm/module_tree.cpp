#include "vm/module_tree.h"

#include "util/error.h"
#include "vm/lines.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gem_upload::vm {
namespace {

namespace fs = std::filesystem;

/// Indexed by depmod, or not yet.
bool has_modules(const fs::path& folder, const std::string& release) {
    std::error_code ignored;
    return fs::is_regular_file(folder / "modules.dep", ignored) ||
           (folder.filename() == release && fs::is_directory(folder / "kernel", ignored));
}

std::vector<std::string> releases_in(const fs::path& folder) {
    std::vector<std::string> releases;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
        if (has_modules(entry.path(), entry.path().filename())) {
            releases.push_back(entry.path().filename());
        }
    }
    std::ranges::sort(releases);
    return releases;
}

} // namespace

std::string module_name(std::string_view path) {
    std::string name(path.substr(path.rfind('/') + 1));
    name.resize(std::min(name.find(".ko"), name.size()));
    std::ranges::replace(name, '-', '_');
    return name;
}

ModuleTree::ModuleTree(std::string_view dependencies, std::string_view builtin) {
    for (std::string_view line : lines_of(dependencies)) {
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos) {
            continue;
        }
        ModuleFile file{std::string(line.substr(0, colon)), {}};
        line.remove_prefix(std::min(colon + 2, line.size()));
        while (!line.empty()) {
            file.needs.emplace_back(take_word(line));
        }
        files_.emplace(module_name(file.path), std::move(file));
    }
    for (const std::string_view line : lines_of(builtin)) {
        builtin_.insert(module_name(line));
    }
}

bool ModuleTree::is_builtin(const std::string& module) const {
    return builtin_.contains(module_name(module));
}

const ModuleFile* ModuleTree::find(const std::string& module) const {
    const auto file = files_.find(module_name(module));
    return file == files_.end() ? nullptr : &file->second;
}

std::set<std::string> ModuleTree::files_for(const std::vector<std::string>& modules,
                                            const std::string& folder) const {
    std::set<std::string> files;
    for (const std::string& module : modules) {
        const ModuleFile* const file = find(module);
        if (file == nullptr && !is_builtin(module)) {
            throw failure(fmt::format("there is no module {} in '{}', nor is it built into the "
                                      "kernel",
                                      module, folder));
        }
        if (file != nullptr) {
            files.insert(file->path);
            files.insert(file->needs.begin(), file->needs.end());
        }
    }
    return files;
}

std::string find_module_folder(const std::string& named, const std::string& release) {
    const fs::path folder = fs::absolute(named).lexically_normal();
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored)) {
        throw failure(fmt::format("'{}' is no folder of modules: there is no such folder", named));
    }
    if (has_modules(folder, release)) {
        return folder;
    }
    for (const fs::path& parent : {folder / "lib/modules", folder / "usr/lib/modules", folder}) {
        const std::vector<std::string> releases = releases_in(parent);
        if (std::ranges::find(releases, release) != releases.end()) {
            return parent / release;
        }
        if (!releases.empty()) {
            throw failure(fmt::format("the modules in '{}' are of release {}, but the kernel is "
                                      "{}: give modules and image of one build",
                                      parent.string(), fmt::join(releases, ", "), release));
        }
    }
    throw failure(fmt::format("'{}' is no folder of modules: it has no modules.dep, and no "
                              "lib/modules/{}",
                              named, release));
}

std::string module_release(std::string_view module_bytes) {
    using namespace std::string_view_literals;
    constexpr std::string_view field = "\0vermagic="sv;
    const std::size_t at = module_bytes.find(field);
    if (at == std::string_view::npos) {
        return "";
    }
    const std::string_view text = module_bytes.substr(at + field.size(), 256);
    return std::string(text.substr(0, text.find_first_of(" \0"sv)));
}

} // namespace gem_upload::vm
