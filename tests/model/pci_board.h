// A machine with memory and an interrupt line, and a modelled GPU in it; tests play the kernel's
// part by plain accesses.
#pragma once

#include "model/pci/gpu.h"
#include "model/pci/zeroed_memory.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <ostream>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace gem_upload::model::pci {

class TestMachine final : public Machine {
public:
    /// Memory from 0 on, and a piece above 4 GiB.
    TestMachine() {
        blocks_.emplace(0, std::size_t{16} << 20U);
        blocks_.emplace(high_memory, std::size_t{1} << 20U);
    }

    static constexpr std::uint64_t high_memory = 0x3'0000'0000;

    [[nodiscard]] Span memory(std::uint64_t physical) override {
        const auto next = blocks_.upper_bound(physical);
        auto& [start, bytes] = *std::prev(next);
        return physical - start < bytes.size()
                   ? Span(bytes.data(), bytes.size()).subspan(physical - start)
                   : Span{};
    }

    void set_interrupt(bool asserted) override {
        const std::lock_guard guard(mutex_);
        pin_ = asserted;
        ++pin_changes_;
        changed_.notify_all();
    }

    void send_message(std::uint64_t address, std::uint32_t data) override {
        const std::lock_guard guard(mutex_);
        messages_.emplace_back(address, data);
        changed_.notify_all();
    }

    [[nodiscard]] bool pin() {
        const std::lock_guard guard(mutex_);
        return pin_;
    }
    [[nodiscard]] unsigned pin_changes() {
        const std::lock_guard guard(mutex_);
        return pin_changes_;
    }
    [[nodiscard]] std::vector<std::pair<std::uint64_t, std::uint32_t>> messages() {
        const std::lock_guard guard(mutex_);
        return messages_;
    }
    /// Returns when the pin is asserted; false after too long.
    [[nodiscard]] bool wait_for_pin() {
        std::unique_lock guard(mutex_);
        return changed_.wait_for(guard, std::chrono::seconds(20), [this] { return pin_; });
    }

private:
    std::map<std::uint64_t, ZeroedMemory> blocks_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool pin_ = false;
    unsigned pin_changes_ = 0;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> messages_;
};

/// MI commands by their bits: opcode in 28:23, length minus 2 below.
/// Sources: SNB PRM volume 1 part 3; G45 PRM volume 1a.
namespace mi {
inline constexpr std::uint32_t noop = 0;
inline constexpr std::uint32_t user_interrupt = 0x02U << 23U;
inline constexpr std::uint32_t batch_end = 0x0aU << 23U;
inline constexpr std::uint32_t store_index = 0x21U << 23U | 1U;
inline constexpr std::uint32_t load_register = 0x22U << 23U | 1U;
inline constexpr std::uint32_t store_register = 0x24U << 23U | 1U;
inline constexpr std::uint32_t batch_start = 0x31U << 23U;
inline constexpr std::uint32_t virtual_address = 2U << 6U; ///< of batch_start up to gen5
inline constexpr std::uint32_t own_space = 1U << 8U;       ///< of batch_start from gen6 on
inline constexpr std::uint32_t global = 1U << 22U;         ///< of stores
} // namespace mi

/// Where the engines and their interrupts are; from the PRMs, not from the model's tables.
struct BoardLayout {
    std::string_view chip;
    std::uint32_t ring; ///< base of the engine that blits
    std::uint32_t status_page;
    std::uint32_t mask;
    std::uint32_t identity;
    std::uint32_t enable;
    std::uint32_t user_bit;
    unsigned table_bar;
    std::uint64_t table_offset;
    std::uint32_t active_head;
    std::uint32_t header;
};
inline constexpr BoardLayout g33_layout{"g33", 0x2000, 0x2080, 0x20a8, 0x20a4, 0x20a0,
                                        2,     3,      0,      0x20c8, 0x208c};
inline constexpr BoardLayout snb_layout{"snb",    0x22000, 0x24080,  0x44014, 0x44018, 0x4401c,
                                        1U << 22, 0,       0x200000, 0x22074, 0x22068};

/// The settings of a test that wants no surprises in time.
inline Settings immediate() {
    Settings settings;
    settings.timing = Timing::immediate;
    return settings;
}

