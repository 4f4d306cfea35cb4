#include "model/launch.h"

#include "config.h"
#include "model/front/device_tree.h"
#include "model/front/fault_injection.h"
#include "model/front/program_file.h"
#include "model/front/settings_text.h"
#include "model/gpu.h"
#include "util/error.h"
#include "util/siblings.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace gem_upload::model {
namespace {

constexpr std::string_view layer_name = "gem-upload-model.so";

const ChipModel& known_chip(const std::string& name) {
    if (const ChipModel* chip = find_chip_model(name)) {
        return *chip;
    }
    std::string names;
    for (const ChipModel& chip : chip_models()) {
        names += fmt::format("{}{}", names.empty() ? "" : ", ", chip.name);
    }
    throw usage_error(fmt::format("the model has no chip '{}': it has {}", name, names));
}

void require_preloadable(const std::string& path, const ProgramFile& file) {
    if (file.privileged) {
        throw usage_error(fmt::format("'{}' runs with more rights than yours (set-user-ID, "
                                      "set-group-ID or capabilities), and the loader then preloads "
                                      "nothing: the model cannot be put under it",
                                      path));
    }
    if (file.elf && !file.elf64) {
        throw usage_error(fmt::format("'{}' is not a 64-bit x86 program: the model is", path));
    }
    if (file.elf && !file.dynamic) {
        throw usage_error(fmt::format("'{}' is linked statically: nothing can be preloaded into "
                                      "it, and so the model cannot be put under it",
                                      path));
    }
}

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

/// LD_PRELOAD: the sanitizer's runtime must come first of all.
std::string preload_list(const std::string& layer, const std::string& runtime) {
    std::string list = runtime.empty() ? layer : fmt::format("{}:{}", runtime, layer);
    const std::string before = variable("LD_PRELOAD");
    if (!before.empty() && before.find(layer_name) == std::string::npos) {
        list += ":" + before;
    }
    return list;
}

/// What is set for the program before it starts.
struct Environment {
    std::string preload;
    bool foreign_under_sanitizer = false;

    void enter(const LayerSettings& settings) const {
        ::setenv(settings_variable, settings_to_text(settings).c_str(), 1);
        ::setenv("LD_PRELOAD", preload.c_str(), 1);
        // libudev refuses device files outside a true sysfs.
        ::setenv("SYSTEMD_DEVICE_VERIFY_SYSFS", "0", 1);
        if (foreign_under_sanitizer) {
            // The program's own leaks are not ours to report.
            const std::string options = variable("ASAN_OPTIONS");
            ::setenv("ASAN_OPTIONS",
                     (options + (options.empty() ? "" : ":") + "detect_leaks=0").c_str(), 1);
        }
    }
};

/// All that can be found wrong before anything is created.
struct Launch {
    Launch(const Settings& wanted, const std::vector<std::string>& argv)
        : chip(known_chip(wanted.chip)), settings(wanted) {
        settings.chip = chip.name;
        (void)FaultInjection(settings.faults); // throws where they are not understood
        if (!settings.trace_path.empty()) {
            settings.trace_path = std::filesystem::absolute(settings.trace_path);
        }
        if (argv.empty() || argv.front().empty()) {
            throw usage_error("no command was given to run on the model");
        }
        if (!HAVE_LIBDRM) {
            throw cannot_measure(
                "this build has no software GPU, for it lacks libdrm: install libdrm-dev and build "
                "again");
        }
        path = find_program(argv.front());
        const ProgramFile program = inspect_program(path);
        require_preloadable(path, program);
        const std::string layer = find_sibling(layer_name);
        const std::string of_program = sanitizer_runtime(program);
        const std::string of_layer = sanitizer_runtime(inspect_program(layer));
        environment = {preload_list(layer, of_program.empty() ? of_layer : of_program),
                       of_program.empty() && !of_layer.empty()};
    }

