// Worse than useless: an address space in which stale addresses hit live objects, so that a missing
// relocation passes; or one that lets objects overlap.
#include "model/front/i915/address_map.h"
#include "model/front/i915/object.h"

#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <vector>

namespace gem_upload::model::i915 {
namespace {

constexpr std::uint64_t mib = 1 << 20;
constexpr std::uint64_t gib = 1024 * mib;

std::shared_ptr<Object> new_object(std::size_t bytes = page_bytes) {
    return std::make_shared<Object>(bytes, Caches{.llc = false});
}

TEST(AddressMap, NeverOverlapsAndNeverTouches) {
    AddressMap map(512 * mib, 12345);
    std::vector<std::shared_ptr<Object>> objects;
    std::vector<AddressMap::Range> ranges;
    for (int i = 0; i < 50; ++i) {
        objects.push_back(new_object());
        const std::uint64_t bytes = page_bytes * static_cast<std::uint64_t>(1 + i * 7 % 300);
        const auto address = map.bind(objects.back(), bytes, page_bytes, 512 * mib);
        ASSERT_TRUE(address);
        EXPECT_EQ(*address % page_bytes, 0U);
        EXPECT_LE(*address + bytes, 512 * mib);
        for (const AddressMap::Range& other : ranges) {
            EXPECT_TRUE(*address > other.address + other.bytes || other.address > *address + bytes);
        }
        ranges.push_back({*address, bytes});
    }
}

TEST(AddressMap, LeavesTheBottomEmpty) {
    AddressMap map(64 * mib, 0);
    std::vector<std::shared_ptr<Object>> objects;
    for (;;) {
        objects.push_back(new_object());
        const auto address = map.bind(objects.back(), mib, page_bytes, 64 * mib);
        if (!address) {
            break;
        }
        EXPECT_GE(*address, mib);
    }
    EXPECT_GT(objects.size(), 40U);
}

TEST(AddressMap, FreedAddressesRest) {
    AddressMap map(512 * mib, 77);
    std::set<std::uint64_t> seen;
    for (int i = 0; i < 200; ++i) {
        const auto object = new_object();
        const auto address = map.bind(object, mib, page_bytes, 512 * mib);
        ASSERT_TRUE(address);
        EXPECT_TRUE(seen.insert(*address).second);
        map.unbind(*object);
    }
}

TEST(AddressMap, FindsTheLastHole) {
    AddressMap map(16 * mib, 0);
    std::vector<std::shared_ptr<Object>> objects;
    while (true) {
        objects.push_back(new_object());
        if (!map.bind(objects.back(), mib, page_bytes, 16 * mib)) {
            break;
        }
    }
    const auto hole = map.find(*objects[5]);
    map.unbind(*objects[5]);
    const auto again = map.bind(objects.back(), mib, page_bytes, 16 * mib);
    ASSERT_TRUE(again);
    EXPECT_EQ(*again, hole->address);
}

TEST(AddressMap, KeepsToLimitAndAlignment) {
    AddressMap map(std::uint64_t{1} << 48, 99);
    const auto low = new_object();
    const auto high = new_object();
    const auto aligned = new_object();
    EXPECT_LE(*map.bind(low, page_bytes, page_bytes, 4 * gib) + page_bytes, 4 * gib);
    // Without a limit above 4 GiB: half an address shows.
    EXPECT_GE(*map.bind(high, page_bytes, page_bytes, map.end()), 4 * gib);
    EXPECT_EQ(*map.bind(aligned, page_bytes, mib, 4 * gib) % mib, 0U);
}

TEST(AddressMap, NamesWhatIsInARange) {
    AddressMap map(512 * mib, 0);
    const auto object = new_object();
    map.bind_at(object, {8 * mib, mib});
    EXPECT_EQ(map.occupants({7 * mib, mib}).size(), 0U);
    EXPECT_EQ(map.occupants({7 * mib, mib + 1}).size(), 1U);
    EXPECT_EQ(map.occupants({9 * mib - 1, 1}).front(), object);
    EXPECT_EQ(map.occupants({9 * mib, 1}).size(), 0U);
}

TEST(AddressMap, ForgetsDestroyedObjects) {
    const auto map = std::make_shared<AddressMap>(512 * mib, 0);
    {
        const auto object = new_object();
        map->bind_at(object, {8 * mib, mib});
        object->bound_in(map);
    }
    EXPECT_TRUE(map->occupants({0, 512 * mib}).empty());
}

} // namespace
} // namespace gem_upload::model::i915
