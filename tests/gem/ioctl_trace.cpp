#include "ioctl_trace.h"

#include "util/files.h"

#include <map>
#include <sstream>
#include <stdexcept>

namespace gem_upload::testing_support {
namespace {

struct Call {
    std::string name;
    std::map<std::string, std::string> arguments;

    [[nodiscard]] std::string argument(const std::string& key) const {
        const auto found = arguments.find(key);
        return found == arguments.end() ? "?" : found->second;
    }
    [[nodiscard]] bool drops(const std::string& handle) const {
        return name == "MADVISE" && argument("advice") == "DONTNEED" &&
               argument("handle") == handle;
    }
};

struct Roles {
    std::string destination, source, batch;

    [[nodiscard]] std::string of(const std::string& handle) const {
        return handle == source        ? "source"
               : handle == batch       ? "batch"
               : handle == destination ? "destination"
                                       : "other";
    }
};

/// "NAME key=value key=value = RESULT"; a failed call keeps its errno as argument "error".
Call parse_call(const std::string& line) {
    std::istringstream words(line);
    Call call;
    words >> call.name;
    for (std::string word; words >> word;) {
        const auto equals = word.find('=');
        if (word == "=") {
            words >> word;
            if (word == "-1") {
                words >> call.arguments["error"];
            }
        } else if (equals != std::string::npos) {
            call.arguments[word.substr(0, equals)] = word.substr(equals + 1);
        }
    }
    return call;
}

std::vector<Call> parse_calls(const std::string& path) {
    std::istringstream lines(read_file(path));
    std::vector<Call> calls;
    for (std::string line; std::getline(lines, line);) {
        calls.push_back(parse_call(line));
    }
    return calls;
}

Roles roles_of(const Call& execbuffer) {
    std::istringstream handles(execbuffer.argument("objects"));
    Roles roles;
    std::getline(handles, roles.destination, ',');
    std::getline(handles, roles.source, ',');
    std::getline(handles, roles.batch, ',');
    return roles;
}

std::string detail(const Call& call, const Roles& roles) {
    if (call.name == "BUSY") {
        return call.argument("busy") == "0x0" || call.argument("busy") == "0" ? ",idle" : ",busy";
    }
    if (call.name == "MADVISE") {
        return "," + call.argument("advice");
    }
    if (call.name == "PWRITE") {
        return "," + call.argument("offset") + "+" + call.argument("size");
    }
    if (call.name == "SET_DOMAIN") {
        return "," + call.argument("read") + "," + call.argument("write");
    }
    if (call.name == "MMAP") {
        return "," + call.argument("type");
    }
    if (call.name == "EXECBUFFER2") {
        return roles.of(roles.destination) + "," + roles.of(roles.source) + "," +
               roles.of(roles.batch) + "," + call.argument("ring") + "," +
               call.argument("relocations") + "," + call.argument("batch_len");
    }
    return "";
}

std::string describe(const Call& call, const Roles& roles) {
    const std::string role = call.name == "EXECBUFFER2" ? "" : roles.of(call.argument("handle"));
    const auto error = call.arguments.find("error");
    return call.name + "(" + role + detail(call, roles) +
           (error == call.arguments.end() ? "" : "," + error->second) + ")";
}

std::string describe(const std::vector<Call>& calls, std::size_t begin, std::size_t end,
                     const Roles& roles) {
    std::string text;
    for (std::size_t i = begin; i < end; ++i) {
        text += (text.empty() ? "" : " ") + describe(calls[i], roles);
    }
    return text;
}

bool is_blit(const Call& call) {
    return call.name == "EXECBUFFER2" && !roles_of(call).batch.empty();
}

/// One behind the calls that drop the iteration's source.
std::size_t end_of_iteration(const std::vector<Call>& calls, std::size_t execbuffer,
                             const Roles& roles) {
    std::size_t i = execbuffer + 1;
    while (i < calls.size() && !calls[i].drops(roles.source)) {
        ++i;
    }
    if (i == calls.size()) {
        throw std::runtime_error("an iteration never drops its source");
    }
    do {
        ++i;
    } while (i < calls.size() && calls[i].name == "CLOSE");
    return i;
}

} // namespace

Trace read_trace(const std::string& path) {
    const std::vector<Call> calls = parse_calls(path);
    Trace trace;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < calls.size(); ++i) {
        if (is_blit(calls[i])) {
            const Roles roles = roles_of(calls[i]);
            const std::size_t end = end_of_iteration(calls, i, roles);
            trace.iterations.push_back(describe(calls, begin, end, roles));
            begin = end;
            trace.end = roles.destination;
        }
    }
    trace.end = describe(calls, begin, calls.size(), {trace.end, "", ""});
    return trace;
}

} // namespace gem_upload::testing_support
