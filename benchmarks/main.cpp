// The one main of all benchmarks: which method a binary is, meson decides (BENCHMARK_NAME).
#include "program.h"

int main(int argc, char** argv) {
    return gem_upload::run_benchmark(BENCHMARK_NAME, argc, argv);
}
