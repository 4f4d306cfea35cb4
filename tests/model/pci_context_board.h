// A machine with a modelled GPU that takes its work as contexts, through execlists; tests play the
// kernel's part. Where things are comes from the PRMs and the kernel, not from the model's tables.
#pragma once

#include "pci_board.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <gtest/gtest.h>
#include <span>
#include <string>

namespace gem_upload::model::pci {

/// Sources: kernel gt/intel_engine_cs.c (bases, resets), i915_reg.h (GEN8_GT_*_IRQ and shifts),
/// gt/intel_gt_irq.c (GEN11_*); BDW PRM volume 2c, ICL PRM volume 2c (halves of the masks).
struct ContextEngine {
    std::string_view name;
    std::uint32_t base;
    std::uint32_t reset_bit;
    std::uint32_t master_bit; ///< of the interrupts' master register
    // Up to gen10: a bank, and where in it the engine's 16 bits are.
    unsigned bank;
    unsigned shift;
    // From gen11 on.
    unsigned dword;
    std::uint32_t dword_bit;
    unsigned engine_class;
    unsigned instance;
    std::uint32_t enable; ///< register, and the half of it that is the engine's
    unsigned enable_shift;
    std::uint32_t mask;
    unsigned mask_shift;
};

inline constexpr ContextEngine gen8_engines[] = {
    {"rcs0", 0x2000, 1U << 1U, 1U << 0U, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {"bcs0", 0x22000, 1U << 3U, 1U << 1U, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0},
    {"vcs0", 0x12000, 1U << 2U, 1U << 2U, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {"vecs0", 0x1a000, 1U << 4U, 1U << 6U, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0},
};
inline constexpr ContextEngine gen11_engines[] = {
    {"rcs0", 0x2000, 1U << 1U, 1U, 0, 0, 0, 1U << 0U, 0, 0, 0x190030, 16, 0x190090, 16},
    {"bcs0", 0x22000, 1U << 2U, 1U, 0, 0, 0, 1U << 15U, 3, 0, 0x190030, 0, 0x1900a0, 16},
    {"vcs0", 0x1c0000, 1U << 5U, 2U, 0, 0, 1, 1U << 0U, 1, 0, 0x190034, 16, 0x1900a8, 16},
    {"vecs0", 0x1c8000, 1U << 13U, 2U, 0, 0, 1, 1U << 31U, 2, 0, 0x190034, 0, 0x1900d0, 16},
    // The third decoder of the full chip, which the kernel counts as the second where that is off.
    {"vcs1", 0x1d0000, 1U << 7U, 2U, 0, 0, 1, 1U << 2U, 1, 2, 0x190034, 16, 0x1900ac, 16},
};

/// Bits of an engine's 16 (gen8: within its half of a bank).
inline constexpr std::uint32_t user_event = 1U << 0U;
inline constexpr std::uint32_t flush_event = 1U << 4U;
inline constexpr std::uint32_t switch_event = 1U << 8U;

inline std::vector<const ChipModel*> context_chips() {
    std::vector<const ChipModel*> chips = gpu_chips();
    std::erase_if(chips, [](const ChipModel* chip) { return chip->generation < 8; });
    return chips;
}

using Commands = std::vector<std::uint32_t>;

inline Commands join(std::initializer_list<Commands> pieces) {
    Commands all;
    for (const Commands& piece : pieces) {
        all.insert(all.end(), piece.begin(), piece.end());
    }
    return all;
}

/// Commands as gen8 and later have them. Sources: kernel gt/intel_gpu_commands.h; BDW PRM volume
/// 2a.
namespace mi {
inline constexpr std::uint32_t arb_check = 0x05U << 23U;
inline constexpr std::uint32_t arb_on = 0x08U << 23U | 1U;
inline constexpr std::uint32_t arb_off = 0x08U << 23U;
inline constexpr std::uint32_t poll_register = 1U << 16U; ///< of a semaphore

inline Commands store(std::uint64_t address, std::uint32_t value, std::uint32_t flags = 0) {
    return {0x20U << 23U | 2U | flags, static_cast<std::uint32_t>(address),
            static_cast<std::uint32_t>(address >> 32U), value};
}
inline Commands call(std::uint64_t address, std::uint32_t flags = own_space) {
    return {batch_start | 1U | flags, static_cast<std::uint32_t>(address),
            static_cast<std::uint32_t>(address >> 32U)};
}
} // namespace mi

struct Context {
    std::uint32_t place;  ///< LRCA: a page of status, one of the image, and what the board adds
    std::uint32_t number; ///< what the kernel calls it in the descriptor's bits 47:37
    bool four_levels;
    std::array<std::uint64_t, 4> roots{}; ///< of the page tables
    std::uint32_t tail = 0;

    [[nodiscard]] std::uint32_t image(std::uint32_t index) const {
        return place + 0x1000 + 4 * index;
    }
    [[nodiscard]] std::uint32_t workarounds() const { return place + 0x2000; }
    [[nodiscard]] std::uint32_t ring() const { return place + 0x4000; }
    /// The page that the process sees at ContextBoard::user_batch.
    [[nodiscard]] std::uint32_t batch() const { return place + 0x6000; }
};

enum class PageSize : std::uint64_t { kib4 = 0x1000, kib64 = 0x10000, mib2 = 0x200000 };

/// A context status entry.
struct Status {
    std::uint32_t low;
    std::uint32_t high;
    friend bool operator==(const Status&, const Status&) = default;
};
inline void PrintTo(const Status& status, std::ostream* stream) {
    *stream << std::hex << "{low " << status.low << ", high " << status.high << "}" << std::dec;
}

class ContextBoard {
public:
    explicit ContextBoard(const ChipModel& which, const Settings& settings = immediate())
        : chip(which), gpu(make_gpu(which.name, machine, settings)) {
        for (std::uint64_t page = 0; page < low_memory; page += 0x1000) {
            set_entry(page >> 12U, page | 1U);
        }
        const bool later = chip.generation >= 11;
        const bool third_decoder = later && chip.name != "jsl" && chip.name != "rkl";
        engines =
            later ? std::span(gen11_engines).first(third_decoder ? 5 : 4) : std::span(gen8_engines);
        for (const ContextEngine& engine : engines) {
            start(engine);
        }
    }

    // All but what lies above is mapped in the global space, to the same physical addresses.
    static constexpr std::uint64_t low_memory = std::uint64_t{16} << 20U;
    static constexpr std::uint32_t status_pages = 0x100000;
    static constexpr std::uint32_t contexts_at = 0x200000;
    static constexpr std::uint32_t tables_at = 0x600000;
    static constexpr std::uint32_t data_at = 0xc00000; ///< 1 MiB that each process has, too
    static constexpr std::uint32_t unmapped = low_memory;
    static constexpr std::uint32_t ring_bytes = 0x1000;
    // In each context.
    static constexpr std::uint64_t user_batch = 0x40100000; ///< Context::batch()
    static constexpr std::uint64_t user_data = 0x40200000;  ///< data_at
    static constexpr std::uint64_t global_entries = 0x800000;

    void write(std::uint64_t offset, std::uint32_t value) { gpu->write_bar(0, offset, value, 4); }
    [[nodiscard]] std::uint32_t read(std::uint64_t offset) {
        return static_cast<std::uint32_t>(gpu->read_bar(0, offset, 4));
    }
    void set_entry(std::uint64_t index, std::uint64_t entry) {
        gpu->write_bar(0, global_entries + 8 * index, entry, 8);
    }
    void put(std::uint64_t physical, const Commands& dwords) {
        std::memcpy(machine.memory(physical).data(), dwords.data(), 4 * dwords.size());
    }
    [[nodiscard]] std::uint32_t dword(std::uint64_t physical) {
        std::uint32_t value = 0;
        std::memcpy(&value, machine.memory(physical).data(), sizeof value);
        return value;
    }
    /// Where the device's thread may be looking.
    [[nodiscard]] std::atomic_ref<std::uint32_t> shared(std::uint64_t physical) {
        return std::atomic_ref(*reinterpret_cast<std::uint32_t*>(machine.memory(physical).data()));
    }
    /// False after too long.
    [[nodiscard]] static bool eventually(const std::function<bool()>& happened) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (std::chrono::steady_clock::now() < end) {
            if (happened()) {
                return true;
            }
            std::this_thread::sleep_for(std::chrono::microseconds(50));
        }
        return false;
    }

    [[nodiscard]] const ContextEngine& engine(std::string_view name) const {
        return *std::find_if(engines.begin(), engines.end(),
                             [name](const ContextEngine& row) { return row.name == name; });
    }

    // Contexts.

    Context make_context(bool four_levels = true) {
        Context context{contexts_at + 0x8000 * contexts_, ++contexts_, four_levels};
        for (std::size_t i = 0; i < (four_levels ? 1U : 4U); ++i) {
            context.roots.at(i) = new_table();
            put_image(context, static_cast<std::uint32_t>(0x31 - 4 * i),
                      static_cast<std::uint32_t>(context.roots.at(i) >> 32U));
            put_image(context, static_cast<std::uint32_t>(0x33 - 4 * i),
                      static_cast<std::uint32_t>(context.roots.at(i)));
        }
        put_image(context, 0x09, context.ring());
        put_image(context, 0x0b, (ring_bytes - 0x1000) | 1U);
        map(context, user_batch, context.batch(), PageSize::kib4);
        for (std::uint32_t page = 0; page < 0x100000; page += 0x1000) {
            map(context, user_data + page, data_at + page, PageSize::kib4);
        }
        return context;
    }
    void put_image(const Context& context, std::uint32_t index, std::uint32_t value) {
        put(context.image(index), {value});
    }
    [[nodiscard]] std::uint32_t head(const Context& context) { return dword(context.image(0x05)); }
    /// Bits 63:32 of the descriptor; the engine's class and instance are there from gen11 on.
    [[nodiscard]] std::uint32_t upper(const ContextEngine& engine, const Context& context) const {
        const std::uint32_t number = context.number << 5U;
        return chip.generation < 11 ? number
                                    : number | engine.engine_class << 29U | engine.instance << 16U;
    }
    /// Writes dwords into the ring behind the tail; the image has the new tail.
    void emit(Context& context, Commands dwords) {
        dwords.resize(dwords.size() + dwords.size() % 2);
        for (const std::uint32_t value : dwords) {
            put(context.ring() + context.tail, {value});
            context.tail = (context.tail + 4) % ring_bytes;
        }
        shared(context.image(0x07)).store(context.tail);
    }
    /// Gives the engine two ports' contexts; nullptr: none.
    void submit(const ContextEngine& engine, const Context* first, const Context* second = nullptr,
                std::uint32_t flags = 0) {
        const std::array<std::uint32_t, 4> words{
            low_word(first, flags), first == nullptr ? 0 : upper(engine, *first),
            low_word(second, flags), second == nullptr ? 0 : upper(engine, *second)};
        if (chip.generation < 11) {
            for (const unsigned place : {3U, 2U, 1U, 0U}) {
                write(engine.base + 0x230, words.at(place));
            }
            return;
        }
        for (const unsigned place : {2U, 3U, 0U, 1U}) {
            write(engine.base + 0x510 + 4 * place, words.at(place));
        }
        write(engine.base + 0x550, 1);
    }
    void run(const ContextEngine& engine, Context& context, const Commands& dwords) {
        emit(context, dwords);
        submit(engine, &context);
    }

    // The context status buffer.

    [[nodiscard]] std::uint32_t status_entries() const { return chip.generation < 11 ? 6 : 12; }
    [[nodiscard]] std::uint32_t status_page(const ContextEngine& engine) const {
        return status_pages + 0x1000 * static_cast<std::uint32_t>(&engine - engines.data());
    }
    [[nodiscard]] std::uint32_t write_pointer_place(const ContextEngine& engine) const {
        return status_page(engine) + (chip.generation < 11 ? 0x7c : 0xbc);
    }
    [[nodiscard]] std::uint32_t write_pointer(const ContextEngine& engine) {
        return shared(write_pointer_place(engine)).load();
    }
    /// What is new since the last time, as the kernel's process_csb() finds it.
    std::vector<Status> events(const ContextEngine& engine) {
        std::vector<Status> found;
        std::uint32_t& seen = seen_.at(static_cast<std::size_t>(&engine - engines.data()));
        while (seen != write_pointer(engine) && found.size() < status_entries()) {
            seen = (seen + 1) % status_entries();
            const std::uint32_t place = status_page(engine) + 0x40 + 8 * seen;
            found.push_back({shared(place).load(), shared(place + 4).load()});
        }
        return found;
    }
    /// As reset_csb_pointers() and enable_execlists() do.
    void start(const ContextEngine& engine) {
        const std::uint32_t last = status_entries() - 1;
        write(engine.base + 0x29c, chip.generation < 11 ? 0x80008000 : 0x00080008);
        write(engine.base + 0x9c, 0x01000000);
        write(engine.base + 0x80, status_page(engine));
        write(engine.base + 0x3a0, 0xffff0000 | last << 8U | last);
        put(write_pointer_place(engine), {last});
        seen_.at(static_cast<std::size_t>(&engine - engines.data())) = last;
    }

    // Page tables of processes. Source: kernel gt/gen8_ppgtt.c, gt/intel_gtt.h.

    static constexpr std::uint64_t present = 1;
    static constexpr std::uint64_t writable = 2;

    [[nodiscard]] std::uint64_t qword(std::uint64_t physical) {
        std::uint64_t value = 0;
        std::memcpy(&value, machine.memory(physical).data(), sizeof value);
        return value;
    }
    void put_qword(std::uint64_t physical, std::uint64_t value) {
        std::memcpy(machine.memory(physical).data(), &value, sizeof value);
    }
    std::uint64_t new_table() { return tables_at + 0x1000 * tables_++; }

    /// Where the entry of LEVEL (1: of a page, 4: the uppermost) for an address is; makes the
    /// tables above it.
    std::uint64_t entry_place(const Context& context, std::uint64_t address, unsigned level) {
        std::uint64_t table = context.roots.at(context.four_levels ? 0 : address >> 30U);
        for (unsigned at = context.four_levels ? 4 : 2;; --at) {
            const std::uint64_t place = table + 8 * (address >> (12 + 9 * (at - 1)) & 0x1ffU);
            if (at == level) {
                return place;
            }
            if ((qword(place) & present) == 0) {
                put_qword(place, new_table() | present | writable);
            }
            table = qword(place) & 0xfffffffff000U;
        }
    }
    void map(const Context& context, std::uint64_t address, std::uint64_t physical, PageSize size,
             std::uint64_t flags = present | writable) {
        if (size == PageSize::mib2) {
            put_qword(entry_place(context, address, 2), physical | flags | 1U << 7U);
            return;
        }
        const std::uint64_t place = entry_place(context, address, 1);
        put_qword(place, physical | flags);
        if (size == PageSize::kib64) {
            const std::uint64_t directory = entry_place(context, address, 2);
            put_qword(directory, qword(directory) | 1U << 11U);
        }
    }

    // Interrupts.

    /// Lets these events of an engine through, and no others; the master switch is on.
    void enable_interrupts(const ContextEngine& engine, std::uint32_t events) {
        if (chip.generation < 11) {
            const std::uint32_t bits = events << engine.shift;
            write(engine.base + 0xa8, ~bits);
            write(bank(engine) + 0x4, ~bits);
            write(bank(engine) + 0xc, bits);
        } else {
            write(engine.enable, events << engine.enable_shift);
            write(engine.mask, ~(events << engine.mask_shift));
        }
        switch_interrupts(true);
    }
    [[nodiscard]] std::uint32_t master() const { return chip.generation < 11 ? 0x44200 : 0x190010; }
    void switch_interrupts(bool on) { write(master(), on ? 1U << 31U : 0U); }
    [[nodiscard]] static std::uint32_t bank(const ContextEngine& engine) {
        return 0x44300 + 0x10 * engine.bank;
    }
    /// What is pending of an engine, which is then handled; the device must agree about where.
    std::uint32_t take_interrupts(const ContextEngine& engine) {
        if (chip.generation < 11) {
            const std::uint32_t pending = read(bank(engine) + 0x8);
            write(bank(engine) + 0x8, pending);
            return pending >> engine.shift;
        }
        const std::uint32_t place = 0x190018 + 4 * engine.dword;
        if ((read(place) & engine.dword_bit) == 0) {
            return 0;
        }
        const std::uint32_t identity = select(engine);
        write(place, engine.dword_bit);
        return identity & 0xffffU;
    }
    /// As gen11_gt_engine_identity() does; 0 where nothing is behind the engine's bit.
    std::uint32_t select(const ContextEngine& engine) {
        constexpr std::uint32_t valid = 1U << 31U;
        const std::uint32_t place = 0x190060 + 4 * engine.dword;
        write(0x190070 + 4 * engine.dword, engine.dword_bit);
        const std::uint32_t identity = read(place);
        write(place, valid);
        return (identity & valid) != 0 ? identity : 0;
    }

    const ChipModel& chip;
    TestMachine machine;
    std::unique_ptr<Gpu> gpu;
    std::span<const ContextEngine> engines;

private:
    [[nodiscard]] static std::uint32_t low_word(const Context* context, std::uint32_t flags) {
        const std::uint32_t levels = context != nullptr && context->four_levels ? 3 : 1;
        // Valid, addressing mode, privileged.
        return context == nullptr ? 0 : context->place | 1U | levels << 3U | 1U << 8U | flags;
    }

    std::uint32_t contexts_ = 0;
    std::uint64_t tables_ = 0;
    std::array<std::uint32_t, 5> seen_{};
};

/// Tests of every chip that takes contexts.
class OnEachContextChip : public testing::TestWithParam<const ChipModel*> {
protected:
    [[nodiscard]] static const ChipModel& chip() { return *GetParam(); }
};

inline std::string context_chip_name(const testing::TestParamInfo<const ChipModel*>& chip) {
    return std::string(chip.param->name);
}

/// MI_SEMAPHORE_WAIT for a dword to be at least VALUE, by polling; five dwords from gen12 on.
inline Commands wait_at_least(const ChipModel& chip, std::uint64_t address, std::uint32_t value,
                              std::uint32_t flags = 0) {
    constexpr std::uint32_t header = 0x1cU << 23U | 1U << 15U | 1U << 12U;
    Commands command{header | flags | (chip.generation < 12 ? 2U : 3U), value,
                     static_cast<std::uint32_t>(address),
                     static_cast<std::uint32_t>(address >> 32U)};
    command.resize(chip.generation < 12 ? 4 : 5);
    return command;
}

} // namespace gem_upload::model::pci
