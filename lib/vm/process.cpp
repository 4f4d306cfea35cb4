#include "vm/process.h"

#include "util/error.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sched.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

namespace gem_upload::vm {
namespace {

bool is_program(const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
           ::access(path.c_str(), X_OK) == 0;
}

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (const std::string& word : words) {
        pointers.push_back(const_cast<char*>(word.c_str())); // exec's signature is C's
    }
    pointers.push_back(nullptr);
    return pointers;
}

std::vector<char*> environment_without(const std::vector<std::string>& names) {
    std::vector<char*> kept;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view variable(*entry);
        bool dropped = false;
        for (const std::string& name : names) {
            dropped =
                dropped || (variable.starts_with(name) && variable.substr(name.size(), 1) == "=");
        }
        if (!dropped) {
            kept.push_back(*entry);
        }
    }
    kept.push_back(nullptr);
    return kept;
}

/// All that the child needs, made before the fork: after it only async-signal-safe calls are made.
struct Start {
    std::string path;
    std::vector<char*> argv;
    std::vector<char*> environment;
    const ProcessSpec& spec;
    const sigset_t& signals;
    pid_t parent;

    [[noreturn]] void become() const {
        ::setpgid(0, 0);
        // The kernel ends this process when its parent dies, unless the parent is dead by now.
        if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || ::getppid() != parent || !set_streams() ||
            !set_place()) {
            ::_exit(126);
        }
        for (const int fd : spec.inherited) {
            ::fcntl(fd, F_SETFD, 0);
        }
        ::signal(SIGPIPE, SIG_DFL);
        ::sigprocmask(SIG_SETMASK, &signals, nullptr);
        ::execve(path.c_str(), argv.data(), environment.data());
        ::dprintf(STDERR_FILENO, "%s cannot be started: %s\n", path.c_str(),
                  strerrordesc_np(errno));
        ::_exit(126);
    }

private:
    [[nodiscard]] bool set_streams() const {
        const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
        const auto become_fd = [nowhere](int wanted, int target) {
            return ::dup2(wanted < 0 ? nowhere : wanted, target) >= 0;
        };
        return nowhere >= 0 && become_fd(spec.input, STDIN_FILENO) &&
               become_fd(spec.output, STDOUT_FILENO) && become_fd(spec.errors, STDERR_FILENO);
    }
    [[nodiscard]] bool set_place() const {
        if (spec.cpu) {
            cpu_set_t cpus;
            CPU_ZERO(&cpus);
            CPU_SET(*spec.cpu, &cpus);
            ::sched_setaffinity(0, sizeof cpus, &cpus); // slower without, but no less right
        }
        return spec.folder.empty() || ::chdir(spec.folder.c_str()) == 0;
    }
};

/// Reads what there is; false at the end of the stream.
bool read_available(int fd, std::string& text) {
    char buffer[65536];
    ssize_t count = 0;
    while ((count = ::read(fd, buffer, sizeof buffer)) > 0) {
        text.append(buffer, static_cast<std::size_t>(count));
    }
    return count != 0;
}

std::pair<UniqueFd, UniqueFd> pipe_ends() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0 || ::fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0) {
        throw failed_call("making a pipe", "this process", errno);
    }
    return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

void wait_for_news(const StopSignals& signals, const UniqueFd& output, const UniqueFd& errors) {
    pollfd fds[] = {
        {signals.fd(), POLLIN, 0}, {output.get(), POLLIN, 0}, {errors.get(), POLLIN, 0}};
    if (::poll(fds, 3, -1) < 0 && errno != EINTR) {
        throw failed_call("waiting for", "a child process", errno);
    }
}

std::string last_line(std::string text) {
    while (!text.empty() && text.back() == '\n') {
        text.pop_back();
    }
    return text.substr(text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1);
}

} // namespace

std::string locate_program(const std::string& name) {
    if (name.find('/') != std::string::npos) {
        return is_program(name) ? name : "";
    }
    const char* path = std::getenv("PATH");
    const std::string folders = fmt::format("{}:/usr/sbin:/sbin", path ? path : "/usr/bin:/bin");
    for (std::size_t begin = 0; begin <= folders.size();) {
        const std::size_t end = std::min(folders.find(':', begin), folders.size());
        const std::string candidate = folders.substr(begin, end - begin) + "/" + name;
        if (end > begin && is_program(candidate)) {
            return candidate;
        }
        begin = end + 1;
    }
    return "";
}

Process::Process(const ProcessSpec& spec, const sigset_t& signals) {
    const Start start{locate_program(spec.argv.at(0)),
                      pointers_to(spec.argv),
                      environment_without(spec.without),
                      spec,
                      signals,
                      ::getpid()};
    if (start.path.empty()) {
        throw failure(fmt::format("there is no program '{}'", spec.argv.at(0)));
    }
    pid_ = ::fork();
    if (pid_ < 0) {
        throw failed_call("starting", start.path, errno);
    }
    if (pid_ == 0) {
        start.become();
    }
    ::setpgid(pid_, pid_); // both sides do it, so that neither need wait for the other
}

Process::~Process() {
    if (!status()) {
        send(SIGKILL);
        int status = 0;
        ::waitpid(pid_, &status, 0);
    }
}

void Process::send(int signal) const {
    ::kill(-pid_, signal);
}

std::optional<int> Process::status() {
    int status = 0;
    if (!status_ && ::waitpid(pid_, &status, WNOHANG) == pid_) {
        status_ = status;
    }
    return status_;
}

std::string status_text(int status) {
    if (WIFEXITED(status)) {
        return fmt::format("exited with status {}", WEXITSTATUS(status));
    }
    const char* name = sigdescr_np(WTERMSIG(status));
    return fmt::format("was ended by signal {} ({})", WTERMSIG(status), name ? name : "unknown");
}

std::string run_helper(ProcessSpec spec, StopSignals& signals) {
    auto [output, output_end] = pipe_ends();
    auto [errors, errors_end] = pipe_ends();
    spec.output = spec.output < 0 ? output_end.get() : spec.output;
    spec.errors = errors_end.get();
    Process process(spec, signals.mask_before());
    output_end = UniqueFd();
    errors_end = UniqueFd();
    std::string text;
    std::string complaints;
    while (!process.status()) {
        wait_for_news(signals, output, errors);
        if (const std::optional<int> signal = signals.stop()) {
            throw Interrupted{*signal};
        }
        // A stream at its end would wake us for ever.
        output = read_available(output.get(), text) ? std::move(output) : UniqueFd();
        errors = read_available(errors.get(), complaints) ? std::move(errors) : UniqueFd();
    }
    read_available(output.get(), text);
    read_available(errors.get(), complaints);
    if (*process.status() != 0) {
        throw failure(fmt::format("'{}' {}: {}", fmt::join(spec.argv, " "),
                                  status_text(*process.status()),
                                  complaints.empty() ? "it said nothing" : last_line(complaints)));
    }
    return text;
}

std::pair<UniqueFd, UniqueFd> socket_pair() {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        throw failed_call("making a socket pair", "this process", errno);
    }
    return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

} // namespace gem_upload::vm
