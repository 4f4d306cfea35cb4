#include "compare_environment.h"

#include "util/error.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <optional>
#include <sstream>

namespace gem_upload::tools {
namespace {

using drm::Environment;

std::optional<std::string> value_of(const Environment& environment, const std::string& name) {
    const auto found = std::find_if(environment.begin(), environment.end(),
                                    [&](const auto& entry) { return entry.first == name; });
    return found == environment.end() ? std::nullopt : std::optional(found->second);
}

/// The kernel's parameter, which is not there where its default holds.
std::optional<std::string> mitigations(const Series& series) {
    constexpr std::string_view parameter = "mitigations=";
    const auto command_line = value_of(series.environment, "kernel_command_line");
    if (!command_line) {
        return std::nullopt;
    }
    std::istringstream words(*command_line);
    std::string value = "auto"; // Documentation/admin-guide/kernel-parameters.txt
    for (std::string word; words >> word;) {
        if (word.starts_with(parameter)) {
            value = word.substr(parameter.size());
        }
    }
    return value;
}

std::optional<std::string> measured_on(const Series& series) {
    if (series.model) {
        return "the model";
    }
    return value_of(series.environment, "device") ? std::optional<std::string>("hardware")
                                                  : std::nullopt;
}

struct Condition {
    std::string name;
    std::function<std::optional<std::string>(const Series&)> read;
};

Condition recorded(const std::string& name) {
    return {name, [name](const Series& series) { return value_of(series.environment, name); }};
}

std::vector<Condition> conditions() {
    std::vector<Condition> all{{"measured on", measured_on}};
    for (const char* name :
         {"cpu_model", "cpu_microcode", "cpu_flags", "cpus_online", "governor", "turbo",
          "mains_power", "iommu", "pci_id", "gpu_min_mhz", "gpu_max_mhz"}) {
        all.push_back(recorded(name));
    }
    all.push_back({"mitigations", mitigations});
    return all;
}

/// The condition of each set that tells it; nothing where they agree.
std::string difference(const Comparison& comparison, const Condition& condition) {
    std::vector<std::string> values;
    std::vector<std::string> named;
    for (const Series& series : comparison.series) {
        if (const auto value = condition.read(series)) {
            values.push_back(*value);
            named.push_back(fmt::format("{} ({})", *value, series.name));
        }
    }
    const bool same =
        std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
    return same ? std::string() : fmt::format("{}: {}", condition.name, fmt::join(named, ", "));
}

} // namespace

std::vector<std::string> environment_differences(const Comparison& comparison) {
    std::vector<std::string> differences;
    for (const Condition& condition : conditions()) {
        std::string found = difference(comparison, condition);
        if (!found.empty()) {
            differences.push_back(std::move(found));
        }
    }
    return differences;
}

void check_environments(std::vector<Comparison>& comparisons, bool force) {
    for (Comparison& comparison : comparisons) {
        comparison.mismatches = environment_differences(comparison);
        if (!comparison.mismatches.empty() && !force) {
            throw usage_error(fmt::format(
                "the sets were measured under different conditions, so a difference would say "
                "nothing ({}): measure both alike, or compare all the same with --force",
                fmt::join(comparison.mismatches, "; ")));
        }
    }
}

} // namespace gem_upload::tools
