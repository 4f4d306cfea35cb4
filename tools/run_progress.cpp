#include "run_progress.h"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>

namespace gem_upload::tools {
namespace {

using results::Outcome;
using results::RunEntry;

constexpr const char* clear_line = "\r\033[K";

/// Every line of the text, set in.
std::string indented(const std::string& text) {
    std::string lines;
    for (std::size_t start = 0; start < text.size();) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        lines += fmt::format("    | {}\n", text.substr(start, end - start));
        start = end + 1;
    }
    return lines;
}

} // namespace

std::string clock_text(double seconds) {
    const auto whole = static_cast<long>(std::lround(seconds));
    if (whole < 3600) {
        return fmt::format("{}:{:02}", whole / 60, whole % 60);
    }
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string Progress::place(std::uint64_t round, std::uint64_t position) const {
    const results::RunHeader& header = record_.header;
    const auto& row = header.order[round - 1];
    const std::size_t total = header.processes();
    const std::size_t number = (round - 1) * row.size() + position;
    return fmt::format("[{:>{}}/{}] round {} of {}: {}", number, std::to_string(total).size(),
                       total, round, header.order.size(),
                       header.methods[row[position - 1]].title());
}

std::string Progress::time_left() const {
    if (seconds_.empty()) {
        return {};
    }
    const double mean =
        std::accumulate(seconds_.begin(), seconds_.end(), 0.0,
                        [](double sum, const auto& pair) { return sum + pair.second; }) /
        static_cast<double>(seconds_.size());
    double left = 0;
    const results::RunHeader& header = record_.header;
    for (const results::Place& place : results::places_left(record_)) {
        const std::size_t method = header.order[place.round - 1][place.position - 1];
        const auto known = seconds_.find(header.methods[method].title());
        left += known == seconds_.end() ? mean : known->second;
    }
    return fmt::format(", about {} left", clock_text(left));
}

void Progress::starting(std::uint64_t round, std::uint64_t position) {
    if (on_terminal_) {
        fmt::print(stderr, "{}{}{}", clear_line, place(round, position), time_left());
    }
}

std::string Progress::outcome_text(const std::vector<RunEntry>& entries) {
    std::vector<std::string> numbers;
    bool verified = true;
    for (const RunEntry& entry : entries) {
        if (entry.outcome == Outcome::measured) {
            const results::Sample& sample = entry.result.samples.front();
            numbers.push_back(fmt::format("{:.1f}", sample.mb_per_second()));
            verified = verified && sample.verified;
        }
    }
    const std::string samples = numbers.empty() ? ""
                                                : fmt::format("{} MB/s{}", fmt::join(numbers, " "),
                                                              verified ? "" : " (not verified)");
    if (entries.back().outcome == Outcome::measured) {
        return samples;
    }
    return samples + (samples.empty() ? "" : ", then ") + reason_text(entries.back());
}

std::string Progress::reason_text(const RunEntry& entry) {
    const char* word = entry.outcome == Outcome::skipped ? "skipped" : "FAILED";
    if (!said_reasons_.insert(entry.reason).second) {
        return fmt::format("{}, as above", word);
    }
    return fmt::format("{}: {}", word, entry.reason);
}

void Progress::finished(const std::vector<RunEntry>& entries, double seconds,
                        const std::string& error_output) {
    const RunEntry& first = entries.front();
    seconds_[first.method().title()] = seconds;
    say(fmt::format("{}: {}", place(first.round, first.position), outcome_text(entries)));
    if (entries.back().outcome == Outcome::failed) {
        fmt::print(stderr, "{}", indented(error_output));
    }
    if (first.outcome == Outcome::measured) {
        say_once_that_it_is_a_model(first.result);
    }
}

void Progress::say(const std::string& sentence) {
    fmt::print(stderr, "{}{}\n", on_terminal_ ? clear_line : "", sentence);
}

void Progress::say_once_that_it_is_a_model(const results::Result& result) {
    if (result.model && !std::exchange(said_model_, true)) {
        say(fmt::format("model: measured on {}, the software GPU: these are the harness's speeds "
                        "and say nothing about any hardware",
                        result.device));
    }
}

} // namespace gem_upload::tools
