#include "bench/command_line.h"

#include "config.h"
#include "util/command_line.h"
#include "util/error.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <map>

namespace gem_upload::bench {
namespace {

const std::map<std::string, Verify> verify_names = {
    {"none", Verify::none}, {"last", Verify::last}, {"every", Verify::every}};
const std::map<std::string, StoreType> store_type_names = {{"plain", StoreType::plain},
                                                           {"nt", StoreType::non_temporal}};
const std::map<std::string, Flush> flush_names = {{"auto", Flush::automatic},
                                                  {"clflushopt", Flush::clflushopt},
                                                  {"clflush", Flush::clflush},
                                                  {"clwb", Flush::clwb},
                                                  {"none", Flush::none}};

// Beyond these a mistake is likelier than a wish; they also keep all products within 64 bits.
constexpr std::uint64_t most_iterations = 1'000'000'000;
constexpr std::uint64_t most_samples = 10'000'000;

template <class Enum>
std::string name_of(const std::map<std::string, Enum>& names, Enum value) {
    for (const auto& [name, named] : names) {
        if (named == value) {
            return name;
        }
    }
    return "?";
}

/// An option that takes one of a few names.
template <class Enum>
void add_choice(CLI::App& app, const char* flag, Enum& value,
                const std::map<std::string, Enum>& names, const char* help) {
    app.add_option_function<std::string>(
           flag, [&value, &names](const std::string& name) { value = names.at(name); }, help)
        ->check(CLI::IsMember(names))
        ->default_str(name_of(names, value))
        ->type_name("NAME");
}

CLI::Range count_up_to(std::uint64_t most) {
    return {std::uint64_t{1}, most};
}

void add_workload_options(CLI::App& app, const Method& method, Options& options) {
    app.add_option("--device", options.device,
                   "a node's path, pci:0000:00:02.0, a driver's name or model:CHIP (default: the "
                   "only Intel GPU)")
        ->type_name("WHICH");
    app.add_option("--width", options.width, "pixels of 4 bytes a row")->capture_default_str();
    app.add_option("--height", options.height, "rows")->capture_default_str();
    app.add_option("--iterations", options.iterations, "timed iterations a sample")
        ->check(count_up_to(most_iterations))
        ->capture_default_str();
    app.add_option("--warmup", options.warmup, "iterations before the first sample")
        ->check(CLI::Range(std::uint64_t{0}, most_iterations));
    app.add_option("--samples", options.samples, "samples, a line each")
        ->check(count_up_to(most_samples))
        ->capture_default_str();
    if (method.has_staged) {
        app.add_option_function<std::string>(
               "--variant", [&options](const std::string&) { options.variant = Variant::staged; },
               "staged: generate into system memory, then copy")
            ->check(CLI::IsMember({"staged"}))
            ->type_name("NAME");
    }
}

void add_store_options(CLI::App& app, Options& options) {
    app.add_option("--store", options.store.width, "bytes a store of the data generator")
        ->check(CLI::IsMember({4, 8, 16, 32, 64}))
        ->capture_default_str();
    add_choice(app, "--store-type", options.store.type, store_type_names,
               "kind of store: plain, or nt (non-temporal)");
}

void add_result_options(CLI::App& app, Options& options) {
    add_choice(app, "--verify", options.verify, verify_names,
               "what is read back and compared: each sample's last iteration, every one, or none");
    app.add_option("--log", options.log_path,
                   "append one number a sample, MB/s, as ministat reads them")
        ->type_name("FILE");
    app.add_option("--json", options.json_path, "write the whole result")->type_name("FILE");
    app.add_option_function<std::string>(
           "--cpu",
           [&options](const std::string& text) {
               if (text != "any") {
                   int cpu = 0;
                   if (!CLI::detail::lexical_cast(text, cpu) || cpu < 0) {
                       throw CLI::ValidationError("--cpu", "takes a CPU's number or 'any', not '" +
                                                               text + "'");
                   }
                   options.cpu = cpu;
               }
           },
           "pin the process to this CPU")
        ->default_str("any")
        ->type_name("N|any");
}

void add_aperture_options(CLI::App& app, ApertureOptions& options) {
    app.add_option("--stride", options.stride,
                   "bytes from store to store: 64 is one store a cache line")
        ->capture_default_str();
    add_choice(app, "--flush", options.flush, flush_names, "how written lines leave the cache");
    app.add_flag("--huge-pages", options.huge_pages, "ask for huge pages for the pool");
    app.add_flag("--limit", options.limit, "also measure this core's own ceilings");
}

void check_meaning(const Method& method, const Options& options) {
    if (!method.needs_device() && !options.device.empty()) {
        throw usage_error(
            fmt::format("{} measures this CPU and no GPU: leave --device out", method.name));
    }
    if (options.width == 0 || options.height == 0) {
        throw usage_error("--width and --height must be at least 1");
    }
    if (options.log_path == "-" || options.json_path == "-") {
        throw usage_error("'-' is no file's name: for standard output give /dev/stdout");
    }
}

} // namespace

std::variant<Options, int> parse_options(const Method& method, int argc, char** argv) {
    Options options;
    options.width = method.width;
    options.height = method.height;
    options.iterations = method.iterations;
    options.store = method.store;

    CLI::App app{fmt::format("{}\n{}", method.summary, method.workload), std::string(method.name)};
    app.set_version_flag("--version",
                         fmt::format("{} (gem-upload-tools) {}", method.name, GEM_UPLOAD_VERSION));
    add_workload_options(app, method, options);
    add_store_options(app, options);
    add_result_options(app, options);
    if (method.group == Group::aperture) {
        add_aperture_options(app, options.aperture);
    }
    if (const auto status = parse_command_line(app, argc, argv)) {
        return *status;
    }
    check_meaning(method, options);
    return options;
}

std::vector<std::string> departures_from_canon(const Method& method, const Options& options) {
    std::vector<std::string> departures;
    const auto note = [&departures](bool differs, std::string words) {
        if (differs) {
            departures.push_back(std::move(words));
        }
    };
    note(options.width != method.width || options.height != method.height,
         fmt::format("size {}x{} instead of {}x{}", options.width, options.height, method.width,
                     method.height));
    note(options.iterations != method.iterations,
         fmt::format("{} iterations instead of {}", options.iterations, method.iterations));
    note(options.warmup.has_value(),
         fmt::format("warm-up of {} iterations", options.warmup.value_or(0)));
    note(options.store != method.store, fmt::format("{}-byte {} stores", options.store.width,
                                                    name_of(store_type_names, options.store.type)));
    note(options.verify == Verify::every, "waited for and verified after every iteration");
    note(options.verify == Verify::none, "not verified");
    note(options.aperture.stride != 4, fmt::format("stride {}", options.aperture.stride));
    note(options.aperture.flush != Flush::automatic,
         fmt::format("flush {}", name_of(flush_names, options.aperture.flush)));
    note(options.aperture.huge_pages, "huge pages asked for");
    return departures;
}

std::vector<std::pair<std::string, std::string>>
describe_options(const Method& method, const Options& options, std::uint64_t warmup) {
    std::vector<std::pair<std::string, std::string>> described = {
        {"width", std::to_string(options.width)},
        {"height", std::to_string(options.height)},
        {"iterations", std::to_string(options.iterations)},
        {"warmup", std::to_string(warmup)},
        {"samples", std::to_string(options.samples)},
        {"store", std::to_string(options.store.width)},
        {"store-type", name_of(store_type_names, options.store.type)},
        {"verify", name_of(verify_names, options.verify)},
        {"cpu", options.cpu ? std::to_string(*options.cpu) : "any"}};
    if (method.group == Group::aperture) {
        described.emplace_back("stride", std::to_string(options.aperture.stride));
        described.emplace_back("flush", name_of(flush_names, options.aperture.flush));
        described.emplace_back("huge-pages", options.aperture.huge_pages ? "yes" : "no");
    }
    return described;
}

} // namespace gem_upload::bench
