// What an iteration of each form of upload_aperture consists of.
#pragma once

#include "bench/copy.h"
#include "bench/flush.h"
#include "bench/options.h"
#include "bench/store.h"

#include <string>

namespace gem_upload::bench {

/// The three ways to put data where the GPU would read it.
enum class ApertureForm {
    pwrite,         ///< fill a side buffer, copy it to the pool, flush
    map,            ///< store to the pool, flush
    write_combining ///< store to the pool past the cache
};

/// A form's steps in the order in which an iteration takes them; nullptr where it has none such.
struct ApertureSteps {
    StoreKind store;
    FillCounter fill = nullptr;     ///< generates, without gaps
    StrideCounter stride = nullptr; ///< generates, with gaps
    CopyDwords copy = nullptr;      ///< from the side buffer, which exists only for it
    std::string copy_name;
    bool fence = false; ///< sfence after non-temporal stores
    Flush flush = Flush::none;
    FlushLines flush_lines = nullptr;
};

/// The steps that the options ask for. Throws usage_error for options that make no sense for the
/// form, cannot_measure for instructions that the CPU lacks.
[[nodiscard]] ApertureSteps choose_steps(ApertureForm form, const Options& options,
                                         const CpuFeatures& features);

} // namespace gem_upload::bench
