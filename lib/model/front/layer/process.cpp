#include "model/front/layer/process.h"

#include "model/front/device_tree.h"
#include "model/front/i915/i915.h"
#include "model/front/layer/tree_path.h"
#include "util/error.h"

#include <algorithm>
#include <array>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <execinfo.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace gem_upload::model {
namespace {

LayerSettings read_settings() {
    const char* text = std::getenv(settings_variable);
    return settings_from_text(text != nullptr ? text : "");
}

const ChipModel& chip_of(const LayerSettings& settings) {
    const ChipModel* chip = find_chip_model(settings.settings.chip);
    if (chip == nullptr) {
        throw usage_error(fmt::format("the model has no chip '{}'", settings.settings.chip));
    }
    return *chip;
}

/// Without a tree there is no such file, least of all the machine's own.
std::string error_state_of(const LayerSettings& settings) {
    return settings.tree.empty() ? "" : settings.tree + std::string(error_state_path);
}

std::atomic<Process*>& the_process() {
    static std::atomic<Process*> process = nullptr;
    return process;
}

void end_process(int status, void* /*argument*/) {
    const int final = existing_process()->final_status(status);
    if (final == status) {
        return;
    }
    // The status of exit() cannot be changed any more: its last steps are taken here.
    (void)std::fflush(nullptr);
    remove_own_tree();
    ::_exit(final);
}

void before_fork() {
    existing_process()->device().driver().before_fork();
}
void after_fork_in_parent() {
    existing_process()->device().driver().after_fork_in_parent();
}
void after_fork_in_child() {
    existing_process()->device().driver().after_fork_in_child();
}

Process* create_process() {
    const InsideModel inside;
    try {
        // Never destroyed: threads and exit handlers use it to the very end.
        auto* process = new Process();
        the_process().store(process);
        if (::on_exit(end_process, nullptr) != 0 ||
            ::pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child) != 0) {
            throw failure("the model could not register what it does at exit");
        }
        return process;
    } catch (const std::exception& error) {
        const std::string line = fmt::format("model: {}\n", error.what());
        [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
        remove_own_tree();
        ::_exit(static_cast<int>(Exit::usage));
    }
}

} // namespace

Process* existing_process() {
    return the_process().load(std::memory_order_acquire);
}

Process& process() {
    static Process* const created = create_process();
    return *created;
}

Process::Process()
    : settings_(read_settings()),
      report_(chip_of(settings_).name),
      faults_(settings_.settings.faults),
      trace_(settings_.settings.trace_path),
      device_(std::make_unique<Device>(
          std::make_unique<i915::I915>(chip_of(settings_), settings_.settings, report_, faults_,
                                       error_state_of(settings_)),
          faults_, trace_)) {
    for (const std::string& name : faults_.ioctl_names()) {
        if (!device_->knows(name)) {
            throw usage_error(fmt::format("the fault '{}:...' names no ioctl of the model", name));
        }
    }
    find_code_of_program();
}

std::shared_ptr<Client> Process::client(int fd) {
    const std::lock_guard lock(mutex_);
    const auto entry = clients_.find(fd);
    return entry == clients_.end() ? nullptr : entry->second;
}

std::shared_ptr<Client> Process::adopt(int fd) {
    struct stat status {};
    const std::optional<Node> node = real_status(fd, status) ? node_of(status) : std::nullopt;
    if (!node) {
        return nullptr;
    }
    std::shared_ptr<Client> opened = device_->open(*node);
    add(fd, opened);
    return opened;
}

void Process::add(int fd, std::shared_ptr<Client> client) {
    const std::lock_guard lock(mutex_);
    clients_.insert_or_assign(fd, std::move(client));
}

void Process::forget(int first, int last) {
    std::vector<std::shared_ptr<Client>> closed; // let go of outside the lock
    const std::lock_guard lock(mutex_);
    for (auto entry = clients_.begin(); entry != clients_.end();) {
        if (entry->first >= first && entry->first <= last) {
            closed.push_back(std::move(entry->second));
            entry = clients_.erase(entry);
        } else {
            ++entry;
        }
    }
}

