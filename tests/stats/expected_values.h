// Independent answers from NAME.txt, which NAME.R or NAME.py made.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace gem_upload::stats {

struct ExpectedLine {
    std::string kind;
    std::vector<std::string> names; ///< of data sets
    std::vector<double> numbers;
};

struct ExpectedValues {
    std::map<std::string, std::vector<double>> data;
    std::vector<ExpectedLine> lines;
    std::string source; ///< the file's name

    /// All lines of a kind; throws std::runtime_error where there is none, so that no test passes
    /// by comparing nothing.
    [[nodiscard]] std::vector<ExpectedLine> of_kind(const std::string& kind) const;
};

/// What NAME.txt holds; read once.
[[nodiscard]] const ExpectedValues& expected_values(const std::string& name = "expected_values");

/// 1e-9 of the expected value, and what numbers of the size `scale` cannot hold.
[[nodiscard]] double tolerance(double expected, double scale = 0);

} // namespace gem_upload::stats
