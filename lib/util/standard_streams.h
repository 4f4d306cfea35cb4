// Standard input, output and error as every program of ours wants them.
#pragma once

namespace gem_upload {

/// Opens /dev/null for those of the three that are closed, so that no device or result becomes one
/// of them by chance; read-only, so that writing to it is still an error.
void fill_closed_standard_streams();

/// Writes out standard output. Throws failed_call where it, or anything before, was not taken.
void flush_standard_output();

} // namespace gem_upload
