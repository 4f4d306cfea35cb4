#include "run_fake_tree.h"

#include "util/files.h"

#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace gem_upload::tools {
namespace {

namespace fs = std::filesystem;

constexpr const char* benchmark = R"script(#!/bin/sh
here=${0%/*}; tree=$here/..; name=${0##*/}; json=; variant=; hang=
for argument; do
    case $argument in
    --json=*) json=${argument#*=};;
    --variant=*) variant=${argument#*=};;
    esac
done
echo $$ >> "$tree/pids"
echo "$name $*" >> "$tree/started"
number=$(wc -l < "$tree/started")
before() { :; }
after() { :; }
. "$here/behaviour"
before
cat > "$json.$$.tmp" <<END
{"schema": "gem-upload-result/1", "method": "$name", "variant": "$variant",
 "device": "model:g45", "model": true, "canonical": true, "not_canonical_because": [],
 "options": {"width": "1280"}, "facts": {"relocation": "presumed"},
 "environment": {"governor": "performance"},
 "samples": [{"seconds": $number.5, "iterations": 200, "bytes": 737280000, "verified": true}]${hang:+, \"gpu_hang\": \"$hang\"}}
END
mv "$json.$$.tmp" "$json"
echo $number.5 >> "$tree/finished"
after
)script";

void write_program(const std::string& path, const char* text) {
    std::ofstream(path) << text;
    fs::permissions(path, fs::perms::owner_all);
}

/// Looks again and again, for a minute at most: this machine may be very busy.
template <typename Condition>
bool comes_true(const Condition& condition) {
    for (int i = 0; i < 6000; ++i) {
        if (condition()) {
            return true;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
}

} // namespace

FakeTree::FakeTree() {
    fs::create_directories(path() + "/tools");
    fs::create_directories(path() + "/benchmarks");
    std::error_code other_file_system;
    fs::create_hard_link(RUN_FAKE_PROGRAM, program(), other_file_system);
    if (other_file_system) {
        fs::copy_file(RUN_FAKE_PROGRAM, program());
    }
    for (const char* name : {"blit_large", "blit_large_gtt", "blit_large_map", "aperture",
                             "aperture_map", "blit_small", "blit_small_map"}) {
        write_program(fmt::format("{}/benchmarks/upload_{}", path(), name), benchmark);
    }
    behave("");
}

void FakeTree::behave(const std::string& shell) const {
    std::ofstream(path() + "/benchmarks/behaviour") << shell << "\n";
}

std::vector<std::string> FakeTree::new_run(const std::vector<std::string>& options) const {
    std::vector<std::string> argv{program(), "run",        "--device", "model:g45",
                                  "-o",      run_folder(), "--seed",   "1"};
    argv.insert(argv.end(), options.begin(), options.end());
    return argv;
}

std::vector<std::string> FakeTree::resumed_run() const {
    return {program(), "run", "--resume", run_folder()};
}

std::vector<std::string> FakeTree::lines(const std::string& name) const {
    std::vector<std::string> lines;
    std::ifstream file(folder_.file(name));
    for (std::string line; std::getline(file, line);) {
        lines.push_back(line);
    }
    return lines;
}

std::vector<std::string> FakeTree::finished() const {
    return lines("finished");
}

std::vector<std::string> FakeTree::started() const {
    return lines("started");
}

std::vector<pid_t> FakeTree::pids() const {
    std::vector<pid_t> pids;
    for (const std::string& line : lines("pids")) {
        pids.push_back(static_cast<pid_t>(std::stol(line)));
    }
    return pids;
}

std::vector<std::string> FakeTree::recorded() const {
    std::vector<std::string> samples;
    if (!fs::exists(results::record_path(run_folder()))) {
        return samples;
    }
    for (const results::RunEntry& entry : results::read_run(run_folder()).entries) {
        for (const results::Sample& sample : entry.result.samples) {
            samples.push_back(fmt::format("{:.1f}", sample.seconds));
        }
    }
    return samples;
}

pid_t start_program(const std::vector<std::string>& argv, const std::string& err) {
    std::vector<std::string> arguments = argv;
    std::vector<char*> pointers;
    for (std::string& argument : arguments) {
        pointers.push_back(argument.data());
    }
    pointers.push_back(nullptr);
    const pid_t pid = ::fork();
    if (pid < 0) {
        throw std::runtime_error("fork failed");
    }
    if (pid == 0) {
        const int fd = ::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        ::dup2(fd, STDOUT_FILENO);
        ::dup2(fd, STDERR_FILENO);
        ::execv(pointers[0], pointers.data());
        ::_exit(127);
    }
    return pid;
}

bool has_started(const FakeTree& tree, std::size_t count) {
    return comes_true([&] { return tree.pids().size() >= count; });
}

bool is_gone(pid_t pid) {
    const std::string path = fmt::format("/proc/{}/stat", pid);
    return comes_true([&] {
        const std::string status = read_first_line(path);
        return status.empty() || contains(status, ") Z "); // not reaped yet
    });
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

int wait_for(pid_t pid) {
    int status = 0;
    if (::waitpid(pid, &status, 0) != pid) {
        throw std::runtime_error("waitpid failed");
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

} // namespace gem_upload::tools
