// Worse than useless: a run that calls a failure or a skip a measurement, that loses a finished
// sample when it is stopped, that goes on in another boot or beside another run, or that leaves a
// benchmark running behind it.
#include "results/run_files.h"
#include "run_fake_tree.h"
#include "util/files.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <thread>

namespace gem_upload::tools {
namespace {

namespace fs = std::filesystem;
using results::Outcome;
using results::RunEntry;
using testing_support::run_program;

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// Waits until so many benchmarks have started; a minute is for a machine that is very busy.
void wait_for_start(const FakeTree& tree, std::size_t count) {
    for (int i = 0; i < 6000 && tree.pids().size() < count; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ASSERT_GE(tree.pids().size(), count);
}

/// True once the process is gone; it may take a moment to be reaped.
bool is_gone(pid_t pid) {
    for (int i = 0; i < 6000; ++i) {
        const std::string status = fs::exists("/proc/" + std::to_string(pid) + "/stat")
                                       ? read_first_line("/proc/" + std::to_string(pid) + "/stat")
                                       : "";
        if (status.empty() || contains(status, ") Z ")) {
            return true;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
}

std::multiset<std::string> sorted(const std::vector<std::string>& values) {
    return {values.begin(), values.end()};
}

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

class RunInterrupted : public testing::TestWithParam<int> {};

TEST_P(RunInterrupted, KeepsItsSamplesAndSaysHowToGoOn) {
    const FakeTree tree;
    tree.behave("if [ $number = 4 ]; then exec sleep 1000; fi");
    const std::string err = tree.path() + "/err";
    const pid_t pid = start_program(tree.new_run(), err);
    wait_for_start(tree, 4);
    ::kill(pid, GetParam());
    EXPECT_EQ(wait_for(pid), 128 + GetParam());
    EXPECT_TRUE(contains(read_file(err), "3 samples are recorded; go on with: gem-upload run "
                                         "--resume " +
                                             tree.run_folder() + "\n"))
        << read_file(err);
    EXPECT_TRUE(is_gone(tree.pids().at(3)));
    EXPECT_EQ(tree.recorded(), tree.finished());
    EXPECT_TRUE(fs::exists(tree.run_folder() + "/run.json"));
    EXPECT_EQ(run_program(tree.resumed_run()).status, 0);
    EXPECT_EQ(tree.recorded(), tree.finished());
    EXPECT_EQ(tree.recorded().size(), 18U);
    EXPECT_EQ(tree.started().size(), 19U);
}

INSTANTIATE_TEST_SUITE_P(Signals, RunInterrupted, testing::Values(SIGINT, SIGTERM, SIGHUP));

TEST(RunWrapper, ResumeKeepsOrderAndOptions) {
    const FakeTree tree;
    tree.behave("if [ $number = 5 ]; then kill -INT $PPID; exec sleep 1000; fi");
    EXPECT_EQ(run_program(tree.new_run({"--height", "99", "--methods", "map,gtt"})).status, 130);
    EXPECT_EQ(run_program(tree.resumed_run()).status, 0);
    const auto record = results::read_run(tree.run_folder());
    std::size_t process = 0;
    for (const auto& round : record.header.order) {
        for (const std::size_t method : round) {
            process += process == 4 ? 1 : 0; // started a second time: the one that was interrupted
            const std::string line = tree.started().at(process++);
            EXPECT_TRUE(contains(line, record.header.methods[method].method + " ")) << line;
            EXPECT_TRUE(contains(line, " --height=99 ")) << line;
        }
    }
    EXPECT_EQ(process, 13U);
}

TEST(RunWrapper, AFinishedRunHasNothingLeftToDo) {
    const FakeTree tree;
    ASSERT_EQ(run_program(tree.new_run()).status, 0);
    fs::remove(tree.run_folder() + "/run.json"); // as if it had been killed before
    const auto outcome = run_program(tree.resumed_run());
    EXPECT_EQ(outcome.status, 0);
    EXPECT_TRUE(contains(outcome.err, "nothing left to do"));
    EXPECT_EQ(tree.started().size(), 18U);
    EXPECT_TRUE(fs::exists(tree.run_folder() + "/run.json"));
}

/// Rewrites the record.
void edit_record(const FakeTree& tree, const std::string& key) {
    const std::string path = results::record_path(tree.run_folder());
    std::string text = read_file(path);
    const std::string start = "\"" + key + "\":\"";
    const auto at = text.find(start);
    ASSERT_NE(at, std::string::npos);
    replace_file(path, text.insert(at + start.size(), "another-"));
}

class RunElsewhere : public testing::TestWithParam<const char*> {};

TEST_P(RunElsewhere, IsNotResumed) {
    const FakeTree tree;
    tree.behave("if [ $number = 2 ]; then kill -INT $PPID; exec sleep 1000; fi");
    EXPECT_EQ(run_program(tree.new_run()).status, 130);
    edit_record(tree, GetParam());
    const auto outcome = run_program(tree.resumed_run());
    EXPECT_EQ(outcome.status, 2);
    EXPECT_TRUE(contains(outcome.err, "'another-")) << outcome.err;
    EXPECT_EQ(tree.started().size(), 2U);
}

INSTANTIATE_TEST_SUITE_P(Keys, RunElsewhere, testing::Values("host", "kernel_release", "boot_id"));

TEST(RunWrapper, WhatIsNoRunIsNotResumed) {
    const FakeTree tree;
    auto outcome = run_program(tree.resumed_run());
    EXPECT_EQ(outcome.status, 2);
    EXPECT_TRUE(contains(outcome.err, "is not a run: there is no such folder"));
    fs::create_directory(tree.run_folder());
    outcome = run_program(tree.resumed_run());
    EXPECT_EQ(outcome.status, 2);
    EXPECT_TRUE(contains(outcome.err, "is not a run: there is no run.jsonl in it"));
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

TEST(RunWrapper, TwoAtOnceInOneFolderAreRefused) {
    const FakeTree tree;
    tree.behave("if [ $number = 1 ]; then exec sleep 1000; fi");
    const pid_t pid = start_program(tree.new_run(), tree.path() + "/err");
    wait_for_start(tree, 1);
    const auto outcome = run_program(tree.resumed_run());
    EXPECT_EQ(outcome.status, 2);
    EXPECT_TRUE(contains(outcome.err, "at work in")) << outcome.err;
    EXPECT_EQ(tree.started().size(), 1U);
    ::kill(pid, SIGINT);
    EXPECT_EQ(wait_for(pid), 130);
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

TEST(RunWrapper, ARecordThatCannotBeWrittenLosesNothing) {
    const FakeTree tree;
    // Files end at 12 kB: some samples fit into the record, and then not a whole one does.
    const std::string limited = "trap '' XFSZ; ulimit -f 24; exec \"$@\"";
    std::vector<std::string> argv{"sh", "-c", limited, "sh"};
    const auto run = tree.new_run();
    argv.insert(argv.end(), run.begin(), run.end());
    const auto outcome = run_program(argv);
    EXPECT_EQ(outcome.status, 1) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, "EFBIG")) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, "go on with: gem-upload run --resume")) << outcome.err;
    const auto before = tree.finished();
    ASSERT_GE(before.size(), 2U);
    ASSERT_LT(before.size(), 18U);
    EXPECT_EQ(run_program(tree.resumed_run()).status, 0);
    EXPECT_EQ(sorted(tree.recorded()), sorted(tree.finished()));
    EXPECT_EQ(tree.started().size(), 18U) << "no finished process was run again";
}

TEST(RunWrapper, AFullDiskLosesNothing) {
    const FakeTree tree;
    fs::create_directory(tree.path() + "/disk");
    const std::string mount = "mount -t tmpfs -o size=1m none " + tree.path() + "/disk";
    if (run_program({"unshare", "-m", "sh", "-c", mount}).status != 0) {
        GTEST_SKIP() << "a file system cannot be mounted here";
    }
    tree.behave("after() { if [ $number = 3 ]; then"
                " dd if=/dev/zero of=$tree/disk/ballast bs=1k 2>/dev/null; fi; }");
    const std::string run = tree.program() + " run --device model:g45 -o " + tree.path() +
                            "/disk/run; first=$?; rm " + tree.path() + "/disk/ballast; " +
                            tree.program() + " run --resume " + tree.path() +
                            "/disk/run; second=$?; cp -r " + tree.path() + "/disk/run " +
                            tree.run_folder() + "; echo statuses $first $second";
    const auto outcome = run_program({"unshare", "-m", "sh", "-c", mount + " && " + run});
    EXPECT_TRUE(contains(outcome.out, "statuses 1 0")) << outcome.out << outcome.err;
    EXPECT_TRUE(contains(outcome.err, "ENOSPC") || contains(outcome.err, "is full"));
    EXPECT_EQ(sorted(tree.recorded()), sorted(tree.finished()));
    EXPECT_EQ(tree.started().size(), 18U);
}

} // namespace
} // namespace gem_upload::tools
