#include "model/pci/page_table.h"

#include <cstring>
#include <fmt/format.h>

namespace gem_upload::model::pci {
namespace {

constexpr std::uint32_t valid = 1;

std::string_view verb(Access access) {
    return access == Access::write ? "writes" : "reads";
}

} // namespace

GlobalPageTable::GlobalPageTable(std::uint32_t bytes, EntryAddress entry_address, Machine& machine)
    : entries_(bytes / sizeof(std::uint32_t)), entry_address_(entry_address), machine_(machine) {}

void GlobalPageTable::reset() {
    entries_.assign(entries_.size(), 0);
}

std::uint64_t GlobalPageTable::read(std::uint64_t offset, unsigned bytes) const {
    std::uint64_t value = 0;
    const auto all = std::as_bytes(std::span(entries_));
    if (offset < all.size() && all.size() - offset >= bytes) {
        std::memcpy(&value, all.data() + offset, bytes);
    }
    return value;
}

void GlobalPageTable::write(std::uint64_t offset, std::uint64_t value, unsigned bytes) {
    const auto all = std::as_writable_bytes(std::span(entries_));
    if (offset < all.size() && all.size() - offset >= bytes) {
        std::memcpy(all.data() + offset, &value, bytes);
    }
}

std::uint32_t GlobalPageTable::entry(std::uint64_t index) const {
    return index < entries_.size() ? entries_[index] : 0;
}

std::variant<Span, Fault> GlobalPageTable::translate(Engine /*engine*/, std::uint64_t address,
                                                     Access access) {
    const std::uint64_t index = address / page_bytes;
    if (index >= entries_.size()) {
        return Fault{fmt::format("the GPU {} global address {:#x}, beyond the page table's {} MiB",
                                 verb(access), address, entries_.size() * page_bytes >> 20U)};
    }
    if ((entries_[index] & valid) == 0) {
        return Fault{fmt::format("the GPU {} global address {:#x}, whose page table entry {:#x} is "
                                 "not valid",
                                 verb(access), address, entries_[index])};
    }
    return page(entries_[index], address, access);
}

std::variant<Span, Fault> GlobalPageTable::page(std::uint32_t entry, std::uint64_t address,
                                                Access access) const {
    const std::uint64_t within = address % page_bytes;
    const std::uint64_t physical = entry_address_(entry) + within;
    const Span memory = machine_.memory(physical);
    if (memory.empty()) {
        return Fault{fmt::format("the GPU {} address {:#x}, whose page table entry {:#x} leads to "
                                 "{:#x}, where the machine has no memory",
                                 verb(access), address, entry, physical)};
    }
    return memory.first(std::min<std::size_t>(memory.size(), page_bytes - within));
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
    const auto not_mapped = [&](std::string_view level, std::uint32_t entry) {
        return Fault{fmt::format("the GPU {} process address {:#x}, whose {} entry {:#x} is not "
                                 "valid",
                                 verb(access), address, level, entry)};
    };
    const std::uint64_t number = address >> directory_shift;
    // The register counts cache lines of the table, in its high half.
    const std::uint64_t first =
        (registers_.at(engine_.base + directory_base) >> 10U) / sizeof(std::uint32_t);
    const std::uint32_t directory = number < directory_entries ? global_.entry(first + number) : 0;
    if ((directory & valid) == 0) {
        return not_mapped("page directory", directory);
    }
    const std::uint64_t offset = address / page_bytes % table_entries * sizeof(std::uint32_t);
    const auto table = global_.page(directory, offset, Access::read);
    if (const auto* fault = std::get_if<Fault>(&table)) {
        return *fault;
    }
    std::uint32_t entry = 0;
    std::memcpy(&entry, std::get<Span>(table).data(), sizeof entry);
    if ((entry & valid) == 0) {
        return not_mapped("page table", entry);
    }
    return global_.page(entry, address, access);
}

} // namespace gem_upload::model::pci
