#include "model/pci/registers.h"

#include "model/pci/profile.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace gem_upload::model::pci {

RegisterFile::RegisterFile(const Profile& profile)
    : held_(profile.register_bytes), fuses_(profile.fuses) {
    for (const RegisterTable table : profile.registers) {
        for (const Register& row : table) {
            add(row, 0, 0, {});
        }
    }
    for (std::size_t i = 0; i < profile.engines.size(); ++i) {
        for (const RegisterTable table : profile.engine_registers) {
            for (const Register& row : table) {
                add(row, profile.engines[i].base, i, profile.engines[i].name);
            }
        }
    }
    // Of two rows for one register the first counts.
    std::stable_sort(known_.begin(), known_.end(), [](const Known& one, const Known& other) {
        return one.place.offset < other.place.offset;
    });
    const auto repeated =
        std::unique(known_.begin(), known_.end(), [](const Known& one, const Known& other) {
            return one.place.offset == other.place.offset;
        });
    known_.erase(repeated, known_.end());
    reset();
}

void RegisterFile::add(const Register& row, std::uint32_t base, std::size_t engine,
                       std::string_view engine_name) {
    for (std::uint32_t i = 0; i < row.count; ++i) {
        known_.push_back({&row, {base + row.offset + 4 * i, engine}, i, engine_name});
    }
}

std::vector<RegisterFile::Known>::const_iterator RegisterFile::from(std::uint32_t offset) const {
    return std::lower_bound(
        known_.begin(), known_.end(), offset,
        [](const Known& known, std::uint32_t wanted) { return known.place.offset < wanted; });
}

const RegisterFile::Known* RegisterFile::find(std::uint32_t offset) const {
    const auto found = from(offset);
    return found == known_.end() || found->place.offset != offset ? nullptr : &*found;
}

std::string RegisterFile::name(std::uint32_t offset) const {
    const auto above = from(offset + 1);
    if (above == known_.begin()) {
        return fmt::format("before {}", above->row->name);
    }
    const Known& below = *std::prev(above);
    std::string name(below.engine);
    name += below.engine.empty() ? "" : " ";
    name += below.row->name;
    if (below.row->count > 1) {
        name += fmt::format("[{}]", below.number);
    }
    const std::uint32_t distance = offset - below.place.offset;
    return distance == 0 ? name : fmt::format("{} + {:#x}", name, distance);
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
    held_.clear();
    for (const Known& known : known_) {
        at(known.place.offset) = known.row->reset;
    }
    for (const Fuse& fuse : fuses_) {
        at(fuse.offset) = fuse.value;
    }
}

void RegisterFile::reset_engine(std::size_t engine) {
    for (const Known& known : known_) {
        if (!known.engine.empty() && known.place.engine == engine &&
            known.row->on_reset != OnReset::kept) {
            at(known.place.offset) = known.row->reset;
        }
    }
}

void RegisterFile::reset_common() {
    for (const Known& known : known_) {
        if (known.engine.empty() && known.row->on_reset == OnReset::lost) {
            at(known.place.offset) = known.row->reset;
        }
    }
}

} // namespace gem_upload::model::pci
