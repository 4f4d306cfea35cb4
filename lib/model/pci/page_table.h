// The global page table, and gen6's page tables of processes.
#pragma once

#include "model/gpu.h"
#include "model/pci/function.h"
#include "model/pci/profile.h"
#include "model/pci/registers.h"

#include <cstdint>
#include <vector>

namespace gem_upload::model::pci {

inline constexpr std::uint64_t page_bytes = 4096;

/// GGTT: the table that the kernel writes through a BAR, and memory as it maps it.
class GlobalPageTable final : public AddressSpace {
public:
    /// BYTES of 32-bit entries.
    GlobalPageTable(std::uint32_t bytes, EntryAddress entry_address, Machine& machine);

    [[nodiscard]] std::variant<Span, Fault> translate(Engine engine, std::uint64_t address,
                                                      Access access) override;

    void reset();
    /// The table as the kernel sees it: BYTES is 1, 2, 4 or 8; beyond its end there is nothing.
    [[nodiscard]] std::uint64_t read(std::uint64_t offset, unsigned bytes) const;
    void write(std::uint64_t offset, std::uint64_t value, unsigned bytes);

    /// The entry with that number, 0 (not valid) beyond the end.
    [[nodiscard]] std::uint32_t entry(std::uint64_t index) const;
    /// The memory behind a valid ENTRY from ADDRESS on to the page's end; ADDRESS for the words.
    [[nodiscard]] std::variant<Span, Fault> page(std::uint32_t entry, std::uint64_t address,
                                                 Access access) const;

private:
    std::vector<std::uint32_t> entries_;
    EntryAddress entry_address_;
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

} // namespace gem_upload::model::pci
