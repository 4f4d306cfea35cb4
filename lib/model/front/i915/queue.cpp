#include "model/front/i915/queue.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <pthread.h>
#include <sched.h>
#include <utility>

namespace gem_upload::model::i915 {
namespace {

/// As many batches fit in the ring; the next one waits. Executing beside the program, the ring is
/// short: every batch that waits keeps its buffers from being used again, and more buffers than fit
/// in the CPU's cache make all copies slow.
Sequence ring_batches(Settings::Execution execution) {
    return execution == Settings::Execution::late ? 32 : 2;
}

/// The thread that is measured may be pinned to one CPU: the GPU must not be.
void leave_the_programs_cpu() {
    cpu_set_t all;
    std::memset(&all, 0xff, sizeof all);
    // The kernel takes those that this process may use; failing, the thread stays where it is.
    (void)::sched_setaffinity(0, sizeof all, &all);
}

/// The program's signal handlers must not run on the GPU's thread.
class BlockedSignals {
public:
    BlockedSignals() {
        sigset_t all;
        sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    BlockedSignals(const BlockedSignals&) = delete;
    BlockedSignals& operator=(const BlockedSignals&) = delete;
    ~BlockedSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
    sigset_t before_{};
};

} // namespace

ExecutionQueue::~ExecutionQueue() {
    if (!thread_) {
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    work_.notify_one();
    thread_->join();
}

void ExecutionQueue::start() {
    if (!thread_) {
        const BlockedSignals blocked;
        thread_.emplace([this] { work(); });
    }
}

bool ExecutionQueue::runnable() const {
    return !jobs_.empty() &&
           (execution_ != Settings::Execution::late || demanded_ > completed_.load());
}

void ExecutionQueue::work() {
    leave_the_programs_cpu();
    std::unique_lock lock(mutex_);
    for (;;) {
        work_.wait(lock, [this] { return stopping_ || runnable(); });
        if (stopping_) {
            return;
        }
        {
            const Job job = std::move(jobs_.front());
            jobs_.pop_front();
            lock.unlock();
            job();
        } // the job lets go of its objects before it counts as done
        lock.lock();
        completed_.store(completed_.load() + 1);
        progress_.notify_all();
    }
}

void ExecutionQueue::submit(Job job) {
    if (execution_ == Settings::Execution::immediate) {
        submitted_.store(submitted_.load() + 1);
        job(); // no thread has to be woken up for it
        completed_.store(completed_.load() + 1);
        return;
    }
    const Sequence room = ring_batches(execution_);
    if (submitted_.load() - completed_.load() >= room) {
        wait(submitted_.load() - room + 1);
    }
    {
        const std::lock_guard lock(mutex_);
        start();
        jobs_.push_back(std::move(job));
        submitted_.store(submitted_.load() + 1);
    }
    if (execution_ != Settings::Execution::late) {
        work_.notify_one();
    }
}

bool ExecutionQueue::wait(Sequence sequence, const Deadline& deadline) {
    if (done(sequence)) {
        return true;
    }
    std::unique_lock lock(mutex_);
    demanded_ = std::max(demanded_, sequence);
    work_.notify_one();
    const auto finished = [this, sequence] { return done(sequence); };
    if (!deadline) {
        progress_.wait(lock, finished);
        return true;
    }
    return progress_.wait_until(lock, *deadline, finished);
}

bool ExecutionQueue::poll(Sequence sequence) {
    if (done(sequence)) {
        return true;
    }
    constexpr unsigned patience = 1000;
    const std::lock_guard lock(mutex_);
    if (++polls_ >= patience) {
        polls_ = 0;
        demanded_ = std::max(demanded_, sequence);
        work_.notify_one();
    }
    return false;
}

void ExecutionQueue::lock_for_fork() {
    mutex_.lock();
}

void ExecutionQueue::unlock_after_fork(bool in_child) {
    if (in_child && thread_) {
        // The thread exists in the parent only. There is nothing to join, and its handle must not
        // be destroyed as a running thread's.
        new (&thread_) std::optional<std::thread>();
        // The thread may have been waiting, and the copies would wait for its answer for ever.
        new (&work_) std::condition_variable();
        new (&progress_) std::condition_variable();
        // What was submitted before is the parent's to execute; memory is shared with it.
        jobs_.clear();
        completed_ = submitted_.load();
    }
    mutex_.unlock();
}

} // namespace gem_upload::model::i915