void Process::duplicate(int from, int to) {
    std::shared_ptr<Client> original = client(from);
    if (original != nullptr) {
        add(to, std::move(original));
    } else {
        forget(to, to);
    }
}

void Process::find_code_of_program() {
    const auto visit = [](dl_phdr_info* info, std::size_t /*size*/, void* argument) {
        auto& self = *static_cast<Process*>(argument);
        const std::string_view path = info->dlpi_name;
        const std::string_view name = path.substr(path.rfind('/') + 1);
        const bool sanitizer = name.starts_with("libasan.") || name.starts_with("libtsan.");
        // std::chrono's clocks are read inside libstdc++, on the program's behalf.
        const bool program = name.empty() || name.starts_with("libstdc++.");
        std::vector<Code>* codes = sanitizer ? &self.sanitizer_
                                   : program ? &self.program_
                                             : nullptr;
        // The program comes first; later entries without a name are the vdso's.
        if (codes == nullptr || (name.empty() && !self.program_.empty())) {
            return 0;
        }
        for (int i = 0; i < info->dlpi_phnum; ++i) {
            const ElfW(Phdr)& header = info->dlpi_phdr[i];
            if (header.p_type == PT_LOAD && (header.p_flags & PF_X) != 0) {
                const std::uintptr_t begin = info->dlpi_addr + header.p_vaddr;
                codes->push_back({begin, begin + header.p_memsz});
            }
        }
        return 0;
    };
    ::dl_iterate_phdr(visit, this);
}

bool Process::is_programs(const void* caller) const {
    const auto holds = [](const std::vector<Code>& codes, const void* where) {
        const auto address = reinterpret_cast<std::uintptr_t>(where);
        return std::any_of(codes.begin(), codes.end(), [address](const Code& code) {
            return address >= code.begin && address < code.end;
        });
    };
    if (!holds(sanitizer_, caller)) {
        return holds(program_, caller);
    }
    // The sanitizer's function of that name called: who called that one is meant.
    std::array<void*, 16> frames{};
    const int depth = ::backtrace(frames.data(), static_cast<int>(frames.size()));
    const auto end = frames.begin() + depth;
    const auto before = std::find(frames.begin(), end, caller);
    return before != end && before + 1 != end && holds(program_, *(before + 1));
}

void Process::clock_read(const void* caller) {
    if (is_programs(caller) && !report_.condemned()) {
        device_->driver().clock_was_read();
    }
}

int Process::final_status(int status) {
    const InsideModel inside;
    device_->driver().finish();
    return status == 0 && report_.condemned() ? static_cast<int>(Exit::failure) : status;
}

std::optional<Node> node_of(const struct stat& status) {
    struct Placeholder {
        dev_t device = 0;
        ino_t inode = 0;
    };
    const auto look_up = [](std::string_view name) {
        struct stat found {};
        std::string path(tree_root());
        path += name;
        if (path == name || ::syscall(SYS_newfstatat, AT_FDCWD, path.c_str(), &found, 0) != 0) {
            return Placeholder{};
        }
        return Placeholder{found.st_dev, found.st_ino};
    };
    static const Placeholder primary = look_up("/dev/dri/card0");
    static const Placeholder render = look_up("/dev/dri/renderD128");
    const auto is = [&status](const Placeholder& node) {
        return node.inode != 0 && node.inode == status.st_ino && node.device == status.st_dev;
    };
    return is(primary)  ? std::optional(Node::primary)
           : is(render) ? std::optional(Node::render)
                        : std::nullopt;
}

bool real_status(int fd, struct stat& status) {
    return ::syscall(SYS_newfstatat, fd, "", &status, AT_EMPTY_PATH) == 0;
}

void remove_own_tree() {
    const InsideModel inside;
    const char* text = std::getenv(settings_variable);
    if (text == nullptr) {
        return;
    }
    try {
        const LayerSettings settings = settings_from_text(text);
        if (settings.owner == ::getpid()) {
            remove_device_tree(settings.tree);
        }
    } catch (const Error&) {
        return; // not the launcher's settings: nothing of ours to remove
    }
}

} // namespace gem_upload::model
