// Worse than useless: a winner that was not proven, a published number that comes out differently,
// a broken log that ends in a crash, or in success.
#include "compare_fixture.h"
#include "util/files.h"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <sys/stat.h>
#include <thread>

namespace gem_upload::tools {
namespace {

const std::string golden = GOLDEN_FOLDER "/2009-g45/";
const std::vector<std::string> golden_logs = {golden + "g45-upload_blit_large.txt",
                                              golden + "g45-upload_blit_large_gtt.txt",
                                              golden + "g45-upload_blit_large_map.txt"};

/// The published text's statistics, from the head of the table on.
std::string golden_statistics() {
    const std::string text = read_file(golden + "ministat.txt");
    return text.substr(text.find("    N  "));
}

bool ministat_is_installed() {
    return testing_support::run_program({"ministat", "-A", golden_logs.front()}).status == 0;
}

class CompareLogs : public CompareTest {};

TEST_F(CompareLogs, GoldenNumbersWithoutMinistat) {
    const WithoutPrograms hidden;
    const CompareOutcome outcome = compare(golden_logs);
    EXPECT_EQ(outcome.status, 0);
    EXPECT_TRUE(contains(outcome.out, golden_statistics())) << outcome.out;
    EXPECT_TRUE(contains(outcome.out, "ministat cannot be used (it is not installed)"));
}

TEST_F(CompareLogs, GoldenNumbersWithTheRealMinistat) {
    if (!ministat_is_installed()) {
        GTEST_SKIP() << "ministat is not installed";
    }
    const CompareOutcome outcome = compare(golden_logs);
    EXPECT_EQ(outcome.status, 0);
    EXPECT_TRUE(contains(outcome.out, golden_statistics())) << outcome.out;
    const std::string plot = read_file(golden + "ministat.txt");
    EXPECT_TRUE(contains(outcome.out, plot.substr(plot.find("+---"), 76 * 6))) << outcome.out;
    EXPECT_FALSE(contains(outcome.out, "cannot be used"));
}

TEST_F(CompareLogs, GoldenFolderIsComparedAsItsLogs) {
    const WithoutPrograms hidden;
    const CompareOutcome outcome = compare({golden});
    EXPECT_EQ(outcome.status, 0) << outcome.error;
    EXPECT_TRUE(contains(outcome.out, golden_statistics())) << outcome.out;
    EXPECT_TRUE(contains(outcome.out, "no record (run.jsonl): its logs are compared unpaired"));
}

TEST_F(CompareLogs, SaysWhatWonByHowMuchAndHowSure) {
    // R: 100 * (exp(t.test(log(gtt), log(pwrite))$conf.int) - 1) is 10.785 to 20.891.
    const CompareOutcome outcome = compare(golden_logs);
    EXPECT_TRUE(outcome.out.ends_with("blit_large_gtt is the fastest: 15.7 % faster than "
                                      "blit_large, the next (95 % interval 10.8 to 20.9 %).\n"))
        << outcome.out;
    EXPECT_TRUE(contains(outcome.out, "2267.3 to 2482.1")) << "the interval of pwrite's mean";
    EXPECT_TRUE(contains(outcome.out, "Welch's t on logs, unpaired"));
}

TEST_F(CompareLogs, SaysWhenNothingIsProven) {
    const std::string a = write("a.txt", "100\n101\n102\n103\n");
    const std::string b = write("b.txt", "100.5\n101\n103\n104\n");
    const CompareOutcome outcome = compare({a, b});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_TRUE(contains(outcome.out, "Not proven: b measured 0.61 % faster than a, but the 95 % "
                                      "interval -1.92 to 3.21 % includes no change."))
        << outcome.out;
    EXPECT_TRUE(contains(outcome.out, "No difference proven at 95.0% confidence"));
    EXPECT_FALSE(contains(outcome.out, "fastest"));
}

TEST_F(CompareLogs, SaysWhoIsNotProvenSlower) {
    const CompareOutcome outcome =
        compare({write("a", "100\n101\n102\n103\n"), write("b", "100.5\n101\n103\n104\n"),
                 write("c", "50\n51\n52\n53\n")});
    EXPECT_TRUE(contains(outcome.out, "Not proven which is the fastest: b measured"))
        << outcome.out;
    EXPECT_TRUE(contains(outcome.out, " than a, the next (")) << outcome.out;
    EXPECT_TRUE(contains(outcome.out, "but that is not proven.")) << outcome.out;
}

TEST_F(CompareLogs, TwoSetsAreToldAsSlower) {
    const CompareOutcome outcome =
        compare({write("fast", "200\n201\n202\n"), write("slow", "100\n101\n102\n")});
    // R: -50.775 to -48.709.
    EXPECT_TRUE(contains(outcome.out, "slow is 49.8 % slower than fast (95 % interval 48.7 to "
                                      "50.8 %).\n"))
        << outcome.out;
}

TEST_F(CompareLogs, TwoValuesAreComparedWithoutMinistat) {
    const CompareOutcome outcome = compare({write("a", "10\n12\n"), write("b", "20\n22\n")});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_TRUE(
        contains(outcome.out, "ministat cannot be used (it wants at least 3 values a set)"));
    EXPECT_TRUE(contains(outcome.out, "\t10 +/- 6.08536\n")) << outcome.out;
}

TEST_F(CompareLogs, OneValueHasNoInterval) {
    const CompareOutcome outcome = compare({write("a", "10\n"), write("b", "20\n")});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_TRUE(contains(outcome.out, "a holds one value: no interval exists for it."))
        << outcome.out;
    EXPECT_TRUE(contains(outcome.out, "Not proven: b measured 100.0 % faster than a"));
    EXPECT_FALSE(contains(outcome.out, "nan"));
}

TEST_F(CompareLogs, EqualValuesNeitherProveNorCrash) {
    const CompareOutcome outcome =
        compare({write("a", "0.1\n0.1\n0.1\n"), write("b", "0.7\n0.7\n0.7\n")});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_TRUE(contains(outcome.out, "The values of a are all equal")) << outcome.out;
    EXPECT_TRUE(contains(outcome.out, "Not proven"));
    EXPECT_FALSE(contains(outcome.out, "nan"));
}

TEST_F(CompareLogs, OneLogIsSummarised) {
    const CompareOutcome outcome = compare({golden_logs[0]});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_TRUE(contains(outcome.out, "there is nothing to compare it with")) << outcome.out;
    EXPECT_TRUE(contains(outcome.out, "86.519287"));
}

TEST_F(CompareLogs, ReadsIgtLinesWithAndWithoutAColumn) {
    std::string igt;
    for (const char* rate : {"2302.7", "2351.5", "2351.2", "2342.8", "2525.2"}) {
        igt += fmt::format("200 iterations in 0.123 secs: {} MB/sec\n", rate);
    }
    const std::string log = write("igt.txt", igt);
    const std::string statistics = "2302.7        2525.2        2351.2       2374.68     86.519287";
    for (const auto& arguments : {std::vector<std::string>{log}, {"-C", "6", log}}) {
        const CompareOutcome outcome = compare(arguments);
        EXPECT_TRUE(contains(outcome.out, statistics)) << outcome.out;
        const WithoutPrograms hidden;
        EXPECT_TRUE(contains(compare(arguments).out, statistics));
    }
    // ministat takes one column for all its files, so unlike logs are computed here.
    const CompareOutcome mixed = compare({golden_logs[0], log});
    EXPECT_TRUE(contains(mixed.out, "in column 1 and those of")) << mixed.out;
    EXPECT_TRUE(contains(mixed.out, "No difference proven at 95.0% confidence"));
}

TEST_F(CompareLogs, MoreSetsThanMinistatHolds) {
    std::vector<std::string> logs;
    for (int i = 0; i < 8; ++i) {
        logs.push_back(
            write(fmt::format("log{}", i), fmt::format("{}\n{}\n{}\n", i + 1, i + 1.1, i + 1.2)));
    }
    const CompareOutcome outcome = compare(logs);
    EXPECT_EQ(outcome.status, 0);
    EXPECT_TRUE(contains(outcome.out, "it compares at most 7 sets")) << outcome.out;
    EXPECT_TRUE(contains(outcome.out, "log7 against log6"));
}

TEST_F(CompareLogs, PipesAreReadOnce) {
    const std::string pipe = path("pipe");
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    std::thread writer([&] { std::ofstream(pipe) << "1\n2\n3\n"; });
    const CompareOutcome outcome = compare({golden_logs[0], pipe});
    writer.join();
    EXPECT_EQ(outcome.status, 0) << outcome.error;
    EXPECT_TRUE(contains(outcome.out, "can be read only once")) << outcome.out;
}

TEST_F(CompareLogs, AMinistatThatFailsIsReplaced) {
    const std::string program = write("ministat", "#!/bin/sh\nkill -SEGV $$\n");
    ASSERT_EQ(::chmod(program.c_str(), 0700), 0);
    const std::string old_path = std::getenv("PATH");
    ::setenv("PATH", path("").c_str(), 1);
    const CompareOutcome outcome = compare(golden_logs);
    ::setenv("PATH", old_path.c_str(), 1);
    EXPECT_EQ(outcome.status, 0);
    EXPECT_TRUE(contains(outcome.out, "it was killed by Segmentation fault")) << outcome.out;
    EXPECT_TRUE(contains(outcome.out, golden_statistics()));
}

TEST_F(CompareLogs, ModelResultsAreMarked) {
    const std::string log = "# model: measured on the software GPU\n100\n101\n103\n";
    const CompareOutcome outcome = compare({write("a", log), write("b", "50\n51\n53\n")});
    EXPECT_TRUE(contains(outcome.out, "a (model)")) << outcome.out;
    EXPECT_FALSE(contains(outcome.out, "b (model)"));
    EXPECT_TRUE(contains(outcome.out, "they measure the harness"));
    EXPECT_TRUE(contains(outcome.out, "difference says nothing about either"));
    EXPECT_FALSE(contains(compare(golden_logs).out, "model"));
}

TEST_F(CompareLogs, NamesStayDistinct) {
    const std::string text = "1\n2\n3\n";
    const CompareOutcome labels =
        compare({write("old-upload_x.txt", text), write("new-upload_x.txt", "5\n6\n7\n")});
    EXPECT_TRUE(contains(labels.out, "new measured 227.1 % faster than old")) << labels.out;
    const CompareOutcome refused = compare({golden_logs[0], golden_logs[0]});
    EXPECT_EQ(refused.status, 2);
    EXPECT_TRUE(contains(refused.error, "is given twice")) << refused.error;
}

TEST_F(CompareLogs, BrokenInputIsOneSentenceAndStatus2) {
    using namespace std::string_literals;
    const std::string good = write("good", "1\n2\n3\n");
    const struct {
        std::string text;
        const char* part;
    } cases[] = {{"1\nfast\n3\n", ", line 2: 'fast' is not a number"},
                 {"1\nnan\n", ", line 2: 'nan' is not a finite number"},
                 {"inf\n", "is not a finite number"},
                 {"1,234.5\n", "without separators"},
                 {"", "holds no value"},
                 {"# nothing\n", "holds no value"},
                 {"1e999\n", "out of range"},
                 {"1\n0\n2\n", "holds 0, which is no throughput"},
                 {"-5\n", "holds -5, which is no throughput"},
                 {"\0\x01\x02"s, "no text holds"},
                 {std::string(20000, '1'), "longer than"}};
    for (const auto& broken : cases) {
        const CompareOutcome outcome = compare({good, write("broken", broken.text)});
        EXPECT_EQ(outcome.status, 2) << broken.part;
        EXPECT_EQ(outcome.out, "");
        EXPECT_TRUE(contains(outcome.error, path("broken"))) << outcome.error;
        EXPECT_TRUE(contains(outcome.error, broken.part)) << outcome.error;
        EXPECT_FALSE(contains(outcome.error, "\n")) << outcome.error;
    }
    EXPECT_EQ(compare({good, write("crlf", "1\r\n2\r\n4\r\n")}).status, 0);
}

TEST_F(CompareLogs, WrongCommandLinesAreStatus2) {
    const std::string good = write("good", "1\n2\n3\n");
    for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
             {}, {"--nonsense", good}, {"-C", "0", good}, {"-C", "x", good}, {path("none")}}) {
        const CompareOutcome outcome = compare(arguments);
        EXPECT_EQ(outcome.status, 2) << fmt::format("{}", fmt::join(arguments, " "));
        EXPECT_NE(outcome.error, "");
        EXPECT_FALSE(contains(outcome.error, "\n")) << outcome.error;
    }
    EXPECT_EQ(compare({"--help"}).status, 0);
}

} // namespace
} // namespace gem_upload::tools