    /// Returns only if the program could not be executed: the errno.
    int execute(const std::vector<std::string>& argv, const std::string& tree, pid_t owner) const {
        environment.enter({settings, tree, owner});
        std::vector<std::string> copies = argv;
        std::vector<char*> pointers;
        pointers.reserve(copies.size() + 1);
        for (std::string& argument : copies) {
            pointers.push_back(argument.data());
        }
        pointers.push_back(nullptr);
        ::execv(path.c_str(), pointers.data());
        return errno;
    }

    const ChipModel& chip;
    Settings settings;
    std::string path;
    Environment environment;
};

/// Removes the tree however its scope is left.
class OwnedTree {
public:
    explicit OwnedTree(std::string path) : path_(std::move(path)) {}
    OwnedTree(const OwnedTree&) = delete;
    OwnedTree& operator=(const OwnedTree&) = delete;
    ~OwnedTree() { remove_device_tree(path_); }
    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::string path_;
};

/// The signals that a launcher has to hear of, blocked for the time that it waits.
class WatchedSignals {
public:
    WatchedSignals() {
        ::sigemptyset(&watched_);
        for (const int signal : {SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP}) {
            ::sigaddset(&watched_, signal);
        }
        ::sigprocmask(SIG_BLOCK, &watched_, &before_);
    }
    WatchedSignals(const WatchedSignals&) = delete;
    WatchedSignals& operator=(const WatchedSignals&) = delete;
    ~WatchedSignals() { restore(); }

    void restore() const { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

    /// Waits for the child; what it was sent is passed on, but not what a terminal sent to both.
    [[nodiscard]] int wait_for(pid_t child) const {
        for (;;) {
            int status = 0;
            if (::waitpid(child, &status, WNOHANG) == child) {
                return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            }
            siginfo_t info{};
            const int signal = ::sigwaitinfo(&watched_, &info);
            if (signal > 0 && signal != SIGCHLD && info.si_code == SI_USER) {
                ::kill(child, signal);
            }
        }
    }

private:
    sigset_t watched_{};
    sigset_t before_{};
};

} // namespace

bool on_model() {
    return std::getenv(settings_variable) != nullptr &&
           variable("LD_PRELOAD").find(layer_name) != std::string::npos;
}

void execute_on_model(const Settings& settings, const std::vector<std::string>& argv) {
    const Launch launch(settings, argv);
    const OwnedTree tree(create_device_tree(launch.chip));
    const int error = launch.execute(argv, tree.path(), ::getpid());
    throw failed_call("executing", launch.path, error);
}

int run_on_model(const Settings& settings, const std::vector<std::string>& argv) {
    const Launch launch(settings, argv);
    const OwnedTree tree(create_device_tree(launch.chip));
    const WatchedSignals signals;
    const pid_t child = ::fork();
    if (child < 0) {
        throw failed_call("forking", "this machine", errno);
    }
    if (child == 0) {
        signals.restore();
        ::prctl(PR_SET_PDEATHSIG, SIGTERM);
        const int error = launch.execute(argv, tree.path(), 0);
        const std::string line =
            fmt::format("gem-upload: executing '{}': {}\n", launch.path, errno_text(error));
        [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
        ::_exit(static_cast<int>(Exit::usage));
    }
    return signals.wait_for(child);
}

void enter_model_if_asked(std::string_view device, int argc, char** argv) {
    constexpr std::string_view prefix = "model:";
    if (!device.starts_with(prefix)) {
        return;
    }
    const std::string_view chip = device.substr(prefix.size());
    if (on_model()) {
        const std::string here = settings_from_text(variable(settings_variable)).settings.chip;
        if (find_chip_model(chip) != find_chip_model(here)) {
            throw usage_error(fmt::format(
                "this process already runs on model:{}: leave --device out, or start it outside",
                here));
        }
        return;
    }
    Settings settings;
    settings.chip = chip;
    settings.check_clock = true;
    std::vector<std::string> arguments(argv, argv + argc);
    arguments.at(0) = std::filesystem::read_symlink("/proc/self/exe");
    execute_on_model(settings, arguments);
}

} // namespace gem_upload::model
