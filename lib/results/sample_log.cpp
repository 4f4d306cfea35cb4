#include "results/sample_log.h"

#include "util/error.h"
#include "util/files.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>

namespace gem_upload::results {
namespace {

/// ministat reads lines through a buffer of BUFSIZ (8192) and takes what is over for another line.
constexpr std::size_t longest_line = 8190;
/// Squares of anything within are far from a double's limits.
constexpr double largest_size = 1e100;
constexpr double smallest_size = 1e-100;

constexpr std::string_view line_end_blanks = " \t\r\v\f";

/// The first words of a field from a file, fit to print in a sentence.
std::string quoted(std::string_view field) {
    constexpr std::size_t most = 40;
    std::string text = "'";
    for (const char c : field.substr(0, most)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte < 0x7f) {
            text += c;
        } else {
            text += fmt::format("\\x{:02x}", byte);
        }
    }
    return text + (field.size() > most ? "...'" : "'");
}

/// Splits one line on blanks and tabs; an empty field is the line's end.
class FieldSplitter {
public:
    explicit FieldSplitter(std::string_view line) : rest_(line) {}

    std::string_view next() {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size()));
        const std::string_view field = rest_.substr(0, rest_.find_first_of(" \t"));
        rest_.remove_prefix(field.size());
        if (field.starts_with('#')) {
            rest_ = {};
            return {};
        }
        return field;
    }

private:
    std::string_view rest_;
};

std::string_view nth_field(std::string_view line, int column) {
    FieldSplitter fields(line);
    std::string_view field = fields.next();
    for (int i = 1; i < column && !field.empty(); ++i) {
        field = fields.next();
    }
    return field;
}

bool is_igt_line(std::string_view line) {
    // The numbers' places are empty here: any field fits them.
    static constexpr std::array<std::string_view, 7> words = {"",      "iterations", "in",    "",
                                                              "secs:", "",           "MB/sec"};
    FieldSplitter fields(line);
    const bool fits = std::all_of(words.begin(), words.end(), [&](std::string_view word) {
        const std::string_view field = fields.next();
        return !field.empty() && (word.empty() || field == word);
    });
    return fits && fields.next().empty();
}

/// Why a field cannot be a value, as the end of a sentence.
std::string complaint(std::string_view field) {
    std::string lower(field);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    const std::string_view bare =
        std::string_view(lower).substr(lower.starts_with('-') || lower.starts_with('+') ? 1 : 0);
    if (bare.starts_with("nan") || bare.starts_with("inf")) {
        return "is not a finite number";
    }
    if (bare.starts_with("0x")) {
        return "is hexadecimal: write it in decimal";
    }
    if (!bare.empty() && bare.find_first_not_of("0123456789.,") == std::string_view::npos) {
        return "is not a number: write it with a decimal point and without separators";
    }
    return "is not a number";
}

/// A value, or the complaint about it in `why`.
std::optional<double> parse_value(std::string_view field, std::string& why) {
    const std::string_view digits = field.substr(field.starts_with('+') ? 1 : 0);
    const bool two_signs = digits.size() != field.size() && digits.starts_with('-');
    double value = 0;
    const char* const end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, value);
    if (two_signs || stop != end || error == std::errc::invalid_argument || !std::isfinite(value)) {
        why = complaint(field);
        return std::nullopt;
    }
    const double size = std::abs(value);
    if (error == std::errc::result_out_of_range || size > largest_size ||
        (size < smallest_size && size != 0)) {
        why = "is out of range: sizes from 1e-100 to 1e100 can be worked with";
        return std::nullopt;
    }
    return value;
}

class Parser {
public:
    Parser(const std::string& name, std::optional<int> column) : name_(name), column_(column) {
        if (column_ && *column_ < 1) {
            throw usage_error(fmt::format("column {}: columns count from 1", *column_));
        }
    }

    SampleLog parse(std::string_view text) {
        while (!text.empty()) {
            const std::size_t end = std::min(text.find('\n'), text.size());
            ++line_number_;
            take_line(text.substr(0, end));
            text.remove_prefix(std::min(end + 1, text.size()));
        }
        log_.column = column_in_use();
        if (log_.values.empty()) {
            throw usage_error(fmt::format(
                "{} holds no value{}", name_,
                log_.column == 1 ? std::string() : fmt::format(" in column {}", log_.column)));
        }
        return std::move(log_);
    }

private:
    [[noreturn]] void refuse(const std::string& what) const {
        throw usage_error(fmt::format("{}, line {}: {}", name_, line_number_, what));
    }

