// The engines' timeline: batches wait in a queue, and a thread executes them; or, where execution
// is immediate, the one that submits them.
#pragma once

#include "model/launch.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace gem_upload::model::i915 {

/// Sequence numbers count batches from 1; they complete in order.
using Sequence = std::uint64_t;

class ExecutionQueue {
public:
    using Job = std::function<void()>;
    using Deadline = std::optional<std::chrono::steady_clock::time_point>;

    explicit ExecutionQueue(Settings::Execution execution) : execution_(execution) {}
    ExecutionQueue(const ExecutionQueue&) = delete;
    ExecutionQueue& operator=(const ExecutionQueue&) = delete;
    /// Only empty queues may be destroyed.
    ~ExecutionQueue();

    /// The number that the next job will have. One thread at a time may submit.
    [[nodiscard]] Sequence next() const { return submitted_.load() + 1; }
    /// Returns at once, unless the ring is full or execution is immediate.
    void submit(Job job);

    [[nodiscard]] bool done(Sequence sequence) const { return completed_.load() >= sequence; }
    [[nodiscard]] bool outstanding() const {
        return completed_.load(std::memory_order_relaxed) !=
               submitted_.load(std::memory_order_relaxed);
    }
    /// Makes sure that a batch completes and waits for it; false: not before the deadline.
    bool wait(Sequence sequence, const Deadline& deadline = std::nullopt);
    /// As done(), for a program that asks again and again: late execution lets it wait long, not
    /// for ever.
    [[nodiscard]] bool poll(Sequence sequence);
    void drain() { wait(submitted_.load()); }

    /// Around fork(2), with the queue empty; the child starts a thread of its own when it needs
    /// one.
    void lock_for_fork();
    void unlock_after_fork(bool in_child);

private:
    void start();
    void work();
    [[nodiscard]] bool runnable() const;

    const Settings::Execution execution_;
    std::mutex mutex_;
    std::condition_variable work_;
    std::condition_variable progress_;
    std::deque<Job> jobs_;
    std::atomic<Sequence> submitted_ = 0;
    std::atomic<Sequence> completed_ = 0;
    Sequence demanded_ = 0; ///< late execution: someone waits for this one
    unsigned polls_ = 0;
    bool stopping_ = false;
    std::optional<std::thread> thread_;
};

} // namespace gem_upload::model::i915
