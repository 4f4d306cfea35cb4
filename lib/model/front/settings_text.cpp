#include "model/front/settings_text.h"

#include "util/error.h"

#include <array>
#include <charconv>
#include <fmt/format.h>

namespace gem_upload::model {
namespace {

struct ExecutionName {
    Settings::Execution execution;
    std::string_view name;
};

constexpr std::array<ExecutionName, 3> execution_names{{
    {Settings::Execution::asynchronous, "asynchronous"},
    {Settings::Execution::immediate, "immediate"},
    {Settings::Execution::late, "late"},
}};

void append(std::string& text, std::string_view name, std::string_view value) {
    if (value.find('\n') != std::string_view::npos) {
        throw usage_error(fmt::format("the model's setting '{}' holds a line break", name));
    }
    text += fmt::format("{}={}\n", name, value);
}

pid_t parse_pid(std::string_view text) {
    pid_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < 0) {
        throw usage_error(fmt::format("{}: '{}' is not a process id", settings_variable, text));
    }
    return value;
}

void apply(LayerSettings& result, std::string_view name, std::string_view value) {
    if (name == "chip") {
        result.settings.chip = value;
    } else if (name == "execution") {
        result.settings.execution = execution_from_name(value);
    } else if (name == "check-clock") {
        result.settings.check_clock = value == "yes";
    } else if (name == "trace") {
        result.settings.trace_path = value;
    } else if (name == "fault") {
        result.settings.faults.emplace_back(value);
    } else if (name == "tree") {
        result.tree = value;
    } else if (name == "owner") {
        result.owner = parse_pid(value);
    } else {
        throw usage_error(fmt::format("{}: there is no setting '{}'", settings_variable, name));
    }
}

} // namespace

std::string_view execution_name(Settings::Execution execution) {
    for (const ExecutionName& entry : execution_names) {
        if (entry.execution == execution) {
            return entry.name;
        }
    }
    return "unknown";
}

Settings::Execution execution_from_name(std::string_view name) {
    for (const ExecutionName& entry : execution_names) {
        if (entry.name == name) {
            return entry.execution;
        }
    }
    throw usage_error(
        fmt::format("there is no execution '{}': it is asynchronous, immediate or late", name));
}

std::string settings_to_text(const LayerSettings& layer) {
    std::string text;
    append(text, "chip", layer.settings.chip);
    append(text, "execution", execution_name(layer.settings.execution));
    append(text, "check-clock", layer.settings.check_clock ? "yes" : "no");
    if (!layer.settings.trace_path.empty()) {
        append(text, "trace", layer.settings.trace_path);
    }
    for (const std::string& fault : layer.settings.faults) {
        append(text, "fault", fault);
    }
    append(text, "tree", layer.tree);
    append(text, "owner", std::to_string(layer.owner));
    return text;
}

LayerSettings settings_from_text(std::string_view text) {
    LayerSettings result;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        const std::size_t equals = line.find('=');
        if (equals == std::string_view::npos) {
            throw usage_error(fmt::format("{}: '{}' is not 'name=value'", settings_variable, line));
        }
        apply(result, line.substr(0, equals), line.substr(equals + 1));
    }
    return result;
}

} // namespace gem_upload::model
