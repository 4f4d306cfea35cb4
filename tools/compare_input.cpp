#include "compare_input.h"

#include "compare_folder.h"
#include "results/sample_log.h"
#include "util/error.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <set>

namespace gem_upload::tools {
namespace {

namespace fs = std::filesystem;

bool all_different(const std::vector<std::string>& names) {
    return std::set<std::string>(names.begin(), names.end()).size() == names.size();
}

bool all_equal(const std::vector<std::string>& names) {
    return std::equal(names.begin() + 1, names.end(), names.begin());
}

/// The shortest names that tell the logs apart: what differs between names such as a run gives
/// (LABEL-upload_METHOD.txt), else the files' names, else the paths.
std::vector<std::string> names_of_logs(const std::vector<std::string>& paths) {
    std::vector<std::string> labels;
    std::vector<std::string> methods;
    std::vector<std::string> stems;
    bool named_by_run = true;
    for (const std::string& path : paths) {
        const LogName name = parse_log_name(fs::path(path).filename());
        named_by_run = named_by_run && !name.method.empty();
        labels.push_back(name.label);
        methods.push_back(name.method);
        stems.push_back(fs::path(path).stem());
    }
    if (named_by_run && all_equal(labels) && all_different(methods)) {
        return methods;
    }
    if (named_by_run && all_equal(methods) && all_different(labels)) {
        return labels;
    }
    return all_different(stems) ? stems : paths;
}

CompareInput logs_input(const std::vector<std::string>& paths, std::optional<int> column) {
    CompareInput input;
    Comparison& comparison = input.comparisons.emplace_back();
    const std::vector<std::string> names = names_of_logs(paths);
    for (std::size_t i = 0; i < paths.size(); ++i) {
        comparison.series.push_back(series_of_log(paths[i], column));
        comparison.series.back().name = names[i];
    }
    return input;
}

CompareInput one_folder_input(RunFolder folder) {
    CompareInput input{.comparisons = {}, .remarks = std::move(folder.remarks)};
    Comparison& comparison = input.comparisons.emplace_back();
    comparison.paired = folder.has_record;
    for (auto& [method, series] : folder.methods) {
        series.name = method;
        comparison.series.push_back(std::move(series));
    }
    return input;
}

std::vector<std::string> method_names(const RunFolder& folder) {
    std::vector<std::string> names;
    for (const auto& [method, series] : folder.methods) {
        names.push_back(method);
    }
    return names;
}

Series* find_method(RunFolder& folder, const std::string& method) {
    const auto found = std::find_if(folder.methods.begin(), folder.methods.end(),
                                    [&](const auto& entry) { return entry.first == method; });
    return found == folder.methods.end() ? nullptr : &found->second;
}

/// The methods that every folder has, in the first one's order.
std::vector<std::string> common_methods(std::vector<RunFolder>& folders) {
    std::vector<std::string> common = method_names(folders.front());
    std::erase_if(common, [&](const std::string& method) {
        return std::any_of(folders.begin(), folders.end(), [&](RunFolder& folder) {
            return find_method(folder, method) == nullptr;
        });
    });
    if (common.empty()) {
        std::vector<std::string> sides;
        sides.reserve(folders.size());
        for (const RunFolder& folder : folders) {
            sides.push_back(
                fmt::format("{} has {}", folder.path, fmt::join(method_names(folder), ", ")));
        }
        throw usage_error(
            fmt::format("the runs have no method in common: {}", fmt::join(sides, "; ")));
    }
    return common;
}

void remark_methods_left_out(const RunFolder& folder, const std::vector<std::string>& common,
                             std::vector<std::string>& remarks) {
    std::vector<std::string> alone = method_names(folder);
    std::erase_if(alone, [&](const std::string& method) {
        return std::find(common.begin(), common.end(), method) != common.end();
    });
    if (!alone.empty()) {
        remarks.push_back(fmt::format("Only some of the runs have {} ({} does): left out.",
                                      fmt::join(alone, ", "), folder.path));
    }
}

CompareInput several_folders_input(std::vector<RunFolder> folders) {
    CompareInput input;
    const std::vector<std::string> common = common_methods(folders);
    std::vector<std::string> labels;
    std::vector<std::string> paths;
    for (RunFolder& folder : folders) {
        labels.push_back(folder.label);
        paths.push_back(folder.path);
        std::move(folder.remarks.begin(), folder.remarks.end(), std::back_inserter(input.remarks));
        remark_methods_left_out(folder, common, input.remarks);
    }
    const std::vector<std::string>& names = all_different(labels) ? labels : paths;
    for (const std::string& method : common) {
        Comparison& comparison = input.comparisons.emplace_back();
        comparison.title = method;
        for (std::size_t i = 0; i < folders.size(); ++i) {
            comparison.series.push_back(std::move(*find_method(folders[i], method)));
            comparison.series.back().name = names[i];
        }
    }
    return input;
}

void refuse_repeated(const std::vector<std::string>& paths) {
    std::set<std::string> seen;
    for (const std::string& path : paths) {
        if (!seen.insert(path).second) {
            throw usage_error(fmt::format("{} is given twice: name each set once", path));
        }
    }
}

} // namespace

CompareInput read_compare_input(const std::vector<std::string>& paths, std::optional<int> column) {
    refuse_repeated(paths);
    const auto is_folder = [](const std::string& path) {
        std::error_code ignored;
        return fs::is_directory(path, ignored);
    };
    const std::size_t folder_count =
        static_cast<std::size_t>(std::count_if(paths.begin(), paths.end(), is_folder));
    if (folder_count == 0) {
        return logs_input(paths, column);
    }
    if (folder_count != paths.size()) {
        throw usage_error("log files and run folders are mixed: compare logs with logs, or runs "
                          "with runs");
    }
    if (column) {
        throw usage_error("-C chooses a column of log files: a run folder has none to choose");
    }
    std::vector<RunFolder> folders;
    folders.reserve(paths.size());
    for (const std::string& path : paths) {
        folders.push_back(read_run_folder(path));
    }
    return folders.size() == 1 ? one_folder_input(std::move(folders.front()))
                               : several_folders_input(std::move(folders));
}

} // namespace gem_upload::tools
