#include "model/pci/scheduler.h"

#include <utility>

namespace gem_upload::model::pci {
namespace {

/// How long an engine that loops, or waits for memory to change, is left alone before it is looked
/// at again.
constexpr std::chrono::milliseconds pause_of_looping{1};
constexpr std::chrono::microseconds pause_of_waiting{100};

} // namespace

Scheduler::Scheduler(std::mutex& lock, const Settings& settings, std::size_t engines, Run run)
    : lock_(lock),
      immediate_(settings.timing == Timing::immediate),
      delay_(settings.delay),
      run_(std::move(run)),
      due_(engines),
      waits_(engines) {}

Scheduler::~Scheduler() {
    {
        const std::lock_guard guard(lock_);
        stopping_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) {
        thread_.join();
    }
}

void Scheduler::kick(std::size_t engine) {
    if (immediate_ && !running_ && !paused_) {
        run(engine);
    } else if (!due_[engine]) {
        due(engine, immediate_ ? Clock::duration{} : delay_);
    }
}

void Scheduler::resume() {
    paused_ = false;
    changed_.notify_all();
}

void Scheduler::run(std::size_t engine) {
    due_[engine].reset();
    running_ = true;
    const auto state = run_(engine);
    running_ = false;
    waits_[engine] = state == Progress::State::blocked;
    if (state == Progress::State::yielded) {
        due(engine, pause_of_looping);
    } else if (state == Progress::State::blocked) {
        due(engine, pause_of_waiting);
    } else {
        hurry_others();
    }
}

/// What an engine has done may be what another waits for.
void Scheduler::hurry_others() {
    const auto now = Clock::now();
    for (std::size_t i = 0; i < due_.size(); ++i) {
        if (waits_[i] && due_[i]) {
            due_[i] = now;
        }
    }
}

void Scheduler::due(std::size_t engine, Clock::duration after) {
    due_[engine] = Clock::now() + after;
    if (!thread_.joinable()) {
        thread_ = std::thread([this] { loop(); });
    }
    changed_.notify_all();
}

std::optional<std::size_t> Scheduler::next() const {
    std::optional<std::size_t> first;
    for (std::size_t i = 0; i < due_.size(); ++i) {
        if (due_[i] && (!first || *due_[i] < *due_[*first])) {
            first = i;
        }
    }
    return paused_ ? std::nullopt : first;
}

void Scheduler::loop() {
    std::unique_lock guard(lock_);
    while (!stopping_) {
        const auto engine = next();
        if (!engine) {
            changed_.wait(guard);
        } else if (Clock::now() < *due_[*engine]) {
            const Clock::time_point until = *due_[*engine];
            changed_.wait_until(guard, until);
        } else {
            run_and_rest(guard, *engine);
        }
    }
}

/// Several engines that loop always have one whose turn it is: without a rest as long as the run,
/// whoever wants to end that would wait for the lock for ever.
void Scheduler::run_and_rest(std::unique_lock<std::mutex>& guard, std::size_t engine) {
    const Clock::time_point begin = Clock::now();
    run(engine);
    if (due_[engine]) {
        const Clock::duration taken = Clock::now() - begin;
        guard.unlock();
        std::this_thread::sleep_for(taken);
        guard.lock();
    }
}

} // namespace gem_upload::model::pci
