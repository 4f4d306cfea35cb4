// Logs in the form ministat reads: one number a line, or IGT's lines, with comments after '#'.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gem_upload::results {

struct SampleLog {
    std::vector<double> values; ///< in the file's order, MB/s in logs of ours; at least one
    int column = 1;             ///< where they were found, counted from 1
    std::vector<std::pair<std::string, std::string>> header; ///< its `# name: value` lines

    /// Whether the log says that it was measured on the software GPU.
    [[nodiscard]] bool model() const;
};

/// The column of the MB/s in IGT's line, "200 iterations in 0.123 secs: 1234.5 MB/sec".
inline constexpr int igt_column = 6;

/// Reads `text` as ministat does: fields split on blanks and tabs, a field that starts with '#'
/// ends the line, lines without the column are skipped, CRLF is accepted. Without a column, it is
/// igt_column where every line is IGT's, else the first. `name` is the file in errors. Throws
/// usage_error naming the line: for words, commas, hexadecimal, NaN and infinities, numbers that
/// are not 0 and beyond 1e-100 to 1e100 in size, IGT's lines among others, bytes that no text
/// holds, lines of 8 kB (ministat's limit), a column below 1, no value.
[[nodiscard]] SampleLog parse_sample_log(std::string_view text, const std::string& name,
                                         std::optional<int> column = std::nullopt);

/// The same of a file. Throws usage_error where it is missing, a folder or cannot be read.
[[nodiscard]] SampleLog read_sample_log(const std::string& path,
                                        std::optional<int> column = std::nullopt);

/// A log's line of one sample, with its newline: 8 significant digits, as many as ministat shows.
/// Throws failure unless the value is finite.
[[nodiscard]] std::string sample_log_line(double mb_per_second);

} // namespace gem_upload::results
