#include "compare_json.h"

#include "results/json_fields.h"

#include <nlohmann/json.hpp>
#include <optional>

namespace gem_upload::tools {
namespace {

using results::Json;
using stats::Interval;

Json interval_json(const std::optional<Interval>& interval) {
    return interval ? Json{interval->low, interval->high} : Json(nullptr);
}

Json series_json(const Series& series, const SeriesResult& result) {
    return Json{{"name", series.name},
                {"log", series.log.path},
                {"model", series.model},
                {"n", result.summary.n},
                {"min", result.summary.min},
                {"max", result.summary.max},
                {"median", result.summary.median},
                {"mean", result.summary.mean},
                {"stddev", result.summary.stddev ? Json(*result.summary.stddev) : Json(nullptr)},
                {"mean_interval", interval_json(result.mean.interval)},
                {"values", series.values},
                {"rounds", series.rounds}};
}

const char* status_name(stats::IntervalStatus status) {
    switch (status) {
    case stats::IntervalStatus::exists:
        return "exists";
    case stats::IntervalStatus::too_few_values:
        return "too few values";
    case stats::IntervalStatus::constant_values:
        break;
    }
    return "constant values";
}

Json pair_json(const Comparison& comparison, const PairResult& pair) {
    const stats::Estimate& estimate = pair.log_ratio;
    const std::optional<Interval> change =
        estimate.interval ? std::optional(stats::percent_change(*estimate.interval)) : std::nullopt;
    return Json{{"reference", comparison.series[pair.reference].name},
                {"other", comparison.series[pair.other].name},
                {"test", pair.paired ? "paired t on log ratios" : "Welch's t on logs"},
                {"values", pair.values},
                {"change_percent", stats::percent_change(estimate.value)},
                {"change_percent_interval", interval_json(change)},
                {"interval", status_name(estimate.status)},
                {"log_ratio", estimate.value},
                {"log_ratio_standard_error", estimate.standard_error},
                {"degrees_of_freedom", estimate.degrees_of_freedom}};
}

Json comparison_json(const EvaluatedComparison& evaluated) {
    const auto& [comparison, result, ministat] = evaluated;
    Json json{{"title", comparison.title},
              {"unit", "MB/s"},
              {"confidence", stats::default_confidence},
              {"sets", Json::array()},
              {"pairs", Json::array()},
              {"mismatches", comparison.mismatches},
              {"caveats", caveats(comparison, result)},
              {"conclusion", conclusion(comparison, result)},
              {"ministat",
               {{"by_ministat", ministat.by_ministat},
                {"remark", ministat.remark},
                {"text", ministat.text}}}};
    for (std::size_t i = 0; i < result.series.size(); ++i) {
        json["sets"].push_back(series_json(comparison.series[i], result.series[i]));
    }
    for (const PairResult& pair : result.pairs) {
        json["pairs"].push_back(pair_json(comparison, pair));
    }
    return json;
}

} // namespace

std::string comparisons_json(const std::vector<EvaluatedComparison>& comparisons,
                             const std::vector<std::string>& remarks) {
    Json json{
        {"schema", "gem-upload-compare/1"}, {"remarks", remarks}, {"comparisons", Json::array()}};
    for (const EvaluatedComparison& comparison : comparisons) {
        json["comparisons"].push_back(comparison_json(comparison));
    }
    return results::dump_pretty(json);
}

} // namespace gem_upload::tools
