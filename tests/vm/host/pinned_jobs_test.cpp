// Worse than useless: guests that share a CPU, a status that is another job's, or programs that
// outlive an interruption.
#include "pinned_jobs.h"

#include "run_program.h"
#include "util/files.h"

#include <algorithm>
#include <csignal>
#include <gtest/gtest.h>
#include <map>
#include <sys/wait.h>

namespace gem_upload::tools {
namespace {

using testing_support::TemporaryFolder;

class PinnedJobs : public testing::Test {
protected:
    void add(const std::string& script) {
        const std::string number = std::to_string(jobs.size());
        jobs.push_back(
            {{"sh", "-c", script}, folder.file("out" + number), folder.file("err" + number)});
    }
    std::optional<int> run(const std::vector<unsigned>& cpus) {
        return run_pinned(jobs, cpus,
                          {.started =
                               [this](std::size_t) {
                                   ++running;
                                   most = std::max(most, running);
                               },
                           .ended =
                               [this](std::size_t job, int status) {
                                   --running;
                                   statuses[job] = status;
                                   if (const auto action = on_end) {
                                       action();
                                   }
                               }},
                          signals);
    }

    TemporaryFolder folder;
    StopSignals signals;
    std::vector<PinnedJob> jobs;
    int running = 0;
    int most = 0;
    std::map<std::size_t, int> statuses;
    std::function<void()> on_end;
};

TEST_F(PinnedJobs, EachHasItsStatusAndItsOutput) {
    add("echo one; exit 3");
    add("echo two; echo errors >&2");
    add("kill -9 $$");
    EXPECT_EQ(run({usable_cpus().front()}), std::nullopt);
    EXPECT_EQ(WEXITSTATUS(statuses.at(0)), 3);
    EXPECT_EQ(statuses.at(1), 0);
    EXPECT_EQ(WTERMSIG(statuses.at(2)), SIGKILL);
    EXPECT_EQ(read_file(jobs[0].output), "one\n");
    EXPECT_EQ(read_file(jobs[1].errors), "errors\n");
    EXPECT_EQ(most, 1) << "as many at a time as there are CPUs";
}

TEST_F(PinnedJobs, EachIsOnACpuOfItsOwn) {
    const std::vector<unsigned> cpus = usable_cpus();
    for (int i = 0; i < 4; ++i) {
        add("grep Cpus_allowed_list /proc/self/status; sleep 0.2");
    }
    EXPECT_EQ(run(cpus), std::nullopt);
    EXPECT_EQ(most, static_cast<int>(std::min<std::size_t>(cpus.size(), 4)));
    for (std::size_t i = 0; i < std::min<std::size_t>(cpus.size(), 4); ++i) {
        EXPECT_EQ(read_file(jobs[i].output),
                  "Cpus_allowed_list:\t" + std::to_string(cpus[i]) + "\n");
    }
}

TEST_F(PinnedJobs, InterruptionEndsWhatRunsAndStartsNoMore) {
    add("exit 0");
    add("sleep 100");
    add("echo never");
    on_end = [this] {
        on_end = nullptr;
        ::kill(::getpid(), SIGTERM);
    };
    EXPECT_EQ(run({usable_cpus().front()}), SIGTERM);
    EXPECT_EQ(statuses.at(0), 0);
    EXPECT_EQ(WTERMSIG(statuses.at(1)), SIGTERM);
    EXPECT_FALSE(statuses.contains(2));
    EXPECT_EQ(running, 0);
}

TEST(Room, AsMemoryAllows) {
    EXPECT_EQ(available_mib("MemTotal:  8 kB\nMemFree:  1 kB\nMemAvailable:    4194304 kB\n"),
              4096U);
    EXPECT_EQ(available_mib("MemTotal:  8 kB\n"), std::nullopt);
    EXPECT_EQ(jobs_with_room(8, 4096, 768), 5U);
    EXPECT_EQ(jobs_with_room(2, 4096, 768), 2U);
    EXPECT_EQ(jobs_with_room(2, 100, 768), 1U);
    EXPECT_EQ(jobs_with_room(4, std::nullopt, 768), 4U);
}

} // namespace
} // namespace gem_upload::tools
