// Worse than useless: a model that crashes on, or writes outside the given memory for, a batch that
// some program got wrong; it runs inside that program. A fixed seed; under AddressSanitizer every
// object is an allocation of its own size, and without it the bytes around the objects are
// compared.
#include "model/command_streamer.h"

#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

namespace gem_upload::model {
namespace {

constexpr std::size_t object_bytes = 8192;
constexpr std::size_t guard_bytes = 256;
constexpr std::byte guard{0x5a};
constexpr std::uint64_t batch_address = 0x300000;
constexpr std::array<std::uint64_t, 3> addresses = {0x100000, 0x200000, batch_address};

/// Three objects with guards around them in host memory, and nothing between them for the GPU.
class GuardedMemory : public AddressSpace {
public:
    GuardedMemory() {
        for (auto& object : objects_) {
            object.assign(object_bytes + 2 * guard_bytes, guard);
        }
    }

    [[nodiscard]] Span bytes(std::size_t index) {
        return Span(objects_[index]).subspan(guard_bytes, object_bytes);
    }

    [[nodiscard]] bool guards_are_whole() const {
        for (const auto& object : objects_) {
            for (std::size_t i = 0; i < guard_bytes; ++i) {
                if (object[i] != guard || object[object.size() - 1 - i] != guard) {
                    return false;
                }
            }
        }
        return true;
    }

    [[nodiscard]] std::variant<Span, Fault> translate(Engine /*engine*/, std::uint64_t address,
                                                      Access /*access*/) override {
        for (std::size_t i = 0; i < addresses.size(); ++i) {
            if (address >= addresses[i] && address - addresses[i] < object_bytes) {
                return bytes(i).subspan(address - addresses[i]);
            }
        }
        return Fault{"nothing is bound there"};
    }

private:
    std::array<std::vector<std::byte>, addresses.size()> objects_;
};

class BatchMaker {
public:
    std::vector<std::uint32_t> batch(const ChipModel& chip) {
        std::vector<std::uint32_t> dwords;
        for (std::uint32_t i = 0; i <= below(3); ++i) {
            command(dwords, chip.generation >= 8);
        }
        dwords.push_back(0x05000000);
        if (below(3) == 0) {
            dwords[below(static_cast<std::uint32_t>(dwords.size()))] ^= 1U << below(32);
        }
        return dwords;
    }

    std::uint32_t below(std::uint32_t limit) {
        return static_cast<std::uint32_t>(random_() % limit);
    }

private:
    void command(std::vector<std::uint32_t>& dwords, bool wide) {
        const auto address = [&] {
            dwords.push_back(static_cast<std::uint32_t>(addresses[below(2)]) + 64 * below(8));
            if (wide) {
                dwords.push_back(0);
            }
        };
        const auto corner = [&](std::uint32_t least) {
            dwords.push_back((least + below(32)) << 16U | (least + below(16)));
        };
        switch (below(6)) {
        case 0: // XY_SRC_COPY_BLT
            dwords.push_back((wide ? 0x54f00008U : 0x54f00006U) | below(2) << 15U |
                             below(2) << 11U);
            dwords.push_back(0x03cc0000 | 64 * below(6));
            corner(0);
            corner(8);
            address();
            corner(0);
            dwords.push_back(64 * below(6));
            address();
            break;
        case 1: // XY_COLOR_BLT
            dwords.push_back((wide ? 0x54300005U : 0x54300004U) | below(2) << 11U);
            dwords.push_back(0x03f00000 | 64 * below(6));
            corner(0);
            corner(8);
            address();
            dwords.push_back(static_cast<std::uint32_t>(random_()));
            break;
        case 2: // XY_FAST_COPY_BLT
            dwords.insert(dwords.end(), {0x50800008, 0x03000080, 0, 0x00080008, 0x100000, 0, 0,
                                         0x80, 0x200000, 0});
            break;
        case 3: // XY_BLOCK_COPY_BLT
            dwords.insert(dwords.end(),
                          {0x5050000a, below(2) << 30U | 0x3f, 0, 0x00080008, 0x100000, 0, 0, 0,
                           below(2) << 30U | 0x3f, 0x200000, 0, 0});
            break;
        case 4: // MI_LOAD_REGISTER_IMM
            dwords.insert(dwords.end(), {0x11000001, 0x22200, 0x00030000 | below(4)});
            break;
        default:
            for (std::uint32_t i = below(4); i > 0; --i) {
                dwords.push_back(static_cast<std::uint32_t>(random_()));
            }
        }
    }

    std::mt19937 random_{20090401};
};

TEST(Fuzz, RandomBatchesStayInTheirMemory) {
    GuardedMemory memory;
    BatchMaker maker;
    std::vector<FenceRegisters> fences;
    std::vector<CommandStreamer> streamers;
    for (const ChipModel& chip : chip_models()) {
        fences.emplace_back(chip);
    }
    for (std::size_t i = 0; i < chip_models().size(); ++i) {
        streamers.emplace_back(chip_models()[i], fences[i]);
    }
    unsigned faults = 0;
    constexpr unsigned batches = 100000;
    for (unsigned i = 0; i < batches; ++i) {
        const std::size_t which = maker.below(static_cast<std::uint32_t>(chip_models().size()));
        const ChipModel& chip = chip_models()[which];
        const std::vector<std::uint32_t> dwords = maker.batch(chip);
        std::memcpy(memory.bytes(2).data(), dwords.data(), dwords.size() * 4);
        const Engine engine = chip.blt_ring && maker.below(16) != 0 ? Engine::blt : Engine::render;
        const auto fault = streamers[which].run_batch(memory, engine, batch_address, 0);
        faults += fault ? 1U : 0U;
        if (fault) {
            ASSERT_EQ(fault->what.rfind(chip.name, 0), 0U) << fault->what;
        }
    }
    EXPECT_TRUE(memory.guards_are_whole());
    // Both outcomes must be common, or the batches try nothing.
    EXPECT_GT(faults, batches / 10);
    EXPECT_LT(faults, batches - batches / 10);
}

} // namespace
} // namespace gem_upload::model
