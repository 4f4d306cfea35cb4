// Worse than useless: a sample that had been measured when the run was killed by SIGKILL, and that
// the resumed run has lost, measures again, or counts twice.
#include "results/run_files.h"
#include "run_fake_tree.h"
#include "util/files.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <set>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gem_upload::tools {
namespace {

namespace fs = std::filesystem;
using testing_support::run_program;

const std::vector<std::string> small_run{"--methods", "gtt,map", "--rounds", "2"};
constexpr std::size_t processes = 4;

/// Whatever was finished is in the record once, and the run can be brought to its end.
void expect_nothing_lost(const FakeTree& tree, const std::string& where) {
    const auto finished_before = tree.finished();
    if (!fs::exists(results::record_path(tree.run_folder()))) {
        ASSERT_TRUE(finished_before.empty()) << where; // it had not begun
        return;
    }
    const auto outcome = run_program(tree.resumed_run());
    ASSERT_EQ(outcome.status, 0) << where << ": " << outcome.err;
    const auto recorded = tree.recorded();
    ASSERT_EQ(recorded.size(), processes) << where;
    ASSERT_EQ(std::set(recorded.begin(), recorded.end()).size(), processes) << where;
    for (const std::string& sample : tree.finished()) {
        ASSERT_NE(std::find(recorded.begin(), recorded.end(), sample), recorded.end())
            << sample << " is lost, killed " << where;
    }
    std::size_t files = 0;
    for (const auto& file : fs::directory_iterator(tree.run_folder())) {
        ++files;
        ASSERT_NE(file.path().extension(), ".tmp") << where;
    }
    ASSERT_EQ(files, 4U) << where; // the record, run.json, two logs
    const auto record = results::read_run(tree.run_folder());
    ASSERT_EQ(read_file(tree.run_folder() + "/run.json"), results::run_json(record)) << where;
}

class KilledByABenchmark : public testing::TestWithParam<const char*> {};

TEST_P(KilledByABenchmark, LosesNothing) {
    for (std::size_t process = 1; process <= processes; ++process) {
        const FakeTree tree;
        tree.behave("[ $number = " + std::to_string(process) + " ] && " + GetParam());
        EXPECT_EQ(run_program(tree.new_run(small_run)).status, 128 + SIGKILL);
        tree.behave("");
        expect_nothing_lost(tree, "in process " + std::to_string(process));
    }
}

INSTANTIATE_TEST_SUITE_P(
    Stages, KilledByABenchmark,
    testing::Values(
        "before() { kill -KILL $PPID; exec sleep 1000; }",
        "before() { echo '{\"schema' > \"$json.1.tmp\"; kill -KILL $PPID; exec sleep 1000; }",
        "after() { kill -KILL $PPID; exec sleep 1000; }"));

/// A call by which the wrapper changes a file or starts or reaps a process.
bool changes_something(const user_regs_struct& registers) {
    switch (registers.orig_rax) {
    case SYS_openat:
        return (registers.rdx & (O_WRONLY | O_RDWR | O_CREAT)) != 0;
    case SYS_write:
        return registers.rdi > STDERR_FILENO;
    case SYS_fdatasync:
    case SYS_rename:
    case SYS_unlink:
    case SYS_unlinkat:
    case SYS_mkdir:
    case SYS_truncate:
    case SYS_flock:
    case SYS_clone:
    case SYS_clone3:
    case SYS_fork:
    case SYS_vfork:
    case SYS_wait4:
        return true;
    default:
        return false;
    }
}

/// Runs a program under ptrace and kills it as it enters its `last`th such call; returns how many
/// it entered, or -1 where ptrace is not allowed.
int kill_at_call(std::vector<std::string> argv, int last) {
    std::vector<char*> pointers;
    for (std::string& argument : argv) {
        pointers.push_back(argument.data());
    }
    pointers.push_back(nullptr);
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::setenv("ASAN_OPTIONS", "detect_leaks=0", 1); // LeakSanitizer cannot run under ptrace
        const int nowhere = ::open("/dev/null", O_RDWR);
        ::dup2(nowhere, STDOUT_FILENO);
        ::dup2(nowhere, STDERR_FILENO);
        if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) {
            ::_exit(126);
        }
        ::execv(pointers[0], pointers.data());
        ::_exit(127);
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    if (!WIFSTOPPED(status)) {
        return -1;
    }
    ::ptrace(PTRACE_SETOPTIONS, pid, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
    int calls = 0;
    bool entering = false;
    long signal = 0;
    for (;;) {
        ::ptrace(PTRACE_SYSCALL, pid, nullptr, signal);
        ::waitpid(pid, &status, 0);
        if (!WIFSTOPPED(status)) {
            return calls;
        }
        signal = WSTOPSIG(status);
        if (signal != (SIGTRAP | 0x80)) {
            continue; // handed on
        }
        signal = 0;
        entering = !entering;
        user_regs_struct registers{};
        ::ptrace(PTRACE_GETREGS, pid, nullptr, &registers);
        if (entering && changes_something(registers) && ++calls == last) {
            ::kill(pid, SIGKILL);
            ::waitpid(pid, &status, 0);
            return calls;
        }
    }
}

TEST(KilledAnywhere, LosesNothing) {
    const FakeTree whole;
    const int calls = kill_at_call(whole.new_run(small_run), 0);
    if (calls < 0) {
        GTEST_SKIP() << "ptrace is not allowed here";
    }
    ASSERT_EQ(whole.recorded().size(), processes);
    ASSERT_GT(calls, 40);
    for (int call = 1; call <= calls; ++call) {
        const FakeTree tree;
        (void)kill_at_call(tree.new_run(small_run), call);
        expect_nothing_lost(tree, "at call " + std::to_string(call));
    }
}

} // namespace
} // namespace gem_upload::tools
