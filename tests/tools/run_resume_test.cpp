// Worse than useless: a run that loses a finished sample when it is stopped or its disk is full, or
// that goes on in another boot or beside another run.
#include "results/run_files.h"
#include "run_fake_tree.h"
#include "util/files.h"

#include <csignal>
#include <filesystem>
#include <gtest/gtest.h>
#include <set>

namespace gem_upload::tools {
namespace {

namespace fs = std::filesystem;
using testing_support::run_program;

std::multiset<std::string> sorted(const std::vector<std::string>& values) {
    return {values.begin(), values.end()};
}

class RunInterrupted : public testing::TestWithParam<int> {};

TEST_P(RunInterrupted, KeepsItsSamplesAndSaysHowToGoOn) {
    const FakeTree tree;
    tree.behave("if [ $number = 4 ]; then exec sleep 1000; fi");
    const std::string err = tree.path() + "/err";
    const pid_t pid = start_program(tree.new_run(), err);
    ASSERT_TRUE(has_started(tree, 4));
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

TEST(RunResume, ResumeKeepsOrderAndOptions) {
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

TEST(RunResume, AFinishedRunHasNothingLeftToDo) {
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

TEST(RunResume, WhatIsNoRunIsNotResumed) {
    const FakeTree tree;
    auto outcome = run_program(tree.resumed_run());
    EXPECT_EQ(outcome.status, 2);
    EXPECT_TRUE(contains(outcome.err, "is not a run: there is no such folder"));
    fs::create_directory(tree.run_folder());
    outcome = run_program(tree.resumed_run());
    EXPECT_EQ(outcome.status, 2);
    EXPECT_TRUE(contains(outcome.err, "is not a run: there is no run.jsonl in it"));
}

TEST(RunResume, TwoAtOnceInOneFolderAreRefused) {
    const FakeTree tree;
    tree.behave("if [ $number = 1 ]; then exec sleep 1000; fi");
    const pid_t pid = start_program(tree.new_run(), tree.path() + "/err");
    ASSERT_TRUE(has_started(tree, 1));
    const auto outcome = run_program(tree.resumed_run());
    EXPECT_EQ(outcome.status, 2);
    EXPECT_TRUE(contains(outcome.err, "at work in")) << outcome.err;
    EXPECT_EQ(tree.started().size(), 1U);
    ::kill(pid, SIGINT);
    EXPECT_EQ(wait_for(pid), 130);
}

TEST(RunResume, ARecordThatCannotBeWrittenLosesNothing) {
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

TEST(RunResume, AFullDiskLosesNothing) {
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
