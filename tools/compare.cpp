// gem-upload compare: which of several logs or runs is faster, and how sure that is.
#include "compare.h"

#include "compare_environment.h"
#include "compare_input.h"
#include "compare_json.h"
#include "compare_pairs.h"
#include "compare_text.h"
#include "ministat_program.h"
#include "subcommand.h"
#include "util/command_line.h"
#include "util/error.h"
#include "util/files.h"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <vector>

namespace gem_upload::tools {
namespace {

constexpr const char* description =
    "Compares upload methods or runs: ministat's statistics, then each mean and each pair's "
    "change in percent with its 95 % interval.\n"
    "Log files are compared with each other. One run folder: its methods, paired by round. "
    "Several run folders: the same method across them.\n"
    "Exit status: 0 compared, 2 for input or options that are wrong.";

std::vector<EvaluatedComparison> evaluate_all(std::vector<Comparison> comparisons) {
    std::vector<EvaluatedComparison> evaluated;
    for (Comparison& comparison : comparisons) {
        ComparisonResult result = evaluate(comparison);
        MinistatReport ministat = ministat_report(comparison);
        evaluated.push_back({std::move(comparison), std::move(result), std::move(ministat)});
    }
    return evaluated;
}

std::string whole_text(const std::vector<EvaluatedComparison>& comparisons,
                       const std::vector<std::string>& remarks) {
    std::string text;
    for (const std::string& remark : remarks) {
        text += remark + "\n";
    }
    for (const auto& [comparison, result, ministat] : comparisons) {
        if (!text.empty()) {
            text += "\n";
        }
        text += comparison_text(comparison, result, ministat);
    }
    return text;
}

void write_out(std::FILE* out, const std::string& text) {
    if (std::fwrite(text.data(), 1, text.size(), out) != text.size() || std::fflush(out) != 0) {
        throw failed_call("writing", "the comparison", errno);
    }
}

} // namespace

void print_comparison(std::FILE* out, const std::string& folder) {
    CompareInput input = read_compare_input({folder}, std::nullopt);
    write_out(out, whole_text(evaluate_all(std::move(input.comparisons)), input.remarks));
}

int compare_main(int argc, char** argv) {
    CLI::App app(description, "gem-upload compare");
    std::vector<std::string> paths;
    std::optional<int> column;
    std::string json_path;
    bool force = false;
    app.add_option("inputs", paths, "log files, or folders of 'gem-upload run'")->required();
    app.add_option("-C,--column", column,
                   "column of the logs that holds the values, from 1 (IGT's output is recognised "
                   "without it)");
    app.add_option("--json", json_path,
                   "write everything as JSON to this file; '-' prints it "
                   "instead of the text");
    app.add_flag("--force", force,
                 "compare also what was measured under different conditions (another CPU, "
                 "governor, GPU frequency ...); the result is marked");
    if (const std::optional<int> status = parse_command_line(app, argc, argv)) {
        return *status;
    }
    CompareInput input = read_compare_input(paths, column);
    check_environments(input.comparisons, force);
    const std::vector<EvaluatedComparison> comparisons = evaluate_all(std::move(input.comparisons));
    if (json_path == "-") {
        write_out(stdout, comparisons_json(comparisons, input.remarks));
        return 0;
    }
    if (!json_path.empty()) {
        replace_file(json_path, comparisons_json(comparisons, input.remarks));
    }
    write_out(stdout, whole_text(comparisons, input.remarks));
    return 0;
}

} // namespace gem_upload::tools