class Board {
public:
    explicit Board(const BoardLayout& which, const Settings& settings = immediate())
        : layout(which), gpu(make_gpu(which.chip, machine, settings)) {}

    // Global addresses, each of them a page or more mapped to the same physical address.
    static constexpr std::uint32_t ring_at = 0x100000;
    static constexpr std::uint32_t ring_bytes = 0x1000;
    static constexpr std::uint32_t status_at = 0x110000;
    static constexpr std::uint32_t batch_at = 0x120000;
    static constexpr std::uint32_t data_at = 0x200000; ///< 1 MiB
    static constexpr std::uint32_t unmapped = 0x800000;

    void write(std::uint64_t offset, std::uint32_t value) { gpu->write_bar(0, offset, value, 4); }
    [[nodiscard]] std::uint32_t read(std::uint64_t offset) {
        return static_cast<std::uint32_t>(gpu->read_bar(0, offset, 4));
    }
    void set_entry(std::uint64_t index, std::uint32_t entry) {
        gpu->write_bar(layout.table_bar, layout.table_offset + 4 * index, entry, 4);
    }
    void map(std::uint32_t address, std::uint32_t bytes) {
        for (std::uint32_t page = address; page < address + bytes; page += 0x1000) {
            set_entry(page >> 12U, page | 1U);
        }
    }

    void put(std::uint64_t physical, const std::vector<std::uint32_t>& dwords) {
        std::memcpy(machine.memory(physical).data(), dwords.data(), 4 * dwords.size());
    }
    [[nodiscard]] std::uint32_t dword(std::uint64_t physical) {
        std::uint32_t value = 0;
        std::memcpy(&value, machine.memory(physical).data(), sizeof value);
        return value;
    }

    /// Page table, status page and an enabled, empty ring, as a driver leaves them.
    void start() {
        for (const std::uint32_t page : {ring_at, status_at, batch_at}) {
            map(page, 0x1000);
        }
        map(data_at, 1U << 20U);
        start_ring();
    }
    void start_ring() {
        tail = 0;
        write(layout.status_page, status_at);
        write(layout.ring + 0x38, ring_at);
        write(layout.ring + 0x34, 0);
        write(layout.ring + 0x30, 0);
        write(layout.ring + 0x3c, 1); // 4 KiB, enabled
    }
    /// Lets the user interrupt through.
    void enable_interrupt() {
        if (layout.chip == "snb") {
            write(layout.ring + 0xa8, ~layout.user_bit);
            write(0x4400c, 1U << 31U);
        }
        write(layout.mask, ~layout.user_bit);
        write(layout.enable, layout.user_bit);
    }

    /// Writes dwords (an even number) into the ring behind the tail, without moving that.
    void emit(const std::vector<std::uint32_t>& dwords) {
        for (const std::uint32_t value : dwords) {
            put(ring_at + tail, {value});
            tail = (tail + 4) % ring_bytes;
        }
    }
    void submit(const std::vector<std::uint32_t>& dwords = {}) {
        emit(dwords);
        write(layout.ring + 0x30, tail);
    }
    [[nodiscard]] std::uint32_t head() { return read(layout.ring + 0x34); }
    /// Waits for the engine's thread; false after too long.
    [[nodiscard]] bool drained() {
        for (int i = 0; i < 20000; ++i) {
            if (head() == tail) {
                return true;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return false;
    }
    /// The command that runs BATCH_AT as a user batch in the global space.
    [[nodiscard]] std::vector<std::uint32_t> call_batch() const {
        return layout.chip == "g33"
                   ? std::vector{mi::batch_start | mi::virtual_address, batch_at | 1U}
                   : std::vector{mi::batch_start | mi::own_space, batch_at};
    }
    /// The kernel resets the whole GPU.
    void reset_gpu() {
        if (layout.chip == "g33") {
            gpu->write_config(0xc0, 1, 1);
        } else {
            write(0x941c, 1);
        }
    }

    const BoardLayout& layout;
    TestMachine machine;
    std::unique_ptr<Gpu> gpu;
    std::uint32_t tail = 0;
};

inline void PrintTo(const BoardLayout* layout, std::ostream* stream) {
    *stream << layout->chip;
}

} // namespace gem_upload::model::pci
