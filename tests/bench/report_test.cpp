// Worse than useless: a log that cannot be written and is noticed only after measuring, or a
// sample that stands in the JSON but not in the log.
#include "bench/report.h"
#include "run_program.h"
#include "util/error.h"
#include "util/files.h"

#include <filesystem>
#include <gtest/gtest.h>

namespace gem_upload::bench {
namespace {

using testing_support::TemporaryFolder;

results::Result head() {
    results::Result result;
    result.method = "upload_test";
    result.device = "model:g45";
    result.model = true;
    result.environment = {{"kernel_release", "6.1.0-test"}};
    return result;
}

/// 2^20 bytes a second and iteration: `mb` MB/s.
results::Sample sample_of(double mb) {
    return {1.0, 1, static_cast<std::uint64_t>(mb * 1048576), true};
}

std::string last_line(const std::string& text) {
    const auto end = text.find_last_not_of('\n');
    return text.substr(text.rfind('\n', end) + 1, end - text.rfind('\n', end));
}

TEST(Report, LogsANumberASampleUnderItsEnvironment) {
    const TemporaryFolder folder;
    Options options;
    options.log_path = folder.file("log.txt");
    Report report{head(), options};
    testing::internal::CaptureStdout();
    report.take(sample_of(1234.5));
    report.take(sample_of(8));
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "1 iterations in 1.000 secs: 1234.5 MB/sec\n"
                                                      "1 iterations in 1.000 secs: 8.0 MB/sec\n");
    const std::string log = read_file(options.log_path);
    EXPECT_NE(log.find("# kernel_release: 6.1.0-test\n"), std::string::npos) << log;
    EXPECT_NE(log.find("# model:"), std::string::npos) << log;
    EXPECT_NE(log.find("\n1234.5\n8\n"), std::string::npos) << log;
}

TEST(Report, AppendsToALogThatIsThere) {
    const TemporaryFolder folder;
    Options options;
    options.log_path = folder.file("log.txt");
    append_synced(options.log_path, "17\n");
    const Report report{head(), options};
    EXPECT_EQ(read_file(options.log_path).substr(0, 3), "17\n");
}

TEST(Report, KeepsEverySampleInTheJson) {
    const TemporaryFolder folder;
    Options options;
    options.json_path = folder.file("result.json");
    Report report{head(), options};
    testing::internal::CaptureStdout();
    for (int i = 1; i <= 20; ++i) {
        report.take(sample_of(i));
    }
    report.finish();
    testing::internal::GetCapturedStdout();
    const results::Result read = results::result_from_json(read_file(options.json_path));
    ASSERT_EQ(read.samples.size(), 20U);
    EXPECT_DOUBLE_EQ(read.samples.back().mb_per_second(), 20);
    EXPECT_TRUE(read.model);
}

TEST(Report, TheJsonIsThereOnlyForABenchmarkThatEnded) {
    const TemporaryFolder folder;
    Options options;
    options.json_path = folder.file("result.json");
    Report report{head(), options};
    EXPECT_FALSE(std::filesystem::exists(options.json_path));
    report.finish();
    EXPECT_TRUE(std::filesystem::exists(options.json_path));
    EXPECT_FALSE(std::filesystem::exists(options.json_path + ".partial"));
}

TEST(Report, AHangStandsInLogAndJsonWithWhatWasMeasuredBefore) {
    const TemporaryFolder folder;
    Options options;
    options.json_path = folder.file("result.json");
    options.log_path = folder.file("log.txt");
    Report report{head(), options};
    testing::internal::CaptureStdout();
    report.take(sample_of(5));
    report.end_in_hang("the GPU hung\nbadly");
    testing::internal::GetCapturedStdout();
    const auto result = results::result_from_json(read_file(options.json_path));
    ASSERT_EQ(result.samples.size(), 1U);
    EXPECT_EQ(result.gpu_hang, "the GPU hung\nbadly");
    EXPECT_FALSE(std::filesystem::exists(options.json_path + ".partial"));
    EXPECT_TRUE(read_file(options.log_path).ends_with("\n5\n# gpu_hang: the GPU hung badly\n"));
}

TEST(Report, AKilledBenchmarkLeavesItsSamplesInThePartialJson) {
    const TemporaryFolder folder;
    Options options;
    options.json_path = folder.file("result.json");
    testing::internal::CaptureStdout();
    {
        Report report{head(), options};
        report.take(sample_of(5));
    }
    testing::internal::GetCapturedStdout();
    const auto partial = results::result_from_json(read_file(options.json_path + ".partial"));
    ASSERT_EQ(partial.samples.size(), 1U);
    EXPECT_DOUBLE_EQ(partial.samples[0].mb_per_second(), 5);
}

TEST(Report, RefusesAnUnwritableFileBeforeAnythingIsMeasured) {
    Options log;
    log.log_path = "/nonexistent-folder/log.txt";
    EXPECT_THROW((Report{head(), log}), Error);
    Options json;
    json.json_path = "/nonexistent-folder/result.json";
    EXPECT_THROW((Report{head(), json}), Error);
    Options full;
    full.log_path = "/dev/full";
    EXPECT_THROW((Report{head(), full}), Error);
}

TEST(Report, LogsEnoughDigits) {
    const TemporaryFolder folder;
    Options options;
    options.log_path = folder.file("log.txt");
    Report report{head(), options};
    testing::internal::CaptureStdout();
    report.take({0.3, 1, 123456789, true});
    testing::internal::GetCapturedStdout();
    EXPECT_NEAR(std::stod(last_line(read_file(options.log_path))), 123456789 / 1048576.0 / 0.3,
                0.001);
}

} // namespace
} // namespace gem_upload::bench
