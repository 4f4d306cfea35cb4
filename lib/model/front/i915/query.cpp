// i915_query.c.
#include "model/front/drm/user_memory.h"
#include "model/front/i915/ioctls.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <sys/sysinfo.h>
#include <vector>

namespace gem_upload::model::i915 {
namespace {

/// By class, as the kernel sorts them (gt/intel_engine_user.c).
constexpr std::array<Ring, ring_count> engines{Ring::render, Ring::blt, Ring::bsd, Ring::second_bsd,
                                               Ring::vebox};

/// Heads of drm_i915_query_engine_info and drm_i915_query_memory_regions, whose rows follow.
struct Header {
    std::uint32_t count;
    std::array<std::uint32_t, 3> reserved;
};
static_assert(sizeof(Header) == sizeof(drm_i915_query_engine_info));
static_assert(sizeof(Header) == sizeof(drm_i915_query_memory_regions));

/// copy_query_item() and what follows it: the header that the program passed must be zeroed.
template <typename Row>
int answer(drm_i915_query_item& item, const std::vector<Row>& rows) {
    const Header header{static_cast<std::uint32_t>(rows.size()), {}};
    const std::size_t bytes = sizeof header + rows.size() * sizeof(Row);
    if (item.flags != 0) {
        return -EINVAL;
    }
    if (item.length == 0) {
        return static_cast<int>(bytes);
    }
    if (item.length < 0 || static_cast<std::size_t>(item.length) < bytes) {
        return -EINVAL;
    }
    std::array<std::byte, sizeof(Header)> before{};
    if (!copy_from_user(before, item.data_ptr)) {
        return -EFAULT;
    }
    if (std::any_of(before.begin(), before.end(),
                    [](std::byte value) { return value != std::byte{0}; })) {
        return -EINVAL;
    }
    if (!writable(item.data_ptr, bytes)) {
        return -EFAULT;
    }
    auto* const data = user_pointer<std::byte>(item.data_ptr);
    std::memcpy(data, &header, sizeof header);
    std::memcpy(data + sizeof header, rows.data(), rows.size() * sizeof(Row));
    return static_cast<int>(bytes);
}

/// __setup_engine_capabilities(): HEVC, and the scaler that engines of video share.
std::uint64_t capabilities_of(const ChipModel& chip, Ring ring) {
    const bool gen11 = chip.generation >= 11;
    constexpr std::uint64_t hevc = I915_VIDEO_CLASS_CAPABILITY_HEVC;
    constexpr std::uint64_t scaler = I915_VIDEO_AND_ENHANCE_CLASS_CAPABILITY_SFC;
    switch (ring) {
    case Ring::bsd:
        return chip.generation >= 9 ? hevc | scaler : 0;
    case Ring::second_bsd: // on gen11 the scaler is the first one's alone
        return chip.generation >= 12 ? hevc | scaler : hevc;
    case Ring::vebox:
        return gen11 ? scaler : 0;
    default:
        return 0;
    }
}

int query_engines(I915& device, drm_i915_query_item& item) {
    std::vector<drm_i915_engine_info> rows;
    for (const Ring ring : engines) {
        if (device.has_ring(ring)) {
            const std::uint16_t instance = engine_instance(ring);
            drm_i915_engine_info row{};
            row.engine = {engine_class(ring), instance};
            row.flags = I915_ENGINE_INFO_HAS_LOGICAL_INSTANCE;
            row.capabilities = capabilities_of(device.chip(), ring);
            row.logical_instance = instance;
            rows.push_back(row);
        }
    }
    return answer(item, rows);
}

int query_regions(I915& /*device*/, drm_i915_query_item& item) {
    struct sysinfo system {};
    (void)::sysinfo(&system); // fails only for a bad pointer
    drm_i915_memory_region_info row{};
    row.region = {I915_MEMORY_CLASS_SYSTEM, 0};
    row.probed_size = system.totalram * system.mem_unit;
    row.unallocated_size = row.probed_size;
    return answer(item, std::vector{row});
}

/// A mask of the lowest COUNT bits, in as many bytes as one of MOST bits needs.
void append_mask(std::vector<std::uint8_t>& data, unsigned count, unsigned most) {
    for (unsigned first = 0; first < most; first += 8) {
        const unsigned bits = std::min(count - std::min(count, first), 8U);
        data.push_back(static_cast<std::uint8_t>((1U << bits) - 1));
    }
}

/// The masks of the slices, of each slice's subslices, and of each subslice's units.
std::vector<std::uint8_t> topology_masks(const Topology& topology) {
    std::vector<std::uint8_t> masks;
    append_mask(masks, 1, topology.most_slices);
    for (unsigned slice = 0; slice < topology.most_slices; ++slice) {
        append_mask(masks, slice == 0 ? topology.subslices : 0, topology.most_subslices);
    }
    for (unsigned slice = 0; slice < topology.most_slices; ++slice) {
        for (unsigned subslice = 0; subslice < topology.most_subslices; ++subslice) {
            const bool present = slice == 0 && subslice < topology.subslices;
            append_mask(masks, present ? topology.units : 0, topology.units);
        }
    }
    return masks;
}

drm_i915_query_topology_info topology_head(const Topology& topology) {
    const auto bytes = [](unsigned bits) { return static_cast<std::uint16_t>((bits + 7) / 8); };
    drm_i915_query_topology_info head{};
    head.max_slices = static_cast<std::uint16_t>(topology.most_slices);
    head.max_subslices = static_cast<std::uint16_t>(topology.most_subslices);
    head.max_eus_per_subslice = static_cast<std::uint16_t>(topology.units);
    head.subslice_offset = bytes(topology.most_slices);
    head.subslice_stride = bytes(topology.most_subslices);
    head.eu_offset = static_cast<std::uint16_t>(head.subslice_offset +
                                                topology.most_slices * head.subslice_stride);
    head.eu_stride = bytes(topology.units);
    return head;
}

/// Slices and subslices. What the program passed need not be zeroed.
int query_topology(I915& device, drm_i915_query_item& item) {
    const Topology& topology = device.chip().topology;
    if (item.flags != 0) {
        return -EINVAL;
    }
    if (topology.most_slices == 0) {
        return -ENODEV;
    }
    const drm_i915_query_topology_info head = topology_head(topology);
    const std::vector<std::uint8_t> masks = topology_masks(topology);
    const std::size_t bytes = sizeof head + masks.size();
    if (item.length == 0) {
        return static_cast<int>(bytes);
    }
    if (item.length < 0 || static_cast<std::size_t>(item.length) < bytes) {
        return -EINVAL;
    }
    if (!writable(item.data_ptr, bytes)) {
        return -EFAULT;
    }
    auto* const data = user_pointer<std::byte>(item.data_ptr);
    std::memcpy(data, &head, sizeof head);
    std::memcpy(data + sizeof head, masks.data(), masks.size());
    return static_cast<int>(bytes);
}

/// No counters are streamed.
int query_perf_config(I915& /*device*/, drm_i915_query_item& item) {
    switch (item.flags) {
    case DRM_I915_QUERY_PERF_CONFIG_LIST:
    case DRM_I915_QUERY_PERF_CONFIG_DATA_FOR_UUID:
    case DRM_I915_QUERY_PERF_CONFIG_DATA_FOR_ID:
        return -ENODEV;
    default:
        return -EINVAL;
    }
}

int query_nothing(I915& /*device*/, drm_i915_query_item& /*item*/) {
    return -ENODEV;
}

using QueryItem = int(I915&, drm_i915_query_item&);

/// By id, from 1.
constexpr std::array<QueryItem*, 6> items{query_topology, query_engines, query_perf_config,
                                          query_regions,  query_nothing, query_nothing};

} // namespace

int query(I915Client& client, drm_i915_query& arguments) {
    if (arguments.flags != 0) {
        return -EINVAL;
    }
    for (std::uint32_t i = 0; i < arguments.num_items; ++i) {
        const std::uint64_t place = arguments.items_ptr + i * sizeof(drm_i915_query_item);
        drm_i915_query_item item{};
        if (!copy_from_user(item, place)) {
            return -EFAULT;
        }
        if (item.query_id == 0) {
            return -EINVAL;
        }
        item.length = item.query_id <= items.size()
                          ? items.at(item.query_id - 1)(client.device(), item)
                          : -EINVAL;
        if (!copy_to_user(place, item)) {
            return -EFAULT;
        }
    }
    return 0;
}

} // namespace gem_upload::model::i915
