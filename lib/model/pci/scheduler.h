// When engines run: within the access that gives them work, or later on a thread.
#pragma once

#include "model/command_streamer.h"
#include "model/pci/gpu.h"

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace gem_upload::model::pci {

/// Runs engines under the device's lock, which its functions (but start and end) are called with.
class Scheduler {
public:
    /// What an engine does when its turn comes; nothing if it has no work any more.
    using Run = std::function<std::optional<Progress::State>(std::size_t engine)>;

    Scheduler(std::mutex& lock, const Settings& settings, std::size_t engines, Run run);
    ~Scheduler();
    Scheduler(const Scheduler&) = delete;
    Scheduler& operator=(const Scheduler&) = delete;

    /// An engine may have got work.
    void kick(std::size_t engine);
    void pause() { paused_ = true; }
    void resume();

private:
    using Clock = std::chrono::steady_clock;

    void run(std::size_t engine);
    void hurry_others();
    void due(std::size_t engine, Clock::duration after);
    [[nodiscard]] std::optional<std::size_t> next() const;
    void loop();
    void run_and_rest(std::unique_lock<std::mutex>& guard, std::size_t engine);

    std::mutex& lock_;
    bool immediate_;
    Clock::duration delay_;
    Run run_;
    std::vector<std::optional<Clock::time_point>> due_; ///< by engine
    std::vector<bool> waits_;                           ///< for memory to change; by engine
    bool running_ = false;                              ///< an engine's command may kick an engine
    bool paused_ = false;
    bool stopping_ = false;
    std::condition_variable changed_;
    std::thread thread_; ///< started when it is first needed
};

} // namespace gem_upload::model::pci
