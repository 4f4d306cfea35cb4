// Worse than useless: a result that reads back other than it was written, a broken one that is
// taken for a measurement, a line that QA's parsers no longer read, or a result of the software
// model that does not say so.
#include "results/result.h"
#include "util/error.h"

#include <gtest/gtest.h>

namespace gem_upload::results {
namespace {

Result example() {
    Result result;
    result.method = "upload_blit_large_map";
    result.variant = "staged";
    result.device = "i915 8086:2e22 (g45) at 0000:00:02.0";
    result.canonical = false;
    result.not_canonical_because = {"--width 100"};
    result.options = {{"width", "100"}, {"height", "720"}};
    result.facts = {{"relocation", "presumed"}, {"a \"quoted\" name", "and\nlines"}};
    result.environment = {{"kernel_release", "6.1.0"}, {"boot_id", "b"}, {"device", "x"}};
    result.samples = {{0.1, 200, 737280000, true}, {1.0 / 3.0, 200, 737280000, false}};
    result.gpu_hang = "the GPU hung";
    return result;
}

std::string replaced(std::string text, const std::string& old, const std::string& by) {
    const auto at = text.find(old);
    EXPECT_NE(at, std::string::npos) << old;
    return at == std::string::npos ? text : text.replace(at, old.size(), by);
}

void expect_refused(const std::string& text, const std::string& part) {
    try {
        (void)result_from_json(text);
        ADD_FAILURE() << "accepted: " << text;
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), Exit::usage);
        EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
}

TEST(Result, ReadsBackWhatItWrote) {
    const Result before = example();
    const Result after = result_from_json(to_json(before));
    EXPECT_EQ(after.method, before.method);
    EXPECT_EQ(after.variant, before.variant);
    EXPECT_EQ(after.device, before.device);
    EXPECT_EQ(after.model, before.model);
    EXPECT_EQ(after.canonical, before.canonical);
    EXPECT_EQ(after.not_canonical_because, before.not_canonical_because);
    EXPECT_EQ(after.options, before.options);
    EXPECT_EQ(after.facts, before.facts);
    EXPECT_EQ(after.environment, before.environment);
    EXPECT_EQ(after.gpu_hang, before.gpu_hang);
    ASSERT_EQ(after.samples.size(), 2U);
    EXPECT_EQ(after.samples[1].seconds, 1.0 / 3.0); // to the last bit
    EXPECT_EQ(after.samples[1].bytes, 737280000U);
    EXPECT_TRUE(after.samples[0].verified);
    EXPECT_FALSE(after.samples[1].verified);
}

TEST(Result, OneOfBeforeHangsWereToldIsRead) {
    const std::string old = replaced(to_json(example()), "\"gpu_hang\"", "\"unknown\"");
    EXPECT_EQ(result_from_json(old).gpu_hang, "");
}

TEST(Result, SurvivesBytesThatAreNotText) {
    Result result = example();
    result.environment.emplace_back("kernel_command_line", "quiet \xff\xfe");
    EXPECT_EQ(result_from_json(to_json(result)).environment.back().second,
              "quiet \xef\xbf\xbd\xef\xbf\xbd");
}

TEST(Result, RefusesWhatIsBroken) {
    const std::string good = to_json(example());
    expect_refused("", "not JSON");
    expect_refused("[]", "not a JSON object");
    expect_refused(replaced(good, "gem-upload-result/1", "gem-upload-result/9"), "schema");
    expect_refused(replaced(good, "\"method\"", "\"mothod\""), "'method' is missing");
    expect_refused(replaced(good, "\"model\": false", "\"model\": 0"), "'model'");
    expect_refused(replaced(good, "\"seconds\": 0.1", "\"seconds\": 0"), "'seconds'");
    expect_refused(replaced(good, "\"seconds\": 0.1", "\"seconds\": -1"), "'seconds'");
    expect_refused(replaced(good, "\"seconds\": 0.1", "\"seconds\": null"), "'seconds'");
    expect_refused(replaced(good, "\"seconds\": 0.1", "\"seconds\": 1e999"), "not JSON");
    expect_refused(replaced(good, "\"iterations\": 200", "\"iterations\": -200"), "'iterations'");
    expect_refused(replaced(good, "\"iterations\": 200", "\"iterations\": 2.5"), "'iterations'");
    expect_refused(replaced(good, "\"width\": \"100\"", "\"width\": 100"), "'options'");
}

TEST(Result, EveryCutIsRefused) {
    const std::string good = to_json(example());
    for (std::size_t length = 0; length + 2 < good.size(); ++length) {
        EXPECT_THROW((void)result_from_json(good.substr(0, length)), Error) << length;
    }
}

TEST(Result, PrintsIgtsLine) {
    // The form that IGT's upload_blit_large.c prints and `ministat -C 6` reads.
    EXPECT_EQ(igt_line({0.5, 200, 737280000, true}), "200 iterations in 0.500 secs: 1406.2 MB/sec");
}

TEST(Result, LogHeaderIsCommentLinesAndNamesTheModel) {
    Result result = example();
    result.model = true;
    result.device = "model:g45";
    const std::string header = log_header(result);
    std::size_t start = 0;
    while (start < header.size()) {
        EXPECT_EQ(header.compare(start, 2, "# "), 0) << header.substr(start);
        start = header.find('\n', start) + 1;
    }
    EXPECT_EQ(header.back(), '\n');
    EXPECT_NE(header.find("# model: "), std::string::npos);
    EXPECT_NE(header.find("# device: model:g45\n"), std::string::npos);
    EXPECT_NE(header.find("# canonical: no: --width 100\n"), std::string::npos);
    EXPECT_NE(header.find("# options: width 100, height 720\n"), std::string::npos);
    EXPECT_NE(header.find("# kernel_release: 6.1.0\n"), std::string::npos);
    EXPECT_EQ(log_header(example()).find("# model"), std::string::npos);
}

} // namespace
} // namespace gem_upload::results
