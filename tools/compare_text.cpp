#include "compare_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>

namespace gem_upload::tools {
namespace {

using stats::Estimate;
using stats::Interval;

/// Decimals that give a mean five significant digits; none for one that is written with an
/// exponent.
std::optional<int> decimals_of(double mean) {
    if (mean >= 1e7 || mean < 1e-3) {
        return std::nullopt;
    }
    const int whole_digits = static_cast<int>(std::floor(std::log10(mean))) + 1;
    return std::clamp(5 - whole_digits, 0, 7);
}

std::string rate_text(double rate, std::optional<int> decimals) {
    return decimals ? fmt::format("{:.{}f}", rate, *decimals) : fmt::format("{:.5g}", rate);
}

std::string mean_interval_text(const Estimate& mean, std::optional<int> decimals) {
    if (!mean.interval) {
        return "none";
    }
    // A rate is above 0, however wide Student's interval is.
    return fmt::format("{} to {}", rate_text(std::max(0.0, mean.interval->low), decimals),
                       rate_text(mean.interval->high, decimals));
}

std::string change_interval_text(const Estimate& log_ratio) {
    if (!log_ratio.interval) {
        return "none";
    }
    const Interval change = stats::percent_change(*log_ratio.interval);
    return fmt::format("{} to {} %", percent_text(change.low), percent_text(change.high));
}

const char* verdict(const Estimate& log_ratio) {
    if (!log_ratio.interval || !log_ratio.interval->excludes(0)) {
        return "not proven";
    }
    return log_ratio.value > 0 ? "faster" : "slower";
}

std::string marked_name(const Series& series) {
    return series.model ? series.name + " (model)" : series.name;
}

std::size_t name_width(const Comparison& comparison) {
    std::size_t width = 0;
    for (const Series& series : comparison.series) {
        width = std::max(width, marked_name(series).size());
    }
    return width;
}

std::string means_table(const Comparison& comparison, const ComparisonResult& result) {
    const std::size_t width = name_width(comparison);
    std::string text = fmt::format("{:<{}} {:>5} {:>10} {:>22}\n", "", width + 2, "n", "mean MB/s",
                                   "95 % interval");
    for (std::size_t i = 0; i < result.series.size(); ++i) {
        const SeriesResult& series = result.series[i];
        const std::optional<int> decimals = decimals_of(series.summary.mean);
        text += fmt::format("  {:<{}} {:>5} {:>10} {:>22}\n", marked_name(comparison.series[i]),
                            width, series.summary.n, rate_text(series.summary.mean, decimals),
                            mean_interval_text(series.mean, decimals));
    }
    return text;
}

std::string method_text(const PairResult& pair) {
    return pair.paired ? fmt::format("t on log ratios of {} rounds", pair.values)
                       : "Welch's t on logs, unpaired";
}

std::string pairs_table(const Comparison& comparison, const ComparisonResult& result) {
    const std::size_t width = name_width(comparison);
    std::string text = fmt::format("{:<{}} {:>9}  {:>20}  {:<10}  {}\n", "", 2 * width + 10,
                                   "change", "95 % interval", "", "by");
    for (const PairResult& pair : result.pairs) {
        text += fmt::format("  {:<{}} against {:<{}} {:>7} %  {:>20}  {:<10}  {}\n",
                            marked_name(comparison.series[pair.other]), width,
                            marked_name(comparison.series[pair.reference]), width,
                            percent_text(stats::percent_change(pair.log_ratio.value)),
                            change_interval_text(pair.log_ratio), verdict(pair.log_ratio),
                            method_text(pair));
    }
    return text;
}

} // namespace

std::string comparison_text(const Comparison& comparison, const ComparisonResult& result,
                            const MinistatReport& ministat) {
    std::string text;
    if (!comparison.title.empty()) {
        text += comparison.title + "\n\n";
    }
    if (!ministat.remark.empty()) {
        text += ministat.remark + "\n";
    }
    text += ministat.text + "\n" + means_table(comparison, result);
    if (!result.pairs.empty()) {
        text += "\n" + pairs_table(comparison, result);
    }
    text += "\n";
    for (const std::string& sentence : caveats(comparison, result)) {
        text += sentence + "\n";
    }
    return text + conclusion(comparison, result) + "\n";
}

} // namespace gem_upload::tools
