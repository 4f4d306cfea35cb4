// Worse than useless: execution that is over before anybody could make a mistake with it, a wait
// that returns too early, or one that never returns.
#include "model/front/i915/queue.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <gtest/gtest.h>
#include <sched.h>
#include <thread>
#include <vector>

namespace gem_upload::model::i915 {
namespace {

using Execution = Settings::Execution;

TEST(Queue, ExecutesInOrder) {
    ExecutionQueue queue(Execution::asynchronous);
    std::vector<int> order;
    for (int i = 0; i < 100; ++i) {
        queue.submit([&order, i] { order.push_back(i); });
    }
    queue.drain();
    ASSERT_EQ(order.size(), 100U);
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(Queue, ReturnsBeforeTheJobIsDone) {
    ExecutionQueue queue(Execution::asynchronous);
    std::promise<void> go;
    const Sequence sequence = queue.next();
    queue.submit([future = go.get_future().share()] { future.wait(); });
    EXPECT_FALSE(queue.done(sequence)); // it cannot be: nobody has let it go on
    EXPECT_TRUE(queue.outstanding());
    EXPECT_FALSE(queue.wait(sequence, std::chrono::steady_clock::now()));
    go.set_value();
    EXPECT_TRUE(queue.wait(sequence));
    EXPECT_TRUE(queue.done(sequence));
    EXPECT_FALSE(queue.outstanding());
}

TEST(Queue, ImmediateIsDoneOnReturn) {
    ExecutionQueue queue(Execution::immediate);
    bool done = false;
    queue.submit([&done] { done = true; });
    EXPECT_TRUE(done);
    EXPECT_FALSE(queue.outstanding());
}

TEST(Queue, LateWaitsForAWaiter) {
    ExecutionQueue queue(Execution::late);
    std::atomic<int> executed = 0;
    const Sequence first = queue.next();
    for (int i = 0; i < 3; ++i) {
        queue.submit([&executed] { ++executed; });
    }
    EXPECT_EQ(executed, 0);
    EXPECT_FALSE(queue.poll(first));
    EXPECT_EQ(executed, 0);
    queue.wait(first);
    EXPECT_EQ(executed, 1); // and not one more than it must
    queue.drain();
    EXPECT_EQ(executed, 3);
}

TEST(Queue, LateGoesOnWhenTheRingIsFull) {
    ExecutionQueue queue(Execution::late);
    std::atomic<int> executed = 0;
    constexpr int jobs = 500;
    for (int i = 0; i < jobs; ++i) {
        queue.submit([&executed] { ++executed; });
    }
    EXPECT_GT(executed, 0);
    EXPECT_LT(executed, jobs);
    queue.drain();
    EXPECT_EQ(executed, jobs);
}

TEST(Queue, LateGivesInToPatience) {
    ExecutionQueue queue(Execution::late);
    const Sequence sequence = queue.next();
    queue.submit([] {});
    while (!queue.poll(sequence)) {
        std::this_thread::yield();
    }
    EXPECT_FALSE(queue.outstanding());
}

TEST(Queue, LeavesThePinnedCpu) {
    cpu_set_t all;
    ASSERT_EQ(::sched_getaffinity(0, sizeof all, &all), 0);
    if (CPU_COUNT(&all) < 2) {
        GTEST_SKIP() << "this machine has one CPU";
    }
    std::size_t first = 0;
    while (!CPU_ISSET(first, &all)) {
        ++first;
    }
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
    int cpus = 0;
    {
        ExecutionQueue queue(Execution::asynchronous);
        queue.submit([&cpus] {
            cpu_set_t mine;
            ::sched_getaffinity(0, sizeof mine, &mine);
            cpus = CPU_COUNT(&mine);
        });
        queue.drain();
    }
    ::sched_setaffinity(0, sizeof all, &all);
    EXPECT_EQ(cpus, CPU_COUNT(&all));
}

} // namespace
} // namespace gem_upload::model::i915