    [[nodiscard]] int column_in_use() const {
        return column_.value_or(igt_lines_.value_or(false) ? igt_column : 1);
    }

    void take_line(std::string_view line) {
        line = line.substr(0, line.find_last_not_of(line_end_blanks) + 1);
        check_bytes(line);
        if (line.starts_with('#')) {
            take_header(line.substr(1));
            return;
        }
        if (nth_field(line, 1).empty()) {
            return;
        }
        if (!column_) {
            check_kind(line);
        }
        const std::string_view field = nth_field(line, column_in_use());
        if (field.empty()) {
            return;
        }
        std::string why;
        const std::optional<double> value = parse_value(field, why);
        if (!value) {
            refuse(fmt::format("{} {}", quoted(field), why));
        }
        log_.values.push_back(*value);
    }

    void check_bytes(std::string_view line) const {
        if (line.size() > longest_line) {
            refuse(fmt::format("the line is longer than {} characters: this is no log of samples",
                               longest_line));
        }
        // A comment may quote a kernel's command line, whatever that holds.
        const bool comment = line.starts_with('#');
        const auto bad = std::find_if(line.begin(), line.end(), [comment](char c) {
            const auto byte = static_cast<unsigned char>(c);
            if (comment) {
                return byte == 0;
            }
            return (byte < 0x20 && c != '\t' && c != '\r' && c != '\v' && c != '\f') ||
                   byte == 0x7f;
        });
        if (bad != line.end()) {
            refuse(fmt::format("there is a byte 0x{:02x}, which no text holds: this is no log of "
                               "samples",
                               static_cast<unsigned char>(*bad)));
        }
    }

    /// Without a column given, IGT's lines among plain ones would have their iterations taken for
    /// values.
    void check_kind(std::string_view line) {
        const bool igt = is_igt_line(line);
        if (igt_lines_.value_or(igt) != igt) {
            refuse("IGT's lines and others are mixed: name the column with -C, or separate them");
        }
        igt_lines_ = igt;
    }

    void take_header(std::string_view comment) {
        const std::size_t colon = comment.find(": ");
        if (colon == std::string_view::npos) {
            return;
        }
        std::string_view key = comment.substr(0, colon);
        key.remove_prefix(std::min(key.find_first_not_of(' '), key.size()));
        if (!key.empty() && key.find(' ') == std::string_view::npos) {
            log_.header.emplace_back(key, comment.substr(colon + 2));
        }
    }

    const std::string& name_;
    std::optional<int> column_;
    std::optional<bool> igt_lines_;
    std::size_t line_number_ = 0;
    SampleLog log_;
};

} // namespace

bool SampleLog::model() const {
    return std::any_of(header.begin(), header.end(),
                       [](const auto& line) { return line.first == "model"; });
}

SampleLog parse_sample_log(std::string_view text, const std::string& name,
                           std::optional<int> column) {
    return Parser(name, column).parse(text);
}

SampleLog read_sample_log(const std::string& path, std::optional<int> column) {
    if (path.empty()) {
        throw usage_error("the name of a log is empty");
    }
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
        throw usage_error(fmt::format("{} is a folder, not a log", path));
    }
    if (std::filesystem::is_character_file(path, ignored) ||
        std::filesystem::is_block_file(path, ignored)) { // /dev/zero never ends
        throw usage_error(fmt::format("{} is a device, not a log", path));
    }
    std::string text;
    try {
        text = read_file(path);
    } catch (const Error& error) {
        throw usage_error(error.what());
    }
    return parse_sample_log(text, path, column);
}

std::string sample_log_line(double mb_per_second) {
    if (!std::isfinite(mb_per_second)) {
        throw failure(fmt::format("a sample of {} MB/s cannot be logged", mb_per_second));
    }
    return fmt::format("{:.8g}\n", mb_per_second);
}

} // namespace gem_upload::results
