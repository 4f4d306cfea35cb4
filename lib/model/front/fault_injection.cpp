#include "model/front/fault_injection.h"

#include "util/error.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fmt/format.h>

namespace gem_upload::model {
namespace {

Error unknown_fault(std::string_view fault, std::string_view problem) {
    return usage_error(
        fmt::format("the fault '{}' {}: faults are IOCTL:N=ERRNO (as 'PWRITE:3=EIO'), hang:N, "
                    "wedge:N, full-aperture:N, sigbus:N and gone:N",
                    fault, problem));
}

std::uint64_t parse_count(std::string_view text, std::string_view fault) {
    std::uint64_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc{} || end != text.data() + text.size() || count == 0) {
        throw unknown_fault(fault, "has no count from 1 after its colon");
    }
    return count;
}

int parse_errno(std::string_view name, std::string_view fault) {
    constexpr int last_errno = 133;
    for (int value = 1; value <= last_errno; ++value) {
        const char* candidate = strerrorname_np(value);
        if (candidate != nullptr && name == candidate) {
            return value;
        }
    }
    throw unknown_fault(fault, fmt::format("names an unknown errno '{}'", name));
}

std::string_view without_prefix(std::string_view name) {
    for (const std::string_view prefix : {"DRM_IOCTL_", "I915_", "GEM_"}) {
        if (name.starts_with(prefix)) {
            name.remove_prefix(prefix.size());
        }
    }
    return name;
}

} // namespace

FaultInjection::FaultInjection(std::span<const std::string> faults) {
    for (const std::string& fault : faults) {
        parse(fault);
    }
}

void FaultInjection::parse(std::string_view fault) {
    const std::size_t colon = fault.find(':');
    if (colon == std::string_view::npos || colon == 0) {
        throw unknown_fault(fault, "has no name and colon");
    }
    const std::string_view name = fault.substr(0, colon);
    const std::string_view rest = fault.substr(colon + 1);
    const std::size_t equals = rest.find('=');
    if (equals != std::string_view::npos) {
        failing_.push_back({std::string(without_prefix(name)),
                            parse_count(rest.substr(0, equals), fault),
                            parse_errno(rest.substr(equals + 1), fault)});
    } else if (name == "hang") {
        hangs_at_.insert(parse_count(rest, fault));
    } else if (name == "wedge") {
        wedge_at_ = parse_count(rest, fault);
    } else if (name == "full-aperture") {
        full_aperture_from_ = parse_count(rest, fault);
    } else if (name == "sigbus") {
        sigbus_at_ = parse_count(rest, fault);
    } else if (name == "gone") {
        gone_from_ = parse_count(rest, fault);
    } else {
        throw unknown_fault(fault, "is not known");
    }
}

std::vector<std::string> FaultInjection::ioctl_names() const {
    std::vector<std::string> names;
    for (const FailingCall& failing : failing_) {
        names.push_back(failing.name);
    }
    return names;
}

int FaultInjection::next_ioctl(std::string_view name) {
    if (failing_.empty() && gone_from_ == 0) {
        return 0;
    }
    const std::lock_guard lock(mutex_);
    ++ioctls_;
    if (gone_from_ != 0 && ioctls_ >= gone_from_) {
        return ENODEV;
    }
    const std::string_view plain = without_prefix(name);
    auto counter = calls_.find(plain);
    if (counter == calls_.end()) {
        counter = calls_.emplace(plain, 0).first;
    }
    const std::uint64_t call = ++counter->second;
    for (const FailingCall& failing : failing_) {
        if (failing.name == plain && failing.call == call) {
            return failing.errno_value;
        }
    }
    return 0;
}

FaultInjection::Execution FaultInjection::next_execution() {
    const std::lock_guard lock(mutex_);
    ++executions_;
    return {.hang = hangs_at_.contains(executions_),
            .wedge = executions_ == wedge_at_,
            .full_aperture = full_aperture_from_ != 0 && executions_ >= full_aperture_from_};
}

bool FaultInjection::next_gtt_mapping() {
    const std::lock_guard lock(mutex_);
    ++gtt_mappings_;
    return gtt_mappings_ == sigbus_at_;
}

} // namespace gem_upload::model
