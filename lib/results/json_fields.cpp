#include "results/json_fields.h"

#include "util/error.h"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gem_upload::results {

Json parse_json_object(const std::string& text, std::string_view what) {
    Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded()) {
        throw usage_error(fmt::format("{} is not JSON, or is cut off", what));
    }
    if (!json.is_object()) {
        throw usage_error(fmt::format("{} is not a JSON object", what));
    }
    return json;
}

std::string dump_line(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string dump_pretty(const Json& json) {
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

Json names_and_values(const NamesAndValues& pairs) {
    Json object = Json::object();
    for (const auto& [name, value] : pairs) {
        object[name] = value;
    }
    return object;
}

void Fields::refuse(const char* key, std::string_view complaint) const {
    throw usage_error(fmt::format("{} is broken: '{}' {}", what_, key, complaint));
}

const Json& Fields::field(const char* key) const {
    const auto found = object_.find(key);
    if (found == object_.end()) {
        refuse(key, "is missing");
    }
    return *found;
}

std::string Fields::text(const char* key) const {
    const Json& value = field(key);
    if (!value.is_string()) {
        refuse(key, "is not a text");
    }
    return value.get<std::string>();
}

double Fields::number(const char* key) const {
    const Json& value = field(key);
    if (!value.is_number() || !std::isfinite(value.get<double>())) {
        refuse(key, "is not a finite number");
    }
    return value.get<double>();
}

std::uint64_t Fields::count(const char* key) const {
    const Json& value = field(key);
    if (!value.is_number_unsigned()) {
        refuse(key, "is not a whole number of 0 or more");
    }
    return value.get<std::uint64_t>();
}

bool Fields::flag(const char* key) const {
    const Json& value = field(key);
    if (!value.is_boolean()) {
        refuse(key, "is neither true nor false");
    }
    return value.get<bool>();
}

std::vector<std::string> Fields::texts(const char* key) const {
    std::vector<std::string> texts;
    for (const Json& value : list(key)) {
        if (!value.is_string()) {
            refuse(key, "holds something that is not a text");
        }
        texts.push_back(value.get<std::string>());
    }
    return texts;
}

NamesAndValues Fields::pairs(const char* key) const {
    const Json& object = field(key);
    if (!object.is_object()) {
        refuse(key, "is not a JSON object");
    }
    NamesAndValues pairs;
    for (const auto& [name, value] : object.items()) {
        if (!value.is_string()) {
            refuse(key, "holds something that is not a text");
        }
        pairs.emplace_back(name, value.get<std::string>());
    }
    return pairs;
}

const Json& Fields::list(const char* key) const {
    const Json& value = field(key);
    if (!value.is_array()) {
        refuse(key, "is not a list");
    }
    return value;
}

void Fields::require_schema(std::string_view schema) const {
    const std::string found = text("schema");
    if (found != schema) {
        throw usage_error(fmt::format("{} has the schema '{}', but this program reads '{}'", what_,
                                      found, schema));
    }
}

} // namespace gem_upload::results
