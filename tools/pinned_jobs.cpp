#include "pinned_jobs.h"

#include "util/error.h"
#include "util/unique_fd.h"
#include "vm/lines.h"
#include "vm/process.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <list>
#include <poll.h>
#include <sched.h>

namespace gem_upload::tools {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto end_grace = std::chrono::seconds(10); // a guest and its device end within five

UniqueFd create_file(const std::string& path) {
    UniqueFd fd{::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)};
    if (!fd) {
        throw failed_call("creating", path, errno);
    }
    return fd;
}

struct Running {
    Running(std::size_t number, const vm::ProcessSpec& spec, const sigset_t& mask)
        : job(number), cpu(*spec.cpu), process(spec, mask) {}
    std::size_t job;
    unsigned cpu;
    vm::Process process;
};

class Jobs {
public:
    Jobs(std::span<const PinnedJob> jobs, std::vector<unsigned> cpus, const JobObserver& observer,
         StopSignals& signals)
        : jobs_(jobs), free_cpus_(std::move(cpus)), observer_(observer), signals_(signals) {
        std::ranges::reverse(free_cpus_); // taken from the end
    }

    std::optional<int> run() {
        while (true) {
            while (!stopped_ && next_ < jobs_.size() && !free_cpus_.empty()) {
                start();
            }
            if (running_.empty()) {
                return stopped_;
            }
            wait();
            take_ended();
        }
    }

private:
    void start() {
        const PinnedJob& job = jobs_[next_];
        const UniqueFd output = create_file(job.output);
        const UniqueFd errors = create_file(job.errors);
        vm::ProcessSpec spec;
        spec.argv = job.argv;
        spec.output = output.get();
        spec.errors = errors.get();
        spec.cpu = free_cpus_.back();
        running_.emplace_back(next_, spec, signals_.mask_before());
        free_cpus_.pop_back();
        observer_.started(next_++);
    }

    void wait() {
        pollfd fd{signals_.fd(), POLLIN, 0};
        constexpr int tick_milliseconds = 500;
        if (::poll(&fd, 1, tick_milliseconds) < 0 && errno != EINTR) {
            throw failed_call("waiting for", "a guest", errno);
        }
        if (const std::optional<int> signal = signals_.stop(); signal && !stopped_) {
            stopped_ = signal;
            kill_at_ = Clock::now() + end_grace;
            send(SIGTERM);
        }
        if (stopped_ && Clock::now() >= kill_at_) {
            send(SIGKILL);
        }
    }

    void send(int signal) {
        for (const Running& running : running_) {
            running.process.send(signal);
        }
    }

    void take_ended() {
        for (auto running = running_.begin(); running != running_.end();) {
            const std::optional<int> status = running->process.status();
            if (!status) {
                ++running;
                continue;
            }
            const std::size_t job = running->job;
            free_cpus_.push_back(running->cpu);
            running = running_.erase(running);
            observer_.ended(job, *status);
        }
    }

    std::span<const PinnedJob> jobs_;
    std::vector<unsigned> free_cpus_;
    const JobObserver& observer_;
    StopSignals& signals_;
    std::list<Running> running_;
    std::size_t next_ = 0;
    std::optional<int> stopped_;
    Clock::time_point kill_at_{};
};

} // namespace

std::optional<int> run_pinned(std::span<const PinnedJob> jobs, std::vector<unsigned> cpus,
                              const JobObserver& observer, StopSignals& signals) {
    return Jobs(jobs, std::move(cpus), observer, signals).run();
}

std::vector<unsigned> usable_cpus() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (::sched_getaffinity(0, sizeof set, &set) != 0) {
        throw failed_call("sched_getaffinity", "this process", errno);
    }
    std::vector<unsigned> cpus;
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (CPU_ISSET(cpu, &set)) {
            cpus.push_back(cpu);
        }
    }
    return cpus;
}

std::optional<std::uint64_t> available_mib(std::string_view meminfo) {
    for (std::string_view line : vm::lines_of(meminfo)) {
        if (vm::take_word(line) == "MemAvailable:") {
            line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
            const auto kib = vm::number_in<std::uint64_t>(vm::take_word(line));
            return kib ? std::optional(*kib / 1024) : std::nullopt;
        }
    }
    return std::nullopt;
}

std::size_t jobs_with_room(std::size_t cpus, std::optional<std::uint64_t> available,
                           std::uint64_t mib) {
    const std::uint64_t room = available ? *available / mib : cpus;
    return std::max<std::size_t>(1, std::min<std::uint64_t>(cpus, room));
}

} // namespace gem_upload::tools
