// Worse than useless: rounds paired with the wrong rounds, a run's method compared with another's,
// a damaged record that passes for a whole one, a model's result that looks like a GPU's.
#include "compare.h"
#include "compare_fixture.h"
#include "results/run_record.h"
#include "util/error.h"
#include "util/files.h"

#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gem_upload::tools {
namespace {

const results::RunMethod pwrite{"upload_blit_large", ""};
const results::RunMethod map{"upload_blit_large_map", ""};
const results::RunMethod staged{"upload_blit_large_map", "staged"};

/// Two methods 1 % apart, under a drift of 14 %.
RunPlan drifting() {
    return {.label = "old",
            .methods = {pwrite, map},
            .rates = {{1000, 1020, 1040, 1060, 1100, 1140}, {1010, 1031, 1050, 1071, 1111, 1152}}};
}

nlohmann::json compare_json(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--json", "-"});
    const CompareOutcome outcome = compare(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.error;
    return nlohmann::json::parse(outcome.out);
}

class CompareRuns : public CompareTest {};

TEST_F(CompareRuns, OneRunIsPairedByRound) {
    const CompareOutcome outcome = compare({write_run("run", drifting())});
    ASSERT_EQ(outcome.status, 0) << outcome.error;
    EXPECT_TRUE(contains(outcome.out, "t on log ratios of 6 rounds")) << outcome.out;
    // R: d <- log(b / a); 100 * (exp(t.test(d)$conf.int) - 1) is 0.977 to 1.066, the mean 1.022.
    EXPECT_TRUE(contains(outcome.out, "blit_large_map is 1.02 % faster than blit_large (95 % "
                                      "interval 0.98 to 1.07 %)."))
        << outcome.out;
    EXPECT_TRUE(contains(outcome.out, "No difference proven at 95.0% confidence"))
        << "ministat does not see through the drift";
}

TEST_F(CompareRuns, RoundsWithoutBothMethodsAreLeftOut) {
    RunPlan plan = drifting();
    plan.rates[0][1] = 0;
    plan.rates[1][4] = 0;
    const nlohmann::json json = compare_json({write_run("run", plan)});
    const nlohmann::json& pair = json["comparisons"][0]["pairs"][0];
    EXPECT_EQ(pair["values"], 4);
    const double expected = (std::log(1010.0 / 1000) + std::log(1050.0 / 1040) +
                             std::log(1071.0 / 1060) + std::log(1152.0 / 1140)) /
                            4;
    EXPECT_NEAR(pair["log_ratio"].get<double>(), expected, 1e-12);
}

TEST_F(CompareRuns, SamplesOfOneProcessCountOnce) {
    RunPlan plan = drifting();
    plan.samples = 5;
    const std::string folder = write_run("run", plan);
    const nlohmann::json json = compare_json({folder});
    EXPECT_EQ(json["comparisons"][0]["sets"][0]["n"], 6);
    EXPECT_NEAR(json["comparisons"][0]["sets"][0]["values"][2].get<double>(), 1040, 1e-9);
    EXPECT_TRUE(contains(compare({folder}).out, "not independent"));
}

TEST_F(CompareRuns, SeveralRunsCompareTheSameMethod) {
    RunPlan later = drifting();
    later.label = "new";
    later.methods = {map, staged, pwrite};
    later.rates = {
        {1515, 1547, 1575, 1606, 1666, 1728}, {5, 5, 5, 5, 5, 6}, {10, 11, 12, 13, 14, 15}};
    const CompareOutcome outcome =
        compare({write_run("first", drifting()), write_run("second", later)});
    ASSERT_EQ(outcome.status, 0) << outcome.error;
    EXPECT_TRUE(contains(outcome.out, "new is 98.8 % slower than old")) << outcome.out;
    EXPECT_TRUE(contains(outcome.out, "new is 50.0 % faster than old")) << outcome.out;
    EXPECT_TRUE(contains(outcome.out, "Welch's t on logs, unpaired"));
    EXPECT_FALSE(contains(outcome.out, "rounds\n"));
    EXPECT_TRUE(contains(outcome.out, "Only some of the runs have blit_large_map:staged"));
}

TEST_F(CompareRuns, RunsOfOneLabelAreToldApartByFolder) {
    const std::string first = write_run("first", drifting());
    const std::string second = write_run("second", drifting());
    EXPECT_TRUE(contains(compare({first, second + "/"}).out, second + " measured 0.00 % faster"));
}

TEST_F(CompareRuns, NoMethodInCommonNamesBothSides) {
    RunPlan other = drifting();
    other.methods = {staged, {"upload_blit_small", ""}};
    const CompareOutcome outcome = compare({write_run("a", drifting()), write_run("b", other)});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.error,
              fmt::format("the runs have no method in common: {} has blit_large, blit_large_map; "
                          "{} has blit_large_map:staged, blit_small",
                          path("a"), path("b")));
}

TEST_F(CompareRuns, ModelIsMarked) {
    RunPlan plan = drifting();
    plan.model = true;
    const std::string folder = write_run("run", plan);
    const CompareOutcome outcome = compare({folder});
    EXPECT_TRUE(contains(outcome.out, "blit_large (model)")) << outcome.out;
    EXPECT_TRUE(contains(outcome.out, "and no GPU"));
    EXPECT_EQ(compare_json({folder})["comparisons"][0]["sets"][1]["model"], true);
}

TEST_F(CompareRuns, ARecordCutOffAtAnyByteKeepsItsWholeLines) {
    const std::string folder = write_run("run", drifting());
    const std::string record = read_file(results::record_path(folder));
    const std::size_t last_line = record.rfind('\n', record.size() - 2) + 1;
    for (std::size_t size = last_line + 1; size < record.size(); size += 37) {
        replace_file(results::record_path(folder), record.substr(0, size));
        const CompareOutcome outcome = compare({folder});
        ASSERT_EQ(outcome.status, 0) << outcome.error;
        EXPECT_TRUE(contains(outcome.out, fmt::format("was cut off in the middle of a line: its "
                                                      "last {} bytes are left out",
                                                      size - last_line)));
        EXPECT_TRUE(contains(outcome.out, "t on log ratios of 5 rounds"));
        EXPECT_TRUE(contains(outcome.out, "holds other values than the record"))
            << "a log that is stale";
    }
}

TEST_F(CompareRuns, DamageIsRefused) {
    const std::string folder = write_run("run", drifting());
    const std::string good = read_file(results::record_path(folder));
    const std::string header = good.substr(0, good.find('\n') + 1);
    std::string broken_in_the_middle = good;
    broken_in_the_middle[header.size() + 5] = '\x01';
    for (const std::string& record : {std::string(), header.substr(0, 20), std::string("{}\n"),
                                      std::string("\xff\x00\n", 3), broken_in_the_middle, header}) {
        replace_file(results::record_path(folder), record);
        const CompareOutcome outcome = compare({folder});
        EXPECT_EQ(outcome.status, 2) << record;
        EXPECT_TRUE(contains(outcome.error, folder)) << outcome.error;
        EXPECT_EQ(outcome.out, "");
    }
}

TEST_F(CompareRuns, FoldersThatAreNoRunsAreRefused) {
    const std::string empty = path("empty");
    std::filesystem::create_directory(empty);
    EXPECT_EQ(compare({empty}).error,
              empty + " is not a run: there is neither run.jsonl nor a log (*-upload_*.txt) in it");
    EXPECT_EQ(compare({empty}).status, 2);
    const std::string run = write_run("run", drifting());
    EXPECT_EQ(compare({run, write("log", "1\n2\n3\n")}).status, 2);
    EXPECT_EQ(compare({"-C", "2", run}).status, 2);
    const std::string two = path("two");
    std::filesystem::create_directory(two);
    write("two/a-upload_x.txt", "1\n2\n3\n");
    write("two/b-upload_x.txt", "1\n2\n3\n");
    EXPECT_TRUE(contains(compare({two}).error, "several logs of x")) << compare({two}).error;
}

TEST_F(CompareRuns, MethodsWithoutASampleAreNamed) {
    RunPlan plan = drifting();
    plan.methods.push_back(staged);
    plan.rates.push_back({0, 0, 0, 0, 0, 0});
    const CompareOutcome outcome = compare({write_run("run", plan)});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_TRUE(contains(outcome.out, "blit_large_map:staged has no sample in")) << outcome.out;
    EXPECT_TRUE(contains(outcome.out, "failed: killed by SIGSEGV"));
}

TEST_F(CompareRuns, JsonHoldsWhatTheTextSays) {
    const std::string folder = write_run("run", drifting());
    const std::string file = path("out.json");
    const CompareOutcome outcome = compare({folder, "--json", file});
    EXPECT_TRUE(contains(outcome.out, "is 1.02 % faster"));
    const nlohmann::json json = nlohmann::json::parse(read_file(file));
    EXPECT_EQ(json, compare_json({folder}));
    EXPECT_EQ(json["schema"], "gem-upload-compare/1");
    const nlohmann::json& comparison = json["comparisons"][0];
    EXPECT_TRUE(contains(outcome.out, comparison["conclusion"].get<std::string>()));
    EXPECT_TRUE(contains(outcome.out, comparison["ministat"]["text"].get<std::string>()));
    EXPECT_EQ(comparison["pairs"][0]["test"], "paired t on log ratios");
    EXPECT_NEAR(comparison["sets"][0]["mean"].get<double>(), 6360.0 / 6, 1e-9);
    const nlohmann::json single = compare_json({write("a", "1\n"), write("b", "2\n")});
    EXPECT_TRUE(single["comparisons"][0]["pairs"][0]["change_percent_interval"].is_null());
    EXPECT_EQ(compare({folder, "--json", "/dev/full"}).status, 1);
}

TEST_F(CompareRuns, PrintComparisonIsWhatCompareSays) {
    const std::string folder = write_run("run", drifting());
    const std::string expected = compare({folder}).out;
    const std::string file = path("printed");
    std::FILE* out = std::fopen(file.c_str(), "w");
    ASSERT_NE(out, nullptr);
    print_comparison(out, folder);
    std::fclose(out);
    EXPECT_EQ(read_file(file), expected);
    std::FILE* full = std::fopen("/dev/full", "w");
    ASSERT_NE(full, nullptr);
    EXPECT_THROW(print_comparison(full, folder), Error);
    std::fclose(full);
}

} // namespace
} // namespace gem_upload::tools
