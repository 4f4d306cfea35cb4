// What would make the scheduler worse than useless: engines that keep the device's lock between
// them, so that no access, a reset least of all, comes through.
#include "model/pci/scheduler.h"

#include <gtest/gtest.h>
#include <mutex>
#include <optional>
#include <thread>

namespace gem_upload::model::pci {
namespace {

// With a millisecond each they are due again before the last of them has run.
TEST(SchedulerTest, LoopingEnginesLeaveTheLockToOthers) {
    constexpr std::size_t engines = 5;
    std::mutex lock;
    unsigned runs = 0;
    Scheduler scheduler(lock, Settings{}, engines, [&](std::size_t) {
        ++runs;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return std::optional(Progress::State::yielded);
    });
    for (std::size_t i = 0; i < engines; ++i) {
        const std::lock_guard guard(lock);
        scheduler.kick(i);
    }
    const auto runs_now = [&] {
        const std::lock_guard guard(lock);
        return runs;
    };
    while (runs_now() < 4 * engines) { // it is they who go on, too
        std::this_thread::yield();
    }
}

} // namespace
} // namespace gem_upload::model::pci
