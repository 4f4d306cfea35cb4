// Programs that run beside each other, each on a CPU of its own.
#pragma once

#include "util/stop_signals.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gem_upload::tools {

struct PinnedJob {
    std::vector<std::string> argv;
    std::string output; ///< a file for its standard output
    std::string errors;
};

/// Who is told: a job's number, and its status in waitpid's form.
struct JobObserver {
    std::function<void(std::size_t job)> started;
    std::function<void(std::size_t job, int status)> ended;
};

/// Starts the jobs in their order, as many at a time as there are CPUS. A stopping signal ends
/// those that run, by SIGTERM and later by SIGKILL; the others are not started. Returns that
/// signal. Throws failed_call.
std::optional<int> run_pinned(std::span<const PinnedJob> jobs, std::vector<unsigned> cpus,
                              const JobObserver& observer, StopSignals& signals);

/// The CPUs that this process may use.
[[nodiscard]] std::vector<unsigned> usable_cpus();

/// MemAvailable in a text of /proc/meminfo, in MiB.
[[nodiscard]] std::optional<std::uint64_t> available_mib(std::string_view meminfo);

/// How many jobs of MIB each have room at once: at least one.
[[nodiscard]] std::size_t jobs_with_room(std::size_t cpus, std::optional<std::uint64_t> available,
                                         std::uint64_t mib);

} // namespace gem_upload::tools
