// Worse than useless: a run that calls a failure or a skip a measurement, that measures in another
// order than it says, or that leaves a benchmark running behind it.
#include "results/run_files.h"
#include "run_fake_tree.h"
#include "util/files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>

namespace gem_upload::tools {
namespace {

namespace fs = std::filesystem;
using results::Outcome;
using results::RunEntry;
using testing_support::run_program;

std::size_t count(const FakeTree& tree, Outcome outcome) {
    const auto entries = results::read_run(tree.run_folder()).entries;
    return static_cast<std::size_t>(
        std::count_if(entries.begin(), entries.end(),
                      [&](const RunEntry& entry) { return entry.outcome == outcome; }));
}

TEST(RunWrapper, RecordsEverySampleInTheOrderOfItsSeed) {
    const FakeTree tree;
    const auto outcome = run_program(tree.new_run({"--label", "lab", "--rounds", "6"}));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(tree.recorded(), tree.finished());
    ASSERT_EQ(tree.started().size(), 18U);
    const auto record = results::read_run(tree.run_folder());
    EXPECT_EQ(record.header.seed, 1U);
    std::size_t process = 0;
    for (const auto& round : record.header.order) {
        for (const std::size_t method : round) {
            const std::string started = tree.started().at(process++);
            EXPECT_EQ(started.substr(0, started.find(' ')), record.header.methods[method].method);
        }
    }
    EXPECT_TRUE(contains(outcome.err, "--seed 1,"));
    EXPECT_TRUE(contains(outcome.err, "[18/18] round 6 of 6"));
    EXPECT_FALSE(contains(outcome.err, "\r")) << "plain lines where there is no terminal";
    EXPECT_TRUE(contains(outcome.out, "blit_large_gtt")) << "it ends with the comparison";
    const std::string first = "model: measured on model:g45";
    const auto at = outcome.err.find(first);
    ASSERT_NE(at, std::string::npos);
    EXPECT_EQ(outcome.err.find(first, at + 1), std::string::npos) << "said once";
}

TEST(RunWrapper, FilesInTheFolderAreThoseOfTheContract) {
    const FakeTree tree;
    ASSERT_EQ(
        run_program(tree.new_run({"--label", "lab", "--methods", "pwrite,map:staged"})).status, 0);
    std::set<std::string> names;
    for (const auto& file : fs::directory_iterator(tree.run_folder())) {
        names.insert(file.path().filename());
    }
    EXPECT_EQ(names, (std::set<std::string>{"run.jsonl", "run.json", "lab-upload_blit_large.txt",
                                            "lab-upload_blit_large_map-staged.txt"}));
    const auto record = results::read_run(tree.run_folder());
    EXPECT_EQ(read_file(tree.run_folder() + "/run.json"), results::run_json(record));
    for (const auto& log : results::run_logs(record)) {
        EXPECT_EQ(read_file(tree.run_folder() + "/" + log.name), log.text);
        EXPECT_TRUE(contains(log.text, "\n# model: "));
        EXPECT_TRUE(contains(log.text, "\n# kernel_release: "));
        EXPECT_TRUE(contains(log.text, "\n# boot_id: "));
    }
}

TEST(RunWrapper, RealMinistatReadsTheLogs) {
    if (run_program({"sh", "-c", "command -v ministat"}).status != 0) {
        GTEST_SKIP() << "ministat is not installed";
    }
    const FakeTree tree;
    ASSERT_EQ(run_program(tree.new_run({"--label", "a b'c", "--methods", "gtt"})).status, 0);
    const auto outcome =
        run_program({"ministat", "-n", tree.run_folder() + "/a b'c-upload_blit_large_gtt.txt"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    // Six rounds: 737280000 bytes in 6.5 s, the last, are the least.
    EXPECT_TRUE(contains(outcome.out, "x   6     108.17308")) << outcome.out;
}

TEST(RunWrapper, PassesOptionsToThoseThatTakeThem) {
    const FakeTree tree;
    ASSERT_EQ(run_program(tree.new_run({"--methods", "blit_large_map:staged,upload_aperture",
                                        "--width", "640", "--store-type", "nt", "--cpu", "any"}))
                  .status,
              0);
    for (const std::string& line : tree.started()) {
        EXPECT_TRUE(contains(line, " --width=640 --store-type=nt --cpu=any --json=")) << line;
        const bool blit = contains(line, "blit");
        EXPECT_EQ(contains(line, " --device=model:g45"), blit) << line;
        EXPECT_EQ(contains(line, " --variant=staged"), blit) << line;
    }
}

TEST(RunWrapper, PinsToACpuAndRecordsIt) {
    const FakeTree tree;
    ASSERT_EQ(run_program(tree.new_run({"--methods", "gtt", "--rounds", "1"})).status, 0);
    const std::string cpu = results::read_run(tree.run_folder()).header.cpu;
    EXPECT_NE(cpu, "any");
    EXPECT_TRUE(contains(tree.started().at(0), " --cpu=" + cpu + " "));
}

TEST(RunWrapper, ASkippedMethodIsSaidOnceAndNotTriedAgain) {
    const FakeTree tree;
    tree.behave("case $name in *_gtt) echo \"$name: the aperture is missing\" >&2; exit 77;; esac");
    const auto outcome = run_program(tree.new_run());
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(tree.started().size(), 13U); // 6 + 6 + 1
    EXPECT_EQ(count(tree, Outcome::skipped), 1U);
    EXPECT_TRUE(contains(outcome.err, "upload_blit_large_gtt: skipped: the aperture is missing\n"));
    EXPECT_TRUE(contains(read_file(tree.run_folder() + "/run.json"), "the aperture is missing"));
}

TEST(RunWrapper, WhereAllAreSkippedItSaysWhatCanBeMeasured) {
    const FakeTree tree;
    tree.behave("echo \"$name: there is no GPU\" >&2; exit 77");
    const auto outcome = run_program(tree.new_run());
    EXPECT_EQ(outcome.status, 77);
    EXPECT_EQ(tree.started().size(), 3U);
    EXPECT_TRUE(contains(outcome.err, "--methods aperture"));
    EXPECT_TRUE(contains(outcome.err, "--device model:g45"));
    const auto at = outcome.err.find("there is no GPU");
    EXPECT_EQ(outcome.err.find("there is no GPU", at + 1), std::string::npos) << "said once";
    EXPECT_EQ(run_program(tree.resumed_run()).status, 77);
    EXPECT_EQ(tree.started().size(), 3U) << "a resumed run tries no skipped method again";
}

TEST(RunWrapper, FailuresAreRecordedAndTheRestStillRuns) {
    const FakeTree tree;
    tree.behave("case $number in"
                " 2) echo 'a detail' >&2; echo \"$name: wrong data at pixel 7\" >&2; exit 1;;"
                " 3) kill -SEGV $$;;"
                " 4) exit 0;;"                                    // without a result
                " 5) echo '{\"schema\": 1' > \"$json\"; exit 0;;" // a broken one
                " 6) name=upload_blit_small;;"                    // another's
                " 7) exit 5;; esac");
    const auto outcome = run_program(tree.new_run());
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(tree.started().size(), 18U);
    EXPECT_EQ(count(tree, Outcome::failed), 6U);
    EXPECT_EQ(count(tree, Outcome::measured), 12U);
    for (const char* part :
         {"FAILED: wrong data at pixel 7\n", "| a detail\n", "killed by SIGSEGV", "left no result",
          "not JSON", "a result of upload_blit_small", "status 5 and said nothing"}) {
        EXPECT_TRUE(contains(outcome.err, part)) << part << " in\n" << outcome.err;
    }
    EXPECT_EQ(run_program(tree.resumed_run()).status, 1) << "a resumed run still knows of them";
}

TEST(RunWrapper, AHangKeepsTheSamplesBeforeItAndTheRestStillRuns) {
    const FakeTree tree;
    tree.behave("case $number in 2) hang='the GPU hung in sample 2';"
                " after() { echo \"$name: $hang\" >&2; exit 1; };; esac");
    const auto outcome = run_program(tree.new_run());
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(tree.started().size(), 18U);
    EXPECT_EQ(count(tree, Outcome::measured), 18U);
    EXPECT_EQ(count(tree, Outcome::failed), 1U);
    EXPECT_TRUE(contains(outcome.err, " MB/s, then FAILED: the GPU hung in sample 2\n"))
        << outcome.err;
    EXPECT_TRUE(contains(read_file(tree.run_folder() + "/run.json"), "the GPU hung in sample 2"));
    EXPECT_EQ(run_program(tree.resumed_run()).status, 1);
    EXPECT_EQ(tree.started().size(), 18U) << "it is not tried again";
}

TEST(RunWrapper, AUsageErrorOfABenchmarkStopsTheRunAndLeavesNothing) {
    const FakeTree tree;
    tree.behave("echo \"$name: --width 0 is not above 0\" >&2; exit 2");
    const auto outcome = run_program(tree.new_run({"--width", "0"}));
    EXPECT_EQ(outcome.status, 2);
    EXPECT_TRUE(contains(outcome.err, "--width 0 is not above 0"));
    EXPECT_EQ(tree.started().size(), 1U);
    EXPECT_FALSE(fs::exists(tree.run_folder()));
}

TEST(RunWrapper, ABenchmarkOverItsTimeIsEndedEvenIfItDoesNotWantTo) {
    const FakeTree tree;
    tree.behave("if [ $number = 1 ]; then trap '' TERM; while :; do sleep 1; done; fi");
    const auto outcome =
        run_program(tree.new_run({"--methods", "gtt", "--rounds", "2", "--timeout", "1"}));
    EXPECT_EQ(outcome.status, 1);
    EXPECT_TRUE(contains(outcome.err, "FAILED: it took more than 1 s")) << outcome.err;
    EXPECT_EQ(tree.recorded().size(), 1U);
    EXPECT_TRUE(is_gone(tree.pids().at(0)));
}

TEST(RunWrapper, AFolderThatHoldsSomethingIsRefused) {
    const FakeTree tree;
    fs::create_directory(tree.run_folder());
    std::ofstream(tree.run_folder() + "/thesis.tex") << "x";
    const auto outcome = run_program(tree.new_run());
    EXPECT_EQ(outcome.status, 2);
    EXPECT_TRUE(contains(outcome.err, "is not empty"));
    EXPECT_TRUE(fs::exists(tree.run_folder() + "/thesis.tex"));
    EXPECT_TRUE(tree.started().empty());
}

TEST(RunWrapper, AnEmptyFolderIsTaken) {
    const FakeTree tree;
    fs::create_directory(tree.run_folder());
    EXPECT_EQ(run_program(tree.new_run({"--rounds", "1", "--methods", "gtt"})).status, 0);
}

TEST(RunWrapper, TheDefaultFolderIsNewAndNamedForTheDevice) {
    const FakeTree tree;
    const std::string command = "cd " + tree.path() + " && tools/gem-upload run --rounds 1 ";
    for (const char* options : {"--methods gtt --device model:g45",
                                "--methods gtt --device model:g45", "--methods upload_aperture"}) {
        EXPECT_EQ(run_program({"sh", "-c", command + options}).status, 0);
    }
    std::vector<std::string> names;
    for (const auto& folder : fs::directory_iterator(tree.path() + "/results")) {
        names.push_back(folder.path().filename());
    }
    std::sort(names.begin(), names.end());
    ASSERT_EQ(names.size(), 3U);
    EXPECT_EQ(names[0].substr(0, 4), "cpu-");
    EXPECT_EQ(names[1].substr(0, 10), "model-g45-");
    EXPECT_EQ(names[2].substr(0, 10), "model-g45-");
}

TEST(RunWrapper, WrongCommandLinesAreUsageErrors) {
    const FakeTree tree;
    for (const std::vector<std::string>& options : {std::vector<std::string>{"--rounds", "0"},
                                                    {"--rounds", "-1"},
                                                    {"--rounds", "x"},
                                                    {"--rounds", "99999999999999999999"},
                                                    {"--methods", "none"},
                                                    {"--label", "a/b"},
                                                    {"--timeout", "0"},
                                                    {"--frobnicate"},
                                                    {"--seed", "abc"},
                                                    {"--resume", "elsewhere"}}) {
        const auto outcome = run_program(tree.new_run(options));
        EXPECT_EQ(outcome.status, 2) << options[0] << " " << outcome.err;
        EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    }
    EXPECT_FALSE(fs::exists(tree.run_folder()));
    EXPECT_TRUE(tree.started().empty());
}

TEST(RunWrapper, ATerminalShowsTheTimeLeft) {
    const FakeTree tree;
    if (run_program({"script", "-qec", "true", "/dev/null"}).status != 0) {
        GTEST_SKIP() << "script (util-linux) is not installed";
    }
    std::string command;
    for (const std::string& argument : tree.new_run({"--methods", "gtt", "--rounds", "3"})) {
        command += argument + " ";
    }
    const auto outcome = run_program({"script", "-qec", command, "/dev/null"});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_TRUE(
        contains(outcome.out, "\r\033[K[2/3] round 2 of 3: upload_blit_large_gtt, about 0:0"))
        << outcome.out;
}

TEST(RunWrapper, HelpNamesTheExitStatuses) {
    const FakeTree tree;
    const auto outcome = run_program({tree.program(), "run", "--help"});
    EXPECT_EQ(outcome.status, 0);
    for (const char* part : {"--resume", "--seed", "77", "128"}) {
        EXPECT_TRUE(contains(outcome.out, part)) << part;
    }
}

} // namespace
} // namespace gem_upload::tools
