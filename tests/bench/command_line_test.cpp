// Worse than useless: an option that is taken for another value than the one given, or a departure
// from the canonical workload that the result does not mention.
#include "bench/command_line.h"
#include "util/error.h"

#include <gtest/gtest.h>

namespace gem_upload::bench {
namespace {

constexpr Method image_method = {.name = "upload_test_image",
                                 .group = Group::blit,
                                 .summary = "a test",
                                 .workload = "none",
                                 .algorithm = "none",
                                 .has_staged = true,
                                 .width = 1280,
                                 .height = 720,
                                 .iterations = 200,
                                 .refusal = nullptr,
                                 .open = nullptr};

constexpr Method pool_method = {.name = "upload_test_pool",
                                .group = Group::aperture,
                                .summary = "a test",
                                .workload = "none",
                                .algorithm = "none",
                                .has_staged = false,
                                .width = 128,
                                .height = 64,
                                .iterations = 65536,
                                .refusal = nullptr,
                                .open = nullptr,
                                .store = {4, StoreType::non_temporal}};

std::variant<Options, int> parse(const Method& method, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "program");
    std::vector<char*> argv;
    for (std::string& argument : arguments) {
        argv.push_back(argument.data());
    }
    return parse_options(method, static_cast<int>(argv.size()), argv.data());
}

Options options_of(const Method& method, const std::vector<std::string>& arguments) {
    return std::get<Options>(parse(method, arguments));
}

void expect_usage_error(const Method& method, const std::vector<std::string>& arguments,
                        const std::string& mentioned) {
    try {
        (void)parse(method, arguments);
        FAIL() << "accepted: " << testing::PrintToString(arguments);
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), Exit::usage);
        EXPECT_NE(std::string(error.what()).find(mentioned), std::string::npos) << error.what();
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
}

TEST(CommandLine, WithoutOptionsItIsCanonical) {
    const Options options = options_of(image_method, {});
    EXPECT_EQ(options.width, 1280U);
    EXPECT_EQ(options.height, 720U);
    EXPECT_EQ(options.iterations, 200U);
    EXPECT_EQ(options.samples, 1U);
    EXPECT_FALSE(options.warmup);
    EXPECT_EQ(options.store, (StoreKind{4, StoreType::plain}));
    EXPECT_EQ(options.verify, Verify::last);
    EXPECT_FALSE(options.cpu);
    EXPECT_TRUE(departures_from_canon(image_method, options).empty());
    EXPECT_TRUE(departures_from_canon(pool_method, options_of(pool_method, {})).empty());
}

TEST(CommandLine, TakesEverySharedOption) {
    const Options options = options_of(image_method, {"--device",     "pci:0000:00:02.0",
                                                      "--width",      "64",
                                                      "--height",     "32",
                                                      "--iterations", "5",
                                                      "--warmup",     "0",
                                                      "--samples",    "7",
                                                      "--variant",    "staged",
                                                      "--store",      "32",
                                                      "--store-type", "nt",
                                                      "--verify",     "every",
                                                      "--log",        "a.txt",
                                                      "--json",       "b.json",
                                                      "--cpu",        "3"});
    EXPECT_EQ(options.device, "pci:0000:00:02.0");
    EXPECT_EQ(options.width, 64U);
    EXPECT_EQ(options.height, 32U);
    EXPECT_EQ(options.iterations, 5U);
    EXPECT_EQ(options.warmup, 0U);
    EXPECT_EQ(options.samples, 7U);
    EXPECT_EQ(options.variant, Variant::staged);
    EXPECT_EQ(options.store, (StoreKind{32, StoreType::non_temporal}));
    EXPECT_EQ(options.verify, Verify::every);
    EXPECT_EQ(options.log_path, "a.txt");
    EXPECT_EQ(options.json_path, "b.json");
    EXPECT_EQ(options.cpu, 3);
}

TEST(CommandLine, TheApertureFamilyHasItsOwn) {
    const Options options = options_of(
        pool_method, {"--stride", "64", "--flush", "clflush", "--huge-pages", "--limit"});
    EXPECT_EQ(options.aperture.stride, 64U);
    EXPECT_EQ(options.aperture.flush, Flush::clflush);
    EXPECT_TRUE(options.aperture.huge_pages);
    EXPECT_TRUE(options.aperture.limit);
    expect_usage_error(image_method, {"--stride", "64"}, "--stride");
}

TEST(CommandLine, EveryDepartureFromTheCanonIsNamed) {
    const std::vector<std::vector<std::string>> departures = {
        {"--width", "64"}, {"--height", "64"},     {"--iterations", "5"}, {"--warmup", "1"},
        {"--store", "8"},  {"--store-type", "nt"}, {"--verify", "every"}, {"--verify", "none"}};
    for (const auto& arguments : departures) {
        EXPECT_EQ(departures_from_canon(image_method, options_of(image_method, arguments)).size(),
                  1U)
            << testing::PrintToString(arguments);
    }
    const std::vector<std::vector<std::string>> pool_departures = {
        {"--stride", "64"}, {"--flush", "none"}, {"--huge-pages"}};
    for (const auto& arguments : pool_departures) {
        EXPECT_EQ(departures_from_canon(pool_method, options_of(pool_method, arguments)).size(), 1U)
            << testing::PrintToString(arguments);
    }
}

TEST(CommandLine, BadInputIsOneSentence) {
    expect_usage_error(image_method, {"--json", "-"}, "/dev/stdout");
    expect_usage_error(image_method, {"--log", "-"}, "/dev/stdout");
    expect_usage_error(image_method, {"--no-such-option"}, "--no-such-option");
    expect_usage_error(image_method, {"stray"}, "stray");
    expect_usage_error(image_method, {"--width"}, "--width");
    for (const char* option : {"--width", "--height", "--iterations", "--samples"}) {
        for (const char* value : {"0", "-1", "1e3", "12x", "", "99999999999999999999999", "0.5"}) {
            expect_usage_error(image_method, {option, value}, option);
        }
    }
    expect_usage_error(image_method, {"--width", "4294967296"}, "--width");
    expect_usage_error(image_method, {"--warmup", "-1"}, "--warmup");
    expect_usage_error(image_method, {"--store", "5"}, "--store");
    expect_usage_error(image_method, {"--store-type", "wide"}, "--store-type");
    expect_usage_error(image_method, {"--verify", "maybe"}, "--verify");
    expect_usage_error(image_method, {"--variant", "direct"}, "--variant");
    expect_usage_error(image_method, {"--cpu", "-1"}, "--cpu");
    expect_usage_error(image_method, {"--cpu", "all"}, "--cpu");
    expect_usage_error(pool_method, {"--variant", "staged"}, "--variant");
    expect_usage_error(pool_method, {"--device", "model:g45"}, "leave --device out");
}

} // namespace
} // namespace gem_upload::bench
