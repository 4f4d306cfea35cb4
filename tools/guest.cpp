// gem-upload-guest: the guest's init under gem-upload-vm(1), and its way to load and unload
// drivers. As the first process it does what its job says, reports, and ends the machine.
#include "config.h"
#include "drm/modules.h"
#include "guest_command.h"
#include "guest_system.h"
#include "util/command_line.h"
#include "util/error.h"
#include "util/files.h"
#include "vm/guest_job.h"
#include "vm/guest_record.h"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/utsname.h>
#include <termios.h>
#include <unistd.h>

namespace gem_upload::guest {
namespace {

/// The channel to the host.
class Control {
public:
    Control() : line_(open_line("/dev/ttyS3")) {}
    void tell(std::string_view line) const { write_all(line_.get(), line); }
    void finish() const { ::tcdrain(line_.get()); }

private:
    UniqueFd line_;
};

void write_kernel_log(std::string_view text) {
    const UniqueFd log{::open("/dev/kmsg", O_WRONLY | O_CLOEXEC)};
    [[maybe_unused]] const ssize_t count = ::write(log.get(), text.data(), text.size());
}

/// Names what holds text consoles to framebuffers first: they would hold the driver.
int change_module(const std::string& module, bool load) {
    const auto modules = drm::open_modules();
    if (load) {
        const int error = modules->insert(module);
        permit_nodes();
        return error;
    }
    release_consoles();
    return modules->remove(module);
}

void load(const Control& control, const std::string& module) {
    control.tell(vm::loading_line(module));
    control.tell(vm::module_line(module, change_module(module, true)));
}

void tell_interrupts(const Control& control, const char* name, const vm::GuestJob& job) {
    const std::uint64_t count = vm::count_interrupts(read_file("/proc/interrupts"), job.drivers);
    control.tell(vm::number_line(name, static_cast<std::int64_t>(count)));
}

bool load_all(const Control& control, const vm::GuestJob& job) {
    for (const std::string& module : job.support) {
        load(control, module);
    }
    if (job.share) {
        control.tell(vm::number_line("share", mount_share()));
    }
    vm::GuestRecord failures;
    for (const std::string& module : job.drivers) {
        control.tell(vm::loading_line(module));
        failures.modules.emplace_back(module, change_module(module, true));
        control.tell(vm::module_line(module, failures.modules.back().second));
    }
    for (const auto& [node, driver] : drm_nodes()) {
        control.tell(vm::node_line(node, driver));
    }
    return !failures.has_failed_module();
}

void run(const Control& control, const vm::GuestJob& job) {
    const auto started = [&] { control.tell(vm::running_line); };
    CommandEnd end;
    if (job.terminal) {
        end = run_on_terminal(job, "/dev/ttyS1", started);
    } else {
        const UniqueFd output = open_line("/dev/ttyS1");
        const UniqueFd errors = open_line("/dev/ttyS2");
        end = run_command(job, output.get(), errors.get(), started);
        ::tcdrain(output.get());
        ::tcdrain(errors.get());
    }
    if (end.error != 0) {
        control.tell(vm::number_line("unstarted", end.error));
    } else {
        control.tell(vm::number_line("status", end.status));
    }
}

void carry_out(const Control& control) {
    const vm::GuestJob job = vm::job_from_text(read_file(vm::job_path));
    ::setenv("PATH", job.path.c_str(), 1);
    ::setenv("HOME", "/root", 1);
    ::setenv("TERM", job.terminal ? job.terminal->type.c_str() : "dumb", 1);
    if (!load_all(control, job)) {
        return;
    }
    write_kernel_log(fmt::format("<6>{}\n", vm::loaded_mark));
    tell_interrupts(control, "interrupts-before", job);
    run(control, job);
    tell_interrupts(control, "interrupts-after", job);
}

/// The first process must not end: a kernel without it panics.
[[noreturn]] void be_init() {
    try {
        mount_file_systems();
        install_busybox();
        const Control control;
        utsname system{};
        ::uname(&system);
        control.tell(vm::release_line(system.release));
        carry_out(control);
        control.tell(vm::ended_line);
        control.finish();
    } catch (const std::exception& error) {
        // Its standard error is the console, and so the kernel's log on the host.
        fmt::print(stderr, "gem-upload-guest: {}\n", error.what());
        std::fflush(stderr);
    }
    end_machine();
}

/// kernel/module/main.c answers EWOULDBLOCK where a module has users.
Error cannot_change(const std::string& module, bool loading, int error) {
    if (!loading && error == EWOULDBLOCK) {
        return failure(fmt::format("{} is busy: a program has its device open, or another module "
                                   "uses it (lsmod tells which); end that first",
                                   module));
    }
    return failure(fmt::format("{} could not be {}: {}", module, loading ? "loaded" : "unloaded",
                               errno_text(error)));
}

int change_modules(int argc, char** argv) {
    std::string to_load;
    std::string to_unload;
    CLI::App app("The guest's init under gem-upload-vm(1), and its way to load and unload drivers.",
                 "gem-upload-guest");
    app.set_version_flag("--version", "gem-upload-guest " GEM_UPLOAD_VERSION);
    app.add_option("--load", to_load, "load a module and what it needs")->type_name("MODULE");
    app.add_option("--unload", to_unload, "unload a module (before one is loaded)")
        ->type_name("MODULE");
    if (const auto status = parse_command_line(app, argc, argv)) {
        return *status;
    }
    if (to_load.empty() && to_unload.empty()) {
        throw usage_error("there is nothing to do: give --load or --unload");
    }
    for (const bool loading : {false, true}) {
        const std::string& module = loading ? to_load : to_unload;
        if (const int error = module.empty() ? 0 : change_module(module, loading); error != 0) {
            throw cannot_change(module, loading, error);
        }
    }
    return static_cast<int>(Exit::success);
}

} // namespace
} // namespace gem_upload::guest

int main(int argc, char** argv) {
    if (::getpid() == 1) {
        gem_upload::guest::be_init();
    }
    try {
        return gem_upload::guest::change_modules(argc, argv);
    } catch (const gem_upload::Error& error) {
        fmt::print(stderr, "gem-upload-guest: {}\n", error.what());
        return static_cast<int>(error.status());
    } catch (const std::exception& error) {
        fmt::print(stderr, "gem-upload-guest: {}\n", error.what());
        return static_cast<int>(gem_upload::Exit::failure);
    }
}
