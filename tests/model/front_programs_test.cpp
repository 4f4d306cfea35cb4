// Worse than useless: a model that only our own programs run on, for then it agrees with them and
// not with the hardware. Programs of others: libdrm_intel's methods, and Debian's unmodified
// intel-gpu-tools.
#include "model_programs.h"
#include "util/files.h"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>

namespace gem_upload::test {
namespace {

namespace fs = std::filesystem;

TEST(LibdrmIntel, UploadsByEveryMethod) {
    if (std::getenv("LIBDRM_UPLOAD") == nullptr) {
        GTEST_SKIP() << "built without libdrm_intel";
    }
    for (const char* chip : {"g33", "g45", "snb", "bdw"}) {
        for (const char* execution : {"asynchronous", "immediate", "late"}) {
            const Outcome outcome =
                run_on_model(chip, {"--execution", execution},
                             {program("LIBDRM_UPLOAD"), "pwrite", "map", "gtt", "wc"});
            EXPECT_EQ(outcome.status, 0) << chip << ", " << execution << "\n" << outcome.err;
        }
    }
}

constexpr const char* igt_folder = "/usr/libexec/igt-gpu-tools/benchmarks/";

class IntelGpuTools : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(IntelGpuTools, RunUnmodified) {
    const auto [chip, name] = GetParam();
    const std::string path = std::string(igt_folder) + name;
    if (!fs::exists(path)) {
        GTEST_SKIP() << "intel-gpu-tools is not installed";
    }
    const Outcome outcome = run_on_model(chip, {}, {path});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(outcome.out.find(" iterations in "), std::string::npos) << outcome.out;
}

INSTANTIATE_TEST_SUITE_P(
    Benchmarks, IntelGpuTools,
    testing::Combine(testing::Values("snb", "g45"),
                     testing::Values("intel_upload_blit_large", "intel_upload_blit_large_gtt",
                                     "intel_upload_blit_large_map", "intel_upload_blit_small")),
    [](const auto& benchmark) {
        return std::string(std::get<0>(benchmark.param)) + "_" + std::get<1>(benchmark.param);
    });

// The order and the arguments of what wrong_uploads does are in its source.
TEST(Trace, HoldsALineForEveryCall) {
    std::string folder = fs::temp_directory_path() / "front_programs_test.XXXXXX";
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    const std::string path = folder + "/trace";
    const Outcome outcome = run_on_model("g45", {"--execution", "immediate", "--trace", path},
                                         {program("WRONG_UPLOADS"), "busy-buffer"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(
        read_file(path),
        "GETPARAM param=4 = 0\n"
        "CREATE handle=1 size=32768 = 0\n"
        "CREATE handle=2 size=32768 = 0\n"
        "MMAP handle=1 offset=0 size=32768 type=WC = 0\n"
        "SET_DOMAIN handle=1 read=WC write=WC = 0\n"
        "CREATE handle=3 size=4096 = 0\n"
        "PWRITE handle=3 offset=0 size=40 = 0\n"
        "EXECBUFFER2 ring=render objects=2,1,3 relocations=0+0+2 batch_start=0 batch_len=40 = 0\n"
        "CLOSE handle=3 = 0\n"
        "SET_DOMAIN handle=1 read=WC write=WC = 0\n"
        "PREAD handle=2 offset=0 size=32768 = 0\n");
    fs::remove_all(folder);
}

} // namespace
} // namespace gem_upload::test
