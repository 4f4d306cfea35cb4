// What `gem-upload run` derives from its options before anything is measured.
#pragma once

#include "results/run_record.h"

#include <sched.h>
#include <string>

namespace gem_upload::tools {

/// Throws usage_error for a label that cannot stand at the start of a file's name.
void check_label(const std::string& label);

/// The CPU that benchmarks are pinned to by default: the first allowed one other than CPU 0, which
/// takes most interrupts; CPU 0 where it is the only one.
[[nodiscard]] int default_cpu(const cpu_set_t& allowed);

/// Throws usage_error unless the run was made on this machine, kernel and boot.
void check_same_boot(const results::RunHeader& recorded, const std::string& host,
                     const drm::Environment& now);

} // namespace gem_upload::tools
