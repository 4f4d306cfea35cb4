// Worse than useless: a benchmark that measures another sequence of calls than the documented one,
// that leaves wrong pixels, or that measures a method the kernel refuses.
#include "ioctl_trace.h"
#include "results/result.h"
#include "results/run_record.h"
#include "run_program.h"
#include "util/files.h"
#include "util/siblings.h"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <regex>

namespace gem_upload {
namespace {

using testing_support::Outcome;
using testing_support::read_trace;
using testing_support::run_program;
using testing_support::TemporaryFolder;
using testing_support::Trace;

struct ModelChip {
    std::string name;
    std::string ring;
    int addresses; ///< dwords an address
};

// Facts of reference: blits go to the render ring before gen6; addresses are 64 bits from gen8 on.
const std::vector<ModelChip> chips = {
    {"g33", "render", 1}, {"g45", "render", 1}, {"snb", "blt", 1}, {"bdw", "blt", 2}};

const std::vector<std::string> methods = {"large", "large_gtt", "large_map", "large_wc",
                                          "small", "small_gtt", "small_map", "small_wc"};

Outcome run_on_model(const std::string& chip, const std::string& method,
                     std::vector<std::string> options) {
    options.insert(options.begin(),
                   {find_sibling("upload_blit_" + method), "--device", "model:" + chip});
    return run_program(options);
}

bool writes_in_place(const std::string& method) {
    return method.find('_') != std::string::npos;
}

void PrintTo(const ModelChip& chip, std::ostream* out) {
    *out << chip.name;
}

class UploadOnModel : public testing::TestWithParam<ModelChip> {};

TEST_P(UploadOnModel, EveryIterationLeavesTheRightPixels) {
    for (const std::string& method : methods) {
        const Outcome outcome =
            run_on_model(GetParam().name, method, {"--iterations", "5", "--verify", "every"});
        EXPECT_EQ(outcome.status, 0) << method << ": " << outcome.err;
        EXPECT_TRUE(std::regex_match(
            outcome.out, std::regex(R"(5 iterations in \d+\.\d{3} secs: \d+\.\d MB/sec\n)")))
            << outcome.out;
        EXPECT_NE(outcome.err.find("model:"), std::string::npos) << outcome.err;
    }
}

TEST_P(UploadOnModel, StagedLeavesTheRightPixelsToo) {
    for (const std::string& method : methods) {
        if (writes_in_place(method)) {
            const Outcome outcome =
                run_on_model(GetParam().name, method,
                             {"--iterations", "3", "--verify", "every", "--variant", "staged"});
            EXPECT_EQ(outcome.status, 0) << method << ": " << outcome.err;
        }
    }
}

/// The calls of one iteration in steady state, reference page "ioctls in steady state".
std::string expected_iteration(const std::string& method, const ModelChip& chip) {
    // Recycled when it is idle; else a new object, which is mapped for the first time.
    const auto allocate = [](const std::string& role) {
        return "(?:BUSY\\(" + role + ",idle\\) MADVISE\\(" + role +
               ",WILLNEED\\)|(?:BUSY\\(other,busy\\) )?CREATE\\(" + role + "\\))";
    };
    std::string upload;
    if (method == "large") {
        upload = "PWRITE\\(source,0\\+3686400\\)";
    } else if (method == "small") {
        upload = "PIECES";
    } else if (method.ends_with("_map")) {
        upload = "(?:MMAP\\(source,WB\\) )?SET_DOMAIN\\(source,CPU,CPU\\) SW_FINISH\\(source\\)";
    } else if (method.ends_with("_gtt")) {
        upload = "(?:MMAP_GTT\\(source\\) mmap\\(other\\) )?SET_DOMAIN\\(source,GTT,GTT\\)";
    } else {
        upload = "(?:MMAP\\(source,WC\\) )?SET_DOMAIN\\(source,WC,WC\\)";
    }
    const std::string batch_bytes = chip.addresses == 1 ? "40" : "48";
    return allocate("source") + " " + upload + " " + allocate("batch") + " PWRITE\\(batch,0\\+" +
           batch_bytes + "\\) EXECBUFFER2\\(destination,source,batch," + chip.ring + ",0\\+0\\+2," +
           batch_bytes + "\\) MADVISE\\(batch,DONTNEED\\) MADVISE\\(source,DONTNEED\\)" +
           "(?: CLOSE\\(other\\))*";
}

/// The iteration with all its pieces as one word: std::regex recurses a frame a character.
std::string fold_pieces(const std::string& iteration) {
    const std::string piece = "PWRITE(source,";
    const auto begin = iteration.find(piece);
    const auto end = iteration.find(' ', iteration.rfind(piece));
    return iteration.substr(0, begin) + "PIECES" + iteration.substr(end);
}

/// The pieces of upload_blit_small follow one another and fill the object.
void expect_gapless_pieces(const std::string& iteration) {
    const std::regex piece(R"(PWRITE\(source,(\d+)\+(\d+)\))");
    std::uint64_t end = 0;
    for (std::sregex_iterator i(iteration.begin(), iteration.end(), piece), none; i != none; ++i) {
        EXPECT_EQ(std::stoull((*i)[1]), end);
        end += std::stoull((*i)[2]);
    }
    EXPECT_EQ(end, 256U * 128U * 4U);
}

void expect_sequence(const ModelChip& chip, const std::string& method,
                     const std::string& execution) {
    SCOPED_TRACE(chip.name + " " + method + " " + execution);
    const TemporaryFolder folder;
    const Outcome outcome = run_program({find_sibling("gem-upload"), "model", "--chip", chip.name,
                                         "--execution", execution, "--trace", folder.file("trace"),
                                         "--", find_sibling("upload_blit_" + method), "--warmup",
                                         "3", "--iterations", "12", "--verify", "none"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const Trace trace = read_trace(folder.file("trace"));
    ASSERT_EQ(trace.iterations.size(), 15U);
    const std::regex expected(expected_iteration(method, chip));
    for (std::size_t i = 4; i < trace.iterations.size(); ++i) { // the first timed one waits
        const std::string calls =
            method == "small" ? fold_pieces(trace.iterations[i]) : trace.iterations[i];
        EXPECT_TRUE(std::regex_match(calls, expected)) << "iteration " << i << ": " << calls;
        if (method == "small") {
            expect_gapless_pieces(trace.iterations[i]);
        }
    }
    EXPECT_EQ(trace.end.find("SET_DOMAIN(destination,GTT,GTT)"), 0U) << trace.end;
}

TEST_P(UploadOnModel, TheCallsAreTheDocumentedOnesWhenExecutionIsImmediate) {
    for (const std::string& method : methods) {
        expect_sequence(GetParam(), method, "immediate");
    }
}

TEST_P(UploadOnModel, TheCallsAreTheDocumentedOnesWhenExecutionIsAsLateAsPossible) {
    for (const std::string& method : methods) {
        expect_sequence(GetParam(), method, "late");
    }
}

TEST_P(UploadOnModel, ImmediateExecutionRecyclesEveryObject) {
    const TemporaryFolder folder;
    const Outcome outcome =
        run_program({find_sibling("gem-upload"), "model", "--chip", GetParam().name, "--execution",
                     "immediate", "--trace", folder.file("trace"), "--",
                     find_sibling("upload_blit_large_map"), "--warmup", "3", "--iterations", "12"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const Trace trace = read_trace(folder.file("trace"));
    ASSERT_EQ(trace.iterations.size(), 15U);
    for (std::size_t i = 5; i < trace.iterations.size(); ++i) {
        EXPECT_EQ(trace.iterations[i].find("CREATE"), std::string::npos) << trace.iterations[i];
        EXPECT_EQ(trace.iterations[i].find("MMAP"), std::string::npos) << trace.iterations[i];
    }
}

TEST_P(UploadOnModel, LateExecutionStillLeavesTheRightPixels) {
    for (const std::string& method : methods) {
        const Outcome outcome = run_program(
            {find_sibling("gem-upload"), "model", "--chip", GetParam().name, "--execution", "late",
             "--check-clock", "--", find_sibling("upload_blit_" + method), "--iterations", "5",
             "--warmup", "2", "--samples", "2"});
        EXPECT_EQ(outcome.status, 0) << method << ": " << outcome.err;
    }
}

INSTANTIATE_TEST_SUITE_P(Chips, UploadOnModel, testing::ValuesIn(chips),
                         [](const auto& chip) { return chip.param.name; });

TEST(RefusedOnModel, PwriteWhereI915RefusesItIsExit77AndNotMmap) {
    for (const char* chip : {"rkl", "adls", "adlp", "rpls"}) {
        for (const char* method : {"large", "small"}) {
            const Outcome outcome = run_on_model(chip, method, {"--iterations", "2"});
            EXPECT_EQ(outcome.status, 77) << chip << " " << method << ": " << outcome.err;
            EXPECT_EQ(outcome.out, "");
            EXPECT_NE(outcome.err.find("PWRITE"), std::string::npos) << outcome.err;
        }
    }
}

TEST(RefusedOnModel, TheMappedMethodsGoBySoftpinWhereRelocationsAreRefused) {
    for (const char* chip : {"rkl", "adls", "adlp", "rpls"}) {
        for (const char* method : {"large_map", "large_gtt", "large_wc", "small_map"}) {
            const TemporaryFolder folder;
            const Outcome outcome = run_on_model(
                chip, method,
                {"--iterations", "5", "--verify", "every", "--json", folder.file("r")});
            EXPECT_EQ(outcome.status, 0) << chip << " " << method << ": " << outcome.err;
        }
    }
}

TEST(RefusedOnModel, UpToTigerLakeChipsTakePwriteAndRelocations) {
    for (const char* chip : {"skl", "kbl", "cfl", "icl", "jsl", "tgl"}) {
        const Outcome outcome =
            run_on_model(chip, "large", {"--iterations", "3", "--verify", "every"});
        EXPECT_EQ(outcome.status, 0) << chip << ": " << outcome.err;
    }
}

TEST(WrongOnModel, AWedgedGpuIsAFailureThatNamesTheErrno) {
    const Outcome outcome = run_program({find_sibling("gem-upload"), "model", "--chip", "snb",
                                         "--inject", "EXECBUFFER2:4=EIO", "--",
                                         find_sibling("upload_blit_large"), "--iterations", "3"});
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find("EIO"), std::string::npos) << outcome.err;
}

/// A benchmark with faults injected, its results in FOLDER.
Outcome run_with_faults(const std::string& method, const std::vector<std::string>& faults,
                        const std::vector<std::string>& options, const TemporaryFolder& folder) {
    std::vector<std::string> argv{find_sibling("gem-upload"), "model", "--chip", "bdw"};
    for (const std::string& fault : faults) {
        argv.insert(argv.end(), {"--inject", fault});
    }
    argv.insert(argv.end(), {"--", find_sibling("upload_blit_" + method), "--warmup", "3", "--log",
                             folder.file("log"), "--json", folder.file("json")});
    argv.insert(argv.end(), options.begin(), options.end());
    return run_program(argv);
}

// The first batch asks whether relocations are taken, three warm up, and five are a sample.
TEST(WrongOnModel, AHangIsToldAndWhatWasMeasuredBeforeIsKept) {
    for (const std::string& method : methods) {
        const TemporaryFolder folder;
        const Outcome outcome =
            run_with_faults(method, {"hang:12"}, {"--iterations", "5", "--samples", "9"}, folder);
        EXPECT_EQ(outcome.status, 1) << method;
        EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 1) << outcome.out;
        const std::string sentence =
            "the GPU hung in sample 2: of this benchmark's batches i915 counts 1 that hung it and "
            "0 that were caught in the reset; the kernel's error state is in "
            "/sys/class/drm/card0/error; the sample measured before is kept, and nothing after is "
            "valid";
        EXPECT_NE(outcome.err.find("upload_blit_" + method + ": " + sentence + "\n"),
                  std::string::npos)
            << outcome.err;
        EXPECT_NE(read_file(folder.file("log")).find("\n# gpu_hang: " + sentence + "\n"),
                  std::string::npos);
        const results::Result result = results::result_from_json(read_file(folder.file("json")));
        EXPECT_EQ(result.samples.size(), 1U) << method;
        EXPECT_EQ(result.gpu_hang, sentence);
    }
}

TEST(WrongOnModel, AHangIsFoundWhateverIsVerified) {
    for (const char* verify : {"none", "last", "every"}) {
        for (const char* fault : {"hang:1", "hang:4", "hang:5", "hang:9", "wedge:7"}) {
            const TemporaryFolder folder;
            const Outcome outcome = run_with_faults(
                "large_map", {fault}, {"--iterations", "5", "--verify", verify}, folder);
            EXPECT_EQ(outcome.status, 1) << verify << " " << fault;
            EXPECT_EQ(outcome.out, "");
            EXPECT_NE(outcome.err.find("the GPU hung "), std::string::npos) << outcome.err;
            EXPECT_NE(outcome.err.find("; nothing had been measured\n"), std::string::npos)
                << outcome.err;
        }
    }
}

TEST(WrongOnModel, ABannedContextIsToldAsTheHangsThatBannedIt) {
    const TemporaryFolder folder;
    const Outcome outcome =
        run_with_faults("large", {"hang:5", "hang:6", "hang:7"}, {"--iterations", "50"}, folder);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.err.find("i915 counts 3 that hung it"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("; then EXECBUFFER2 on model:bdw failed: "), std::string::npos)
        << outcome.err;
}

TEST(WrongOnModel, ARunTellsOfHangsAndGoesOn) {
    const TemporaryFolder folder;
    const std::string run = folder.file("run");
    const Outcome outcome = run_program({find_sibling("gem-upload"),
                                         "model",
                                         "--chip",
                                         "snb",
                                         "--inject",
                                         "hang:12",
                                         "--",
                                         find_sibling("gem-upload"),
                                         "run",
                                         "--device",
                                         "model:snb",
                                         "--methods",
                                         "blit_large,blit_small",
                                         "--rounds",
                                         "2",
                                         "--warmup",
                                         "3",
                                         "--iterations",
                                         "5",
                                         "--samples",
                                         "3",
                                         "--cpu",
                                         "any",
                                         "-o",
                                         run});
    EXPECT_EQ(outcome.status, 1) << outcome.err;
    const results::RunRecord record = results::read_run(run);
    ASSERT_EQ(record.entries.size(), 8U); // a sample and a hang of each process
    for (std::size_t i = 0; i < record.entries.size(); ++i) {
        const bool hung = i % 2 == 1;
        EXPECT_EQ(record.entries[i].outcome,
                  hung ? results::Outcome::failed : results::Outcome::measured);
        EXPECT_EQ(record.entries[i].reason.find("the GPU hung in sample 2"),
                  hung ? 0 : std::string::npos);
    }
}

TEST(WrongOnModel, DeviceOverrideWouldExecuteNothingAndIsRefused) {
    const Outcome outcome = run_program(
        {find_sibling("upload_blit_large"), "--device", "model:snb", "--iterations", "3"},
        {"INTEL_DEVID_OVERRIDE=0x0126"});
    EXPECT_EQ(outcome.status, 77) << outcome.err;
    EXPECT_NE(outcome.err.find("INTEL_DEVID_OVERRIDE"), std::string::npos);
}

TEST(WrongOnModel, AnotherChipThanTheOneItRunsOnIsRefused) {
    const Outcome outcome =
        run_program({find_sibling("gem-upload"), "model", "--chip", "g45", "--",
                     find_sibling("upload_blit_large"), "--device", "model:snb"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.err.find("already runs on model:g45"), std::string::npos) << outcome.err;
}

TEST(WrongOnModel, ADeviceThatIsGoneIsAFailureAndNoSkip) {
    for (const char* fault : {"gone:3", "gone:30"}) {
        const Outcome outcome =
            run_program({find_sibling("gem-upload"), "model", "--chip", "g45", "--inject", fault,
                         "--", find_sibling("upload_blit_large"), "--iterations", "3"});
        EXPECT_EQ(outcome.status, 1) << fault;
        EXPECT_NE(outcome.err.find("ENODEV"), std::string::npos) << outcome.err;
    }
}

TEST(WrongOnModel, AClosedStandardOutputCostsNoSampleAndIsAnError) {
    const TemporaryFolder folder;
    const Outcome outcome =
        run_program({"sh", "-c", "exec \"$@\" >&-", "sh", find_sibling("upload_blit_large"),
                     "--device", "model:snb", "--iterations", "3", "--log", folder.file("log")});
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.err.find("standard output"), std::string::npos) << outcome.err;
    const std::string log = read_file(folder.file("log"));
    EXPECT_NE(log.substr(log.rfind('\n', log.size() - 2) + 1, 1), "#") << log;
}

TEST(OthersOnModel, AProgramThatForksAfterSubmittingEnds) {
    const std::string program = "/usr/libexec/igt-gpu-tools/benchmarks/gem_blt";
    if (!std::filesystem::exists(program)) {
        GTEST_SKIP() << "intel-gpu-tools is not installed";
    }
    const Outcome outcome =
        run_program({"timeout", "60", find_sibling("gem-upload"), "model", "--chip", "snb", "--",
                     program, "-r", "1", "-t", "1", "-s", "4096"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
}

TEST(WrongOnModel, BadInputIsASentenceAndStatusTwo) {
    const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
        {{"--device", "model:nosuchchip"}, "nosuchchip"},
        {{"--device", "model:"}, "no chip"},
        {{"--device", "/dev/null"}, "/dev/null"},
        {{"--device", "/dev/dri/card77"}, "card77"},
        {{"--device", "pci:not-an-address"}, "not-an-address"},
        {{"--device", "model:snb", "--width", "8192"}, "32768"},
        {{"--device", "model:snb", "--height", "32768"}, "32768"},
        {{"--device", "model:snb", "--iterations", "0"}, "--iterations"},
        {{"--device", "model:snb", "--cpu", "1000"}, "1000"}};
    for (const auto& [options, mentioned] : cases) {
        std::vector<std::string> argv = options;
        argv.insert(argv.begin(), find_sibling("upload_blit_large"));
        const Outcome outcome = run_program(argv);
        EXPECT_EQ(outcome.status, 2) << mentioned << ": " << outcome.err;
        EXPECT_NE(outcome.err.find(mentioned), std::string::npos) << outcome.err;
        EXPECT_EQ(outcome.out, "");
        EXPECT_LE(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 2) << outcome.err;
    }
}

} // namespace
} // namespace gem_upload
