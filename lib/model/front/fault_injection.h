// Mistakes of a machine on demand: failing ioctls, a GPU that hangs or is wedged, a full aperture,
// a SIGBUS, a device that disappears.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gem_upload::model {

/// The faults of one process. Safe for use from several threads.
///
/// What a fault may be (N counts from 1):
///   IOCTL:N=ERRNO    the Nth call of an ioctl fails: "PWRITE:3=EIO"
///   hang:N           the batch of the Nth execbuffer never ends, and is reset
///   wedge:N          the GPU hangs at the Nth execbuffer and stays wedged
///   full-aperture:N  from the Nth execbuffer on there is no room for its objects (ENOSPC)
///   sigbus:N         the Nth GTT mapping raises SIGBUS where it is touched
///   gone:N           from the Nth ioctl on the device has disappeared (ENODEV)
class FaultInjection {
public:
    /// Throws usage_error naming the fault that is not understood.
    explicit FaultInjection(std::span<const std::string> faults);

    /// The ioctls that are to fail, for a check that they exist.
    [[nodiscard]] std::vector<std::string> ioctl_names() const;

    /// Counts a call of an ioctl; the errno it is to fail with, or 0.
    [[nodiscard]] int next_ioctl(std::string_view name);
    /// Counts an execbuffer.
    struct Execution {
        bool hang = false;
        bool wedge = false;
        bool full_aperture = false;
    };
    [[nodiscard]] Execution next_execution();
    /// Counts a GTT mapping; true: it is to raise SIGBUS.
    [[nodiscard]] bool next_gtt_mapping();

private:
    struct FailingCall {
        std::string name;
        std::uint64_t call;
        int errno_value;
    };
    void parse(std::string_view fault);

    std::mutex mutex_;
    std::vector<FailingCall> failing_;
    std::map<std::string, std::uint64_t, std::less<>> calls_;
    std::uint64_t ioctls_ = 0;
    std::uint64_t executions_ = 0;
    std::uint64_t gtt_mappings_ = 0;
    std::set<std::uint64_t> hangs_at_;
    std::uint64_t wedge_at_ = 0; ///< 0: never, here and below
    std::uint64_t full_aperture_from_ = 0;
    std::uint64_t sigbus_at_ = 0;
    std::uint64_t gone_from_ = 0;
};

} // namespace gem_upload::model
