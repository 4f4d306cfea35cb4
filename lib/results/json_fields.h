// Reading and writing the fields of our JSON records, with sentences that name what is wrong.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gem_upload::results {

using Json = nlohmann::ordered_json;
using NamesAndValues = std::vector<std::pair<std::string, std::string>>;

/// The JSON object in `text`. Throws usage_error, calling it `what` ("the result", "line 3").
[[nodiscard]] Json parse_json_object(const std::string& text, std::string_view what);
/// One line; bytes that are not UTF-8 (a kernel command line may hold them) become U+FFFD.
[[nodiscard]] std::string dump_line(const Json& json);
/// The same over several lines, for people, with a newline at the end.
[[nodiscard]] std::string dump_pretty(const Json& json);
/// An object of texts, in order.
[[nodiscard]] Json names_and_values(const NamesAndValues& pairs);

/// A view of an object's fields; each reader throws usage_error when the field is missing or is of
/// another type. The object outlives the view.
class Fields {
public:
    Fields(const Json& object, std::string_view what) : object_(object), what_(what) {}

    [[nodiscard]] std::string text(const char* key) const;
    [[nodiscard]] double number(const char* key) const; ///< finite
    [[nodiscard]] std::uint64_t count(const char* key) const;
    [[nodiscard]] bool flag(const char* key) const;
    [[nodiscard]] std::vector<std::string> texts(const char* key) const;
    [[nodiscard]] NamesAndValues pairs(const char* key) const;
    [[nodiscard]] const Json& list(const char* key) const; ///< an array
    /// Throws usage_error unless the field "schema" is this one.
    void require_schema(std::string_view schema) const;
    /// The error "WHAT is broken: 'KEY' COMPLAINT".
    [[noreturn]] void refuse(const char* key, std::string_view complaint) const;

private:
    [[nodiscard]] const Json& field(const char* key) const;

    const Json& object_;
    std::string what_;
};

} // namespace gem_upload::results
