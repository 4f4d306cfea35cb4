// What of the instruction set this CPU offers, beyond x86-64's baseline.
#pragma once

namespace gem_upload::bench {

/// The instructions that a store or a flush may need. AVX counts only where the operating system
/// saves its registers.
struct CpuFeatures {
    bool clflush = false;
    bool clflushopt = false;
    bool clwb = false;
    bool avx = false;
    bool avx2 = false;
    bool avx512f = false;
};

[[nodiscard]] CpuFeatures read_cpu_features();

} // namespace gem_upload::bench
