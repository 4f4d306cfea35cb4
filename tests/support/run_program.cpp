#include "run_program.h"

#include "util/files.h"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace gem_upload::testing_support {
namespace {

void redirect(const std::string& path, int flags, int target) {
    const int fd = ::open(path.c_str(), flags, 0600);
    if (fd < 0 || ::dup2(fd, target) < 0) {
        ::_exit(126);
    }
    ::close(fd);
}

[[noreturn]] void become(std::vector<char*> argv, const std::vector<std::string>& environment,
                         const TemporaryFolder& folder) {
    redirect("/dev/null", O_RDONLY, STDIN_FILENO);
    redirect(folder.file("out"), O_WRONLY | O_CREAT, STDOUT_FILENO);
    redirect(folder.file("err"), O_WRONLY | O_CREAT, STDERR_FILENO);
    for (const std::string& setting : environment) {
        const auto equals = setting.find('=');
        ::setenv(setting.substr(0, equals).c_str(), setting.substr(equals + 1).c_str(), 1);
    }
    ::execvp(argv[0], argv.data());
    ::_exit(127);
}

} // namespace

Outcome run_program(const std::vector<std::string>& argv,
                    const std::vector<std::string>& environment) {
    const TemporaryFolder folder;
    std::vector<std::string> arguments = argv;
    std::vector<char*> pointers;
    for (std::string& argument : arguments) {
        pointers.push_back(argument.data());
    }
    pointers.push_back(nullptr);

    const pid_t child = ::fork();
    if (child < 0) {
        throw std::runtime_error("fork failed");
    }
    if (child == 0) {
        become(pointers, environment, folder);
    }
    int status = 0;
    if (::waitpid(child, &status, 0) != child) {
        throw std::runtime_error("waitpid failed");
    }
    Outcome outcome;
    outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    outcome.out = read_file(folder.file("out"));
    outcome.err = read_file(folder.file("err"));
    return outcome;
}

TemporaryFolder::TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "gem-upload-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
        throw std::runtime_error("mkdtemp failed");
    }
    path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

} // namespace gem_upload::testing_support
