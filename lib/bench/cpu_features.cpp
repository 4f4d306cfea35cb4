#include "bench/cpu_features.h"

#include <cpuid.h>

namespace gem_upload::bench {
namespace {

// Intel SDM vol. 2, CPUID; not every compiler's __builtin_cpu_supports knows these.
constexpr unsigned leaf_1_edx_clflush = 1U << 19;
constexpr unsigned leaf_7_ebx_clflushopt = 1U << 23;
constexpr unsigned leaf_7_ebx_clwb = 1U << 24;

} // namespace

CpuFeatures read_cpu_features() {
    CpuFeatures features;
    unsigned eax = 0;
    unsigned ebx = 0;
    unsigned ecx = 0;
    unsigned edx = 0;
    if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0) {
        features.clflush = (edx & leaf_1_edx_clflush) != 0;
    }
    if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0) {
        features.clflushopt = (ebx & leaf_7_ebx_clflushopt) != 0;
        features.clwb = (ebx & leaf_7_ebx_clwb) != 0;
    }
    __builtin_cpu_init();
    features.avx = __builtin_cpu_supports("avx") != 0;
    features.avx2 = __builtin_cpu_supports("avx2") != 0;
    features.avx512f = __builtin_cpu_supports("avx512f") != 0;
    return features;
}

} // namespace gem_upload::bench
