// What gem-upload vm says about a run that has ended.
#pragma once

#include "vm/outcome.h"
#include "vm_options.h"

#include <optional>
#include <string>
#include <string_view>

namespace gem_upload::tools {

/// Seconds since the guest's first instruction.
struct VmTimes {
    std::optional<double> user_space;
    std::optional<double> drivers;
    std::optional<double> command; ///< begun
    double end = 0;
};

struct VmRecord {
    std::string kernel;  ///< the image, or the package that it is from
    std::string release; ///< as the image tells
    std::string qemu;    ///< version
    VmTimes times;
    vm::Evidence evidence;
    vm::Outcome outcome;
};

/// A line of this program's own, on standard error.
void say(std::string_view line);

/// On standard error.
void print_outcome(const VmOptions& options, const VmRecord& record);
[[nodiscard]] std::string vm_record_to_json(const VmOptions& options, const VmRecord& record);

} // namespace gem_upload::tools
