// The one model of this process: its device, and the descriptors that are open on it.
#pragma once

#include "model/front/drm/device.h"
#include "model/front/settings_text.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <sys/stat.h>
#include <sys/types.h>
#include <unordered_map>
#include <vector>

namespace gem_upload::model {

/// Sets, for its lifetime, that this thread is at work for the model: what it asks of libc is not
/// the program's doing.
class InsideModel {
public:
    InsideModel();
    InsideModel(const InsideModel&) = delete;
    InsideModel& operator=(const InsideModel&) = delete;
    ~InsideModel();
    [[nodiscard]] static bool now();

private:
    bool before_;
};

class Process {
public:
    /// Throws Error where the settings make no sense.
    Process();

    /// The clients of the descriptors, nullptr for all others.
    [[nodiscard]] std::shared_ptr<Client> client(int fd);
    /// The same, for a descriptor that may have come from elsewhere (another process, a socket).
    [[nodiscard]] std::shared_ptr<Client> adopt(int fd);
    void add(int fd, std::shared_ptr<Client> client);
    void forget(int first, int last);
    void duplicate(int from, int to);

    [[nodiscard]] Device& device() { return *device_; }
    /// The program reads the clock, from CALLER.
    void clock_read(const void* caller);
    [[nodiscard]] bool watches_clock() const {
        return settings_.settings.check_clock && device_->driver().outstanding();
    }
    /// At exit: executes what is outstanding; the status that the process must end with.
    [[nodiscard]] int final_status(int status);

private:
    [[nodiscard]] bool is_programs(const void* caller) const;
    void find_code_of_program();

    LayerSettings settings_;
    Report report_;
    FaultInjection faults_;
    Trace trace_;
    std::unique_ptr<Device> device_;

    std::mutex mutex_;
    std::unordered_map<int, std::shared_ptr<Client>> clients_;

    struct Code {
        std::uintptr_t begin;
        std::uintptr_t end;
    };
    std::vector<Code> program_;   ///< the program, and what runs on its behalf
    std::vector<Code> sanitizer_; ///< stands between the program and libc
};

/// The process's model as far as there is one: nullptr until the device has first been opened.
[[nodiscard]] Process* existing_process();
/// Creates it at need; ends the process with status 2 and a sentence where that fails.
[[nodiscard]] Process& process();

/// The node that a file of the tree stands for.
[[nodiscard]] std::optional<Node> node_of(const struct stat& status);
/// Passes the layer by: fstat(2).
[[nodiscard]] bool real_status(int fd, struct stat& status);

/// Removes the tree if this process has to.
void remove_own_tree();

} // namespace gem_upload::model
