#include "run_program.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace gem_upload::test {
namespace {

struct Pipe {
    int read;
    int write;
};

Pipe make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw std::runtime_error("pipe2 failed");
    }
    return {ends[0], ends[1]};
}

[[noreturn]] void become(const std::vector<std::string>& argv, const Pipe& out, const Pipe& err) {
    std::vector<std::string> copies = argv;
    std::vector<char*> pointers;
    for (std::string& argument : copies) {
        pointers.push_back(argument.data());
    }
    pointers.push_back(nullptr);
    ::dup2(out.write, STDOUT_FILENO);
    ::dup2(err.write, STDERR_FILENO);
    ::execvp(pointers.front(), pointers.data());
    ::_exit(127);
}

void collect(int out, int err, Outcome& outcome) {
    std::array<pollfd, 2> files{{{out, POLLIN, 0}, {err, POLLIN, 0}}};
    std::array<std::string*, 2> texts{&outcome.out, &outcome.err};
    int open = 2;
    while (open > 0) {
        if (::poll(files.data(), files.size(), -1) < 0 && errno != EINTR) {
            throw std::runtime_error("poll failed");
        }
        for (std::size_t i = 0; i < files.size(); ++i) {
            if (files[i].fd < 0 || files[i].revents == 0) {
                continue;
            }
            std::array<char, 4096> buffer{};
            const ssize_t count = ::read(files[i].fd, buffer.data(), buffer.size());
            if (count > 0) {
                texts[i]->append(buffer.data(), static_cast<std::size_t>(count));
            } else {
                ::close(files[i].fd);
                files[i].fd = -1;
                --open;
            }
        }
    }
}

} // namespace

Outcome run_program(const std::vector<std::string>& argv) {
    const Pipe out = make_pipe();
    const Pipe err = make_pipe();
    const pid_t child = ::fork();
    if (child < 0) {
        throw std::runtime_error("fork failed");
    }
    if (child == 0) {
        become(argv, out, err);
    }
    ::close(out.write);
    ::close(err.write);
    Outcome outcome;
    collect(out.read, err.read, outcome);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return outcome;
}

bool raised_sigbus(const Outcome& outcome) {
    return outcome.status == 128 + SIGBUS ||
           outcome.err.find("AddressSanitizer: BUS") != std::string::npos;
}

std::string program(const char* variable) {
    const char* path = std::getenv(variable);
    if (path == nullptr) {
        throw std::runtime_error(std::string(variable) + " is not set: run the tests by meson");
    }
    return path;
}

Outcome run_on_model(const std::string& chip, const std::vector<std::string>& options,
                     const std::vector<std::string>& command) {
    std::vector<std::string> argv{program("MODEL_RUNNER"), "--chip", chip};
    argv.insert(argv.end(), options.begin(), options.end());
    argv.emplace_back("--");
    argv.insert(argv.end(), command.begin(), command.end());
    return run_program(argv);
}

} // namespace gem_upload::test
