#include "bench/aperture.h"

#include "bench/ceiling.h"

#include <algorithm>
#include <fmt/format.h>
#include <sched.h>
#include <utility>

namespace gem_upload::bench {
namespace {

constexpr unsigned ceiling_sweeps = 5;
constexpr std::size_t page_dwords = 1024;

} // namespace

ApertureSession::ApertureSession(ApertureForm form, const Options& options,
                                 const MachineMemory& memory, const CpuFeatures& features)
    : form_(form),
      steps_(choose_steps(form, options, features)),
      layout_(lay_out_sections(options, pool_bytes(memory))),
      limit_(options.aperture.limit),
      pool_text_(describe_pool(memory)),
      features_(features),
      pool_(pool_bytes(memory), options.aperture.huge_pages),
      side_(steps_.copy == nullptr ? 0 : layout_.dwords() + page_dwords, side_background) {}

// Aligned like a canonical section, to a page.
std::uint32_t* ApertureSession::side() {
    const auto misaligned = reinterpret_cast<std::uintptr_t>(side_.data()) / 4 % page_dwords;
    return side_.data() + (page_dwords - misaligned) % page_dwords;
}

void ApertureSession::iterate() {
    std::uint32_t* section = pool_.dwords().data() + layout_.section_start(iterations_++);
    std::uint32_t* target = steps_.copy == nullptr ? section : side();
    next_ = layout_.fills() ? steps_.fill(target, layout_.dwords(), next_)
                            : steps_.stride(target, layout_.stores, layout_.stride_bytes, next_);
    if (steps_.copy != nullptr) {
        steps_.copy(section, target, layout_.dwords());
    }
    if (steps_.fence) {
        store_fence();
    }
    if (steps_.flush_lines != nullptr) {
        steps_.flush_lines(section, layout_.bytes);
    }
}

std::optional<std::string> ApertureSession::verify() {
    if (iterations_ == 0) {
        return "no iteration has run yet";
    }
    const std::uint64_t k = iterations_ - 1;
    const std::uint32_t between = steps_.copy == nullptr ? Pool::background : side_background;
    const std::span<const std::uint32_t> section =
        pool_.dwords().subspan(layout_.section_start(k), layout_.dwords());
    for (std::size_t i = 0; i < section.size(); ++i) {
        const std::uint32_t expected = layout_.stored_value(k, i).value_or(between);
        if (section[i] != expected) {
            return fmt::format("iteration {}, section {} of {}, byte {}: expected {:#010x}, found "
                               "{:#010x}",
                               iterations_, k % layout_.sections + 1, layout_.sections, i * 4,
                               expected, section[i]);
        }
    }
    return std::nullopt;
}

std::vector<std::pair<std::string, std::string>> ApertureSession::facts() const {
    std::vector<std::pair<std::string, std::string>> facts;
    facts.emplace_back("pool", pool_text_);
    facts.emplace_back("pool_pages", pool_.describe_pages());
    facts.emplace_back(
        "section", fmt::format("{}, {} in the pool", size_text(layout_.bytes), layout_.sections));
    facts.emplace_back("stores",
                       fmt::format("{} bytes, {}, {}", steps_.store.width,
                                   steps_.store.type == StoreType::plain ? "plain" : "non-temporal",
                                   layout_.fills()
                                       ? "side by side"
                                       : fmt::format("one every {} bytes", layout_.stride_bytes)));
    facts.emplace_back("counted", fmt::format("the {} of a section that the stores write",
                                              size_text(layout_.stored_bytes)));
    facts.emplace_back("copy", steps_.copy == nullptr ? "none" : steps_.copy_name);
    facts.emplace_back("store_fence", steps_.fence ? "sfence" : "none");
    facts.emplace_back("flush", flush_name(steps_.flush));
    facts.emplace_back("flush_fences",
                       steps_.flush_lines == nullptr ? "none" : flush_fences(steps_.flush));
    facts.emplace_back("write_combining", form_ == ApertureForm::write_combining
                                              ? "non-temporal stores on write-back memory"
                                              : "none: write-back memory");
    return facts;
}

std::vector<std::string> ApertureSession::remarks(double best_mb_per_second) {
    if (!limit_) {
        return {};
    }
    const CeilingMeter meter(pool_.dwords(), features_, ceiling_sweeps);
    const Ceiling stream = meter.non_temporal_fill();
    const Ceiling plain = meter.plain_fill();
    const Ceiling cached = meter.copy_from_cache();
    const Ceiling copy = meter.copy_in_memory();
    std::vector<std::string> lines;
    for (const auto& [name, ceiling] :
         {std::pair{"non-temporal fill", stream}, std::pair{"plain fill", plain},
          std::pair{"copy from the cache to memory", cached},
          std::pair{"copy from memory to memory", copy}}) {
        lines.push_back(
            fmt::format("limit: {}: {:.1f} MB/s ({}; median of {} sweeps over the pool)", name,
                        ceiling.mb_per_second, ceiling.code, ceiling_sweeps));
    }
    if (!layout_.fills()) {
        lines.emplace_back("limit: no share is given: with --stride the result counts the stored "
                           "bytes, the limits whole lines.");
        return lines;
    }
    const auto [name, ceiling] =
        form_ == ApertureForm::write_combining ? std::pair{"non-temporal fill", stream}
        : form_ == ApertureForm::map           ? std::pair{"plain fill", plain}
                                               : std::pair{"copy from the cache", cached};
    lines.push_back(fmt::format(
        "limit: this method reaches {:.1f} of {:.1f} MB/s, {:.1f} % of the {}", best_mb_per_second,
        ceiling.mb_per_second, 100 * best_mb_per_second / ceiling.mb_per_second, name));
    return lines;
}

std::unique_ptr<Session> open_aperture(ApertureForm form, const Options& options) {
    const int cpu = options.cpu ? *options.cpu : ::sched_getcpu();
    const auto memory = read_machine_memory(static_cast<unsigned>(std::max(cpu, 0)));
    return std::make_unique<ApertureSession>(form, options, memory, read_cpu_features());
}

std::optional<std::string> no_refusal(const drm::Device* /*device*/) {
    return std::nullopt;
}

} // namespace gem_upload::bench
