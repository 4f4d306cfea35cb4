#include "model/pci/page_table.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace gem_upload::model::pci {
namespace {

constexpr std::uint64_t entry_valid = 1;
constexpr std::uint64_t wide_address_bits = 0xfffffffff000; ///< 47:12

std::string_view verb(Access access) {
    return access == Access::write ? "writes" : "reads";
}

/// Up to BYTES of memory at PHYSICAL; the rest is for the words.
std::variant<Span, Fault> memory_behind(Machine& machine, std::uint64_t entry,
                                        std::uint64_t physical, std::uint64_t bytes,
                                        std::uint64_t address, Access access) {
    const Span memory = machine.memory(physical);
    if (memory.empty()) {
        return Fault{fmt::format("the GPU {} address {:#x}, whose page table entry {:#x} leads to "
                                 "{:#x}, where the machine has no memory",
                                 verb(access), address, entry, physical)};
    }
    return memory.first(std::min<std::size_t>(memory.size(), bytes));
}

} // namespace

GlobalPageTable::GlobalPageTable(std::uint64_t entries, const EntryFormat& format, Machine& machine)
    : bytes_(entries * format.bytes), format_(format), machine_(machine) {}

void GlobalPageTable::reset() {
    bytes_.clear();
}

std::uint64_t GlobalPageTable::read(std::uint64_t offset, unsigned bytes) const {
    std::uint64_t value = 0;
    if (offset < bytes_.size() && bytes_.size() - offset >= bytes) {
        std::memcpy(&value, bytes_.data() + offset, bytes);
    }
    return value;
}

void GlobalPageTable::write(std::uint64_t offset, std::uint64_t value, unsigned bytes) {
    if (offset < bytes_.size() && bytes_.size() - offset >= bytes) {
        std::memcpy(bytes_.data() + offset, &value, bytes);
    }
}

std::uint64_t GlobalPageTable::entry(std::uint64_t index) const {
    return read(index * format_.bytes, format_.bytes);
}

std::variant<Span, Fault> GlobalPageTable::translate(Engine /*engine*/, std::uint64_t address,
                                                     Access access) {
    const std::uint64_t index = address / page_bytes;
    const std::uint64_t entries = bytes_.size() / format_.bytes;
    if (index >= entries) {
        return Fault{fmt::format("the GPU {} global address {:#x}, beyond the page table's {} MiB",
                                 verb(access), address, entries * page_bytes >> 20U)};
    }
    if ((entry(index) & entry_valid) == 0) {
        return Fault{fmt::format("the GPU {} global address {:#x}, whose page table entry {:#x} is "
                                 "not valid",
                                 verb(access), address, entry(index))};
    }
    return page(entry(index), address, access);
}

std::variant<Span, Fault> GlobalPageTable::page(std::uint64_t entry, std::uint64_t address,
                                                Access access) const {
    const std::uint64_t within = address % page_bytes;
    return memory_behind(machine_, entry, format_.address(entry) + within, page_bytes - within,
                         address, access);
}

std::variant<Span, Fault> ProcessPageTable::translate(Engine engine, std::uint64_t address,
                                                      Access access) {
    constexpr std::uint32_t directory_base = 0x228; ///< PP_DIR_BASE
    constexpr unsigned directory_shift = 22;
    constexpr std::uint64_t directory_entries = 512;
    constexpr std::uint64_t table_entries = 1024;
    if ((registers_.at(enable_.offset) & enable_.bit) == 0) {
        return global_.translate(engine, address, access);
    }
    const auto not_mapped = [&](std::string_view level, std::uint64_t entry) {
        return Fault{fmt::format("the GPU {} process address {:#x}, whose {} entry {:#x} is not "
                                 "valid",
                                 verb(access), address, level, entry)};
    };
    const std::uint64_t number = address >> directory_shift;
    // The register counts cache lines of the table, in its high half.
    const std::uint64_t first =
        (registers_.at(engine_.base + directory_base) >> 10U) / sizeof(std::uint32_t);
    const std::uint64_t directory = number < directory_entries ? global_.entry(first + number) : 0;
    if ((directory & entry_valid) == 0) {
        return not_mapped("page directory", directory);
    }
    const std::uint64_t offset = address / page_bytes % table_entries * sizeof(std::uint32_t);
    const auto table = global_.page(directory, offset, Access::read);
    if (const auto* fault = std::get_if<Fault>(&table)) {
        return *fault;
    }
    std::uint32_t entry = 0;
    std::memcpy(&entry, std::get<Span>(table).data(), sizeof entry);
    if ((entry & entry_valid) == 0) {
        return not_mapped("page table", entry);
    }
    return global_.page(entry, address, access);
}

