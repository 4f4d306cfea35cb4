// The one main of all benchmarks: which method a binary is, meson decides (BENCHMARK_METHOD).
#include "program.h"

namespace gem_upload::methods {
const bench::Method& BENCHMARK_METHOD();
}

int main(int argc, char** argv) {
    return gem_upload::run_benchmark(gem_upload::methods::BENCHMARK_METHOD(), argc, argv);
}
