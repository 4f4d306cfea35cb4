#include "model/pci/registers.h"

#include "model/pci/profile.h"

#include <fmt/format.h>

namespace gem_upload::model::pci {

RegisterFile::RegisterFile(const Profile& profile)
    : held_(profile.register_bytes / 4), fuses_(profile.fuses) {
    for (const RegisterTable table : profile.registers) {
        for (const Register& row : table) {
            add(row, 0, 0, std::nullopt);
        }
    }
    for (std::size_t i = 0; i < profile.engines.size(); ++i) {
        for (const RegisterTable table : profile.engine_registers) {
            for (const Register& row : table) {
                add(row, profile.engines[i].base, i, profile.engines[i].name);
            }
        }
    }
    reset();
}

void RegisterFile::add(const Register& row, std::uint32_t base, std::size_t engine,
                       std::optional<std::string_view> engine_name) {
    for (std::uint32_t i = 0; i < row.count; ++i) {
        const std::uint32_t offset = base + row.offset + 4 * i;
        const std::string name =
            row.count == 1 ? std::string(row.name) : fmt::format("{}[{}]", row.name, i);
        known_.insert({offset,
                       {&row,
                        {offset, engine},
                        engine_name ? fmt::format("{} {}", *engine_name, name) : name,
                        engine_name.has_value()}});
    }
}

const RegisterFile::Known* RegisterFile::find(std::uint32_t offset) const {
    const auto found = known_.find(offset);
    return found == known_.end() ? nullptr : &found->second;
}

std::string RegisterFile::name(std::uint32_t offset) const {
    const auto above = known_.upper_bound(offset);
    if (above == known_.begin()) {
        return fmt::format("before {}", above->second.name);
    }
    const auto& [below, known] = *std::prev(above);
    return below == offset ? known.name : fmt::format("{} + {:#x}", known.name, offset - below);
}

void RegisterFile::write(const Known* known, std::uint32_t offset, std::uint32_t value) {
    std::uint32_t& held = at(offset);
    const std::uint32_t bits = known == nullptr ? 0 : known->row->bits;
    switch (known == nullptr ? Rule::storage : known->row->rule) {
    case Rule::storage:
        held = value;
        return;
    case Rule::read_only:
        return;
    case Rule::masked: {
        const std::uint32_t mask = value >> 16U;
        held = ((held & ~mask) | (value & mask)) & 0xffffU & ~bits;
        return;
    }
    case Rule::clear_by_one:
        held = (held & bits & ~value) | (value & ~bits);
        return;
    case Rule::self_clearing:
        held = value & ~bits;
        return;
    }
}

void RegisterFile::reset() {
    held_.assign(held_.size(), 0);
    for (const auto& [offset, known] : known_) {
        at(offset) = known.row->reset;
    }
    for (const Fuse& fuse : fuses_) {
        at(fuse.offset) = fuse.value;
    }
}

void RegisterFile::reset_engine(std::size_t engine) {
    for (const auto& [offset, known] : known_) {
        if (known.of_engine && known.place.engine == engine &&
            known.row->on_reset != OnReset::kept) {
            at(offset) = known.row->reset;
        }
    }
}

void RegisterFile::reset_common() {
    for (const auto& [offset, known] : known_) {
        if (!known.of_engine && known.row->on_reset == OnReset::lost) {
            at(offset) = known.row->reset;
        }
    }
}

} // namespace gem_upload::model::pci
