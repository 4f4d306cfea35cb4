// The global page table, and the page tables of processes: gen6's, and gen8's.
#pragma once

#include "model/gpu.h"
#include "model/pci/function.h"
#include "model/pci/profile.h"
#include "model/pci/registers.h"
#include "model/pci/zeroed_memory.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace gem_upload::model::pci {

inline constexpr std::uint64_t page_bytes = 4096;

/// GGTT: the table that the kernel writes through a BAR, and memory as it maps it.
class GlobalPageTable final : public AddressSpace {
public:
    GlobalPageTable(std::uint64_t entries, const EntryFormat& format, Machine& machine);

    [[nodiscard]] std::variant<Span, Fault> translate(Engine engine, std::uint64_t address,
                                                      Access access) override;

    void reset();
    /// The table as the kernel sees it: BYTES is 1, 2, 4 or 8; beyond its end there is nothing.
    [[nodiscard]] std::uint64_t read(std::uint64_t offset, unsigned bytes) const;
    void write(std::uint64_t offset, std::uint64_t value, unsigned bytes);

    /// The entry with that number, 0 (not valid) beyond the end.
    [[nodiscard]] std::uint64_t entry(std::uint64_t index) const;
    /// The memory behind a valid ENTRY from ADDRESS on to the page's end; ADDRESS for the words.
    [[nodiscard]] std::variant<Span, Fault> page(std::uint64_t entry, std::uint64_t address,
                                                 Access access) const;

private:
    ZeroedMemory bytes_;
    EntryFormat format_;
    Machine& machine_;
};

/// Gen6's page table of a process: 512 entries of a directory that lies within the global table,
/// each naming a page of 1024 entries. Where it is not enabled, the global space.
/// Source: kernel gt/gen6_ppgtt.c; SNB PRM volume 1 part 3.
class ProcessPageTable final : public AddressSpace {
public:
    ProcessPageTable(const RegisterFile& registers, const EngineProfile& engine, RegisterBit enable,
                     GlobalPageTable& global)
        : registers_(registers), engine_(engine), enable_(enable), global_(global) {}

    [[nodiscard]] std::variant<Span, Fault> translate(Engine engine, std::uint64_t address,
                                                      Access access) override;

private:
    const RegisterFile& registers_;
    const EngineProfile& engine_;
    RegisterBit enable_;
    GlobalPageTable& global_;
};

/// Gen8's page tables of a process: four levels of 512 entries of 64 bits, or three with the four
/// entries of the uppermost in the context; pages of 4 KiB, 64 KiB and 2 MiB.
/// Source: kernel gt/gen8_ppgtt.c, gt/intel_gtt.h; BDW PRM volume 5, "Per-Process GTT".
class WidePageTable final : public AddressSpace {
public:
    explicit WidePageTable(Machine& machine) : machine_(machine) {}

    /// What a context brings: the table of 512 GiB, or 4 tables of 1 GiB.
    struct Roots {
        bool four_levels = false;
        std::array<std::uint64_t, 4> pointers{};
    };
    void set_roots(const Roots& roots) { roots_ = roots; }

    [[nodiscard]] std::variant<Span, Fault> translate(Engine engine, std::uint64_t address,
                                                      Access access) override;

private:
    /// The entry of the table at POINTER for an address, Fault if it is not valid.
    [[nodiscard]] std::variant<std::uint64_t, Fault> entry(std::uint64_t pointer, unsigned level,
                                                           std::uint64_t address, Access access);
    [[nodiscard]] std::variant<Span, Fault> page(std::uint64_t entry, std::uint64_t bytes,
                                                 std::uint64_t address, Access access);

    Machine& machine_;
    Roots roots_;
    std::array<std::byte, page_bytes> dropped_{}; ///< where writes to read-only pages go
};

} // namespace gem_upload::model::pci