std::variant<std::uint64_t, Fault> WidePageTable::entry(std::uint64_t pointer, unsigned level,
                                                        std::uint64_t address, Access access) {
    constexpr std::uint64_t entries = 512;
    const unsigned shift = 12 + 9 * level;
    const std::uint64_t offset = (address >> shift) % entries * sizeof(std::uint64_t);
    const auto table = memory_behind(machine_, pointer, (pointer & wide_address_bits) + offset,
                                     sizeof(std::uint64_t), address, Access::read);
    if (const auto* fault = std::get_if<Fault>(&table)) {
        return *fault;
    }
    std::uint64_t found = 0;
    std::memcpy(&found, std::get<Span>(table).data(), std::get<Span>(table).size());
    if ((found & entry_valid) == 0) {
        return Fault{fmt::format("the GPU {} process address {:#x}, whose level {} page table "
                                 "entry {:#x} is not valid",
                                 verb(access), address, level + 1, found)};
    }
    return found;
}

std::variant<Span, Fault> WidePageTable::page(std::uint64_t entry, std::uint64_t bytes,
                                              std::uint64_t address, Access access) {
    constexpr std::uint64_t writable = 1U << 1U;
    const std::uint64_t within = address % bytes;
    if (access == Access::write && (entry & writable) == 0) {
        return Span(dropped_).first(
            std::min<std::uint64_t>(bytes - within, page_bytes - address % page_bytes));
    }
    const std::uint64_t base = entry & wide_address_bits & ~(bytes - 1);
    return memory_behind(machine_, entry, base + within, bytes - within, address, access);
}

std::variant<Span, Fault> WidePageTable::translate(Engine /*engine*/, std::uint64_t address,
                                                   Access access) {
    constexpr std::uint64_t large = 1U << 7U;   ///< a directory's entry: 2 MiB
    constexpr std::uint64_t medium = 1U << 11U; ///< a directory's entry: its table has 64 KiB pages
    constexpr std::uint64_t kib64 = std::uint64_t{64} << 10U;
    constexpr std::uint64_t mib2 = std::uint64_t{2} << 20U;
    const unsigned address_bits = roots_.four_levels ? 48 : 32;
    if (address >> address_bits != 0) {
        return Fault{fmt::format("the GPU {} process address {:#x}, beyond the {} bits of the "
                                 "context's address space",
                                 verb(access), address, address_bits)};
    }
    std::uint64_t held = roots_.pointers.at(roots_.four_levels ? 0 : address >> 30U);
    for (unsigned level = roots_.four_levels ? 3 : 1;; --level) {
        const bool in_table = level == 0;
        const bool in_medium_table = in_table && (held & medium) != 0;
        // A table of 64 KiB pages uses every 16th entry.
        const std::uint64_t place = in_medium_table ? address & ~(kib64 - 1) : address;
        const auto found = entry(held, level, place, access);
        if (const auto* fault = std::get_if<Fault>(&found)) {
            return *fault;
        }
        held = std::get<std::uint64_t>(found);
        if (in_table) {
            return page(held, in_medium_table ? kib64 : page_bytes, address, access);
        }
        if (level == 1 && (held & large) != 0) {
            return page(held, mib2, address, access);
        }
    }
}

} // namespace gem_upload::model::pci
