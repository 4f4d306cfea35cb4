#include "run_directory.h"

#include "results/run_files.h"
#include "util/error.h"
#include "util/files.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <thread>

namespace gem_upload::tools {
namespace {

namespace fs = std::filesystem;
using results::RunEntry;

/// Enough for a result, its line and the files made from the record.
constexpr std::uint64_t least_space = std::uint64_t{256} * 1024;

void require_empty(const std::string& path) {
    std::error_code error;
    if (!fs::is_empty(path, error) || error) {
        if (error) {
            throw failed_call("reading", path, error.value());
        }
        throw usage_error(fmt::format("'{}' is not empty: name another folder with -o, or, if it "
                                      "is a run that was interrupted, go on with it by --resume",
                                      path));
    }
}

bool make_folders(const std::string& path) {
    std::error_code error;
    const bool made = fs::create_directories(path, error);
    if (error) {
        throw failed_call("making the folder", path, error.value());
    }
    return made;
}

/// Cuts off what stands after the last whole line.
void cut_record(const std::string& path, std::size_t whole_bytes) {
    std::error_code error;
    if (fs::file_size(path, error) != whole_bytes && !error) {
        fs::resize_file(path, whole_bytes, error);
    }
    if (error) {
        throw failed_call("cutting off the last line", path, error.value());
    }
}

/// Left by a process that was killed while it wrote a file.
void remove_temporary_files(const std::string& folder) {
    std::vector<fs::path> old;
    for (const auto& file : fs::directory_iterator(folder)) {
        if (file.path().extension() == ".tmp") {
            old.push_back(file.path());
        }
    }
    for (const fs::path& path : old) {
        fs::remove(path);
    }
}

results::Result read_pending(const std::string& path) {
    try {
        return results::result_from_json(read_file(path));
    } catch (const Error& error) {
        throw Error(error.status(),
                    fmt::format("{}: {}; remove it and resume again", path, error.what()));
    }
}

bool is_recorded(const results::RunRecord& record, const RunEntry& entry) {
    return std::any_of(record.entries.begin(), record.entries.end(), [&](const RunEntry& other) {
        return other.round == entry.round && other.position == entry.position &&
               (other.sample == entry.sample || other.outcome != results::Outcome::measured);
    });
}

} // namespace

RunDirectory::RunDirectory(const std::string& path) : path_(path) {}

RunDirectory RunDirectory::create(const std::string& path, const results::RunHeader& header) {
    RunDirectory folder(path);
    folder.made_ = make_folders(path);
    folder.start(header);
    return folder;
}

RunDirectory RunDirectory::create_default(const results::RunHeader& header) {
    const std::string name = fmt::format("results/{}-{:%Y%m%d-%H%M%S}", header.label,
                                         fmt::localtime(std::time(nullptr)));
    std::string path = name;
    for (int number = 2; !make_folders(path); ++number) {
        path = fmt::format("{}-{}", name, number);
    }
    RunDirectory folder(path);
    folder.made_ = true;
    folder.start(header);
    return folder;
}

void RunDirectory::start(const results::RunHeader& header) {
    require_empty(path_);
    lock();
    require_empty(path_); // another run may have started in it meanwhile
    record_.header = header;
    replace_file(results::record_path(path_), results::header_to_line(header));
}

RunDirectory RunDirectory::reopen(const std::string& path) {
    (void)results::read_run(path); // says what is no run before anything is touched
    RunDirectory folder(path);
    folder.lock();
    folder.record_ = results::read_run(path); // whoever held the lock may have added to it
    cut_record(results::record_path(path), folder.record_.whole_bytes);
    remove_temporary_files(path);
    const auto& order = folder.record_.header.order;
    for (std::size_t round = 1; round <= order.size(); ++round) {
        for (std::size_t position = 1; position <= order[round - 1].size(); ++position) {
            folder.harvest(round, position);
        }
    }
    return folder;
}

void RunDirectory::lock() {
    lock_ = UniqueFd(::open(path_.c_str(), O_RDONLY | O_DIRECTORY));
    if (!lock_) {
        throw failed_call("opening", path_, errno);
    }
    // A benchmark whose wrapper was killed dies with it, but needs a moment to.
    for (int attempt = 0; ::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0; ++attempt) {
        if (errno != EWOULDBLOCK) {
            throw failed_call("locking", path_, errno);
        }
        if (attempt == 20) {
            throw usage_error(fmt::format(
                "another 'gem-upload run', or a benchmark that it started, is at work in '{}': "
                "wait for its end, or name another folder with -o",
                path_));
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
}

std::string RunDirectory::pending_path(std::uint64_t round, std::uint64_t position) const {
    return fs::path(path_) / fmt::format("pending-{}-{}.json", round, position);
}

void RunDirectory::harvest(std::uint64_t round, std::uint64_t position) {
    const std::string path = pending_path(round, position);
    if (!fs::exists(path)) {
        return;
    }
    const results::Result result = read_pending(path);
    const results::RunHeader& header = record_.header;
    const results::RunMethod& method = header.methods[header.order[round - 1][position - 1]];
    if (results::RunMethod{result.method, result.variant} != method) {
        throw usage_error(fmt::format("{} is a result of {}, but the order has {} there: remove "
                                      "it and resume again",
                                      path, result.method, method.title()));
    }
    RunEntry process;
    process.round = round;
    process.position = position;
    process.finished = fmt::format(
        "{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(
                                     std::chrono::file_clock::to_sys(fs::last_write_time(path)))));
    std::vector<RunEntry> entries = results::entries_of(process, result);
    std::erase_if(entries, [&](const RunEntry& entry) { return is_recorded(record_, entry); });
    append(entries);
    fs::remove(path);
}

void RunDirectory::append(const std::vector<RunEntry>& entries) {
    if (entries.empty()) {
        return;
    }
    std::string lines;
    for (const RunEntry& entry : entries) {
        lines += results::entry_to_line(record_.header, entry);
    }
    // What is kept here is what a reader of the record finds, so that the files made from either
    // are the same.
    const std::string path = results::record_path(path_);
    const results::RunRecord read =
        results::parse_run_record(results::header_to_line(record_.header) + lines, path);
    append_synced(path, lines);
    record_.entries.insert(record_.entries.end(), read.entries.begin(), read.entries.end());
}

void RunDirectory::require_space() const {
    struct statvfs status {};
    if (::statvfs(path_.c_str(), &status) != 0) {
        throw failed_call("looking for space", path_, errno);
    }
    const std::uint64_t space = status.f_bavail * status.f_frsize;
    // Some network file systems tell no size.
    if (status.f_blocks != 0 && space < least_space) {
        throw failure(fmt::format("the disk of '{}' is full: {} kB are left, and {} kB are needed",
                                  path_, space / 1024, least_space / 1024));
    }
}

void RunDirectory::write_files() const {
    results::write_run_files(path_, record_);
}

void RunDirectory::discard() {
    fs::remove(results::record_path(path_));
    if (made_) {
        fs::remove(path_);
    }
}

} // namespace gem_upload::tools
