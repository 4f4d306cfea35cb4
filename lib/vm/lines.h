// Texts of lines of words, the form in which our programs report to each other.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace gem_upload::vm {

/// The complete lines of a text, without their ends ("\n" or "\r\n").
[[nodiscard]] inline std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    std::size_t end = 0;
    while ((end = text.find('\n')) != std::string_view::npos) {
        std::string_view line = text.substr(0, end);
        if (line.ends_with('\r')) {
            line.remove_suffix(1);
        }
        lines.push_back(line);
        text.remove_prefix(end + 1);
    }
    return lines;
}

/// Takes the first word, and the blank after it, off a line.
[[nodiscard]] inline std::string_view take_word(std::string_view& line) {
    const std::size_t end = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    return word;
}

/// A whole word as a number.
template <typename Number>
[[nodiscard]] std::optional<Number> number_in(std::string_view word, int base = 10) {
    Number value{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
    if (error != std::errc{} || end != word.data() + word.size()) {
        return std::nullopt;
    }
    return value;
}

} // namespace gem_upload::vm
