#include "model/pci/device.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace gem_upload::model::pci {
namespace {

constexpr std::uint32_t every_bit = 0xffffffff;

} // namespace

Device::Device(const Profile& profile, const ChipModel& chip, Machine& machine,
               const Settings& settings)
    : profile_(profile),
      chip_(chip),
      journal_(settings),
      registers_(profile),
      config_(profile, chip, settings.stolen_base),
      page_table_(chip.ggtt_bytes / page_bytes, profile.global_entry, machine),
      fences_(chip),
      interrupts_(profile, registers_, config_, machine, journal_),
      scheduler_(lock_, settings, profile.engines.size(), [this](std::size_t index) {
          EngineUnit& unit = engine(index);
          return unit.runnable() ? std::optional(unit.run()) : std::nullopt;
      }) {
    const Engine blitter = chip.blt_ring ? Engine::blt : Engine::render;
    for (const EngineProfile& engine : profile.engines) {
        engines_.push_back(std::make_unique<EngineUnit>(
            *this, engine, machine, engine.engine == blitter ? settings.hang_at : 0));
    }
    load_swizzling();
}

std::uint32_t Device::read_config(std::uint32_t offset, unsigned bytes) {
    const std::lock_guard guard(lock_);
    const std::uint32_t value = config_.read(offset, bytes);
    trace_access("read", "config", offset, value);
    return value;
}

void Device::write_config(std::uint32_t offset, std::uint32_t value, unsigned bytes) {
    const std::lock_guard guard(lock_);
    trace_access("write", "config", offset, value);
    config_.write(offset, value, bytes);
    const std::uint32_t reset = profile_.config_reset;
    if (reset != 0 && (config_.read(reset, 1) & 1U) != 0) {
        config_.write(reset, config_.read(reset, 1) & ~1U, 1);
        reset_engines(every_bit);
    }
    interrupts_.update();
}

std::uint64_t Device::bar_bytes(unsigned bar) const {
    return bar < profile_.bars.size() ? profile_.bars.at(bar).bytes : 0;
}

std::uint64_t Device::read_bar(unsigned bar, std::uint64_t offset, unsigned bytes) {
    const std::lock_guard guard(lock_);
    const std::uint64_t value = answer(bar, offset, bytes);
    return bytes < sizeof value ? value & ((std::uint64_t{1} << 8 * bytes) - 1) : value;
}

std::uint64_t Device::answer(unsigned bar, std::uint64_t offset, unsigned bytes) {
    std::uint64_t value = ~std::uint64_t{0}; // what nobody answers
    switch (bar < profile_.bars.size() ? profile_.bars.at(bar).kind : BarKind::none) {
    case BarKind::registers:
        return offset < profile_.register_bytes
                   ? read_registers(offset, bytes)
                   : page_table_.read(offset - profile_.register_bytes, bytes);
    case BarKind::page_table:
        return page_table_.read(offset, bytes);
    case BarKind::aperture:
        access_aperture(offset, std::as_writable_bytes(std::span(&value, 1)).first(bytes),
                        Access::read);
        break;
    case BarKind::ports:
        trace_access("read", "I/O port", offset, 0);
        break;
    case BarKind::none:
        break;
    }
    return value;
}

void Device::write_bar(unsigned bar, std::uint64_t offset, std::uint64_t value, unsigned bytes) {
    const std::lock_guard guard(lock_);
    switch (bar < profile_.bars.size() ? profile_.bars.at(bar).kind : BarKind::none) {
    case BarKind::registers:
        if (offset < profile_.register_bytes) {
            write_registers(offset, value, bytes);
        } else {
            page_table_.write(offset - profile_.register_bytes, value, bytes);
        }
        break;
    case BarKind::page_table:
        page_table_.write(offset, value, bytes);
        break;
    case BarKind::aperture:
        access_aperture(offset, std::as_writable_bytes(std::span(&value, 1)).first(bytes),
                        Access::write);
        break;
    case BarKind::ports:
        trace_access("write", "I/O port", offset, value);
        break;
    case BarKind::none:
        break;
    }
}

std::uint64_t Device::read_registers(std::uint64_t offset, unsigned bytes) {
    const auto dword = static_cast<std::uint32_t>(offset & ~std::uint64_t{3});
    std::uint64_t value = read_register(dword);
    if (bytes == 8 && dword + 4 < profile_.register_bytes) {
        value |= std::uint64_t{read_register(dword + 4)} << 32U;
    }
    return value >> 8 * (offset - dword);
}

void Device::write_registers(std::uint64_t offset, std::uint64_t value, unsigned bytes) {
    const auto dword = static_cast<std::uint32_t>(offset & ~std::uint64_t{3});
    const unsigned shift = 8 * static_cast<unsigned>(offset - dword);
    if (bytes == 8) {
        write_register(dword, static_cast<std::uint32_t>(value));
        if (dword + 4 < profile_.register_bytes) {
            write_register(dword + 4, static_cast<std::uint32_t>(value >> 32U));
        }
        return;
    }
    const std::uint32_t mask = (bytes == 4 ? every_bit : (1U << 8 * bytes) - 1) << shift;
    const std::uint32_t part = static_cast<std::uint32_t>(value << shift) & mask;
    const RegisterFile::Known* known = registers_.find(dword);
    const bool clears = known != nullptr && known->row->rule == Rule::clear_by_one;
    write_register(dword, clears ? part : (registers_.at(dword) & ~mask) | part);
}

std::uint32_t Device::read_register(std::uint32_t offset) {
    const RegisterFile::Known* known = registers_.find(offset);
    std::uint32_t value = registers_.at(offset);
    if (known == nullptr) {
        journal_.unknown_register(offset, registers_.name(offset), false);
    } else if (known->row->reading != nullptr) {
        value = known->row->reading(*this, known->place, value);
    }
    if (journal_.traces()) {
        trace_access("read", registers_.name(offset), offset, value);
    }
    return value;
}

void Device::write_register(std::uint32_t offset, std::uint32_t value) {
    const RegisterFile::Known* known = registers_.find(offset);
    if (journal_.traces()) {
        trace_access("write", registers_.name(offset), offset, value);
    }
    registers_.write(known, offset, value);
    if (known == nullptr) {
        journal_.unknown_register(offset, registers_.name(offset), true);
    } else if (known->row->written != nullptr) {
        known->row->written(*this, known->place, value);
    }
}

void Device::access_aperture(std::uint64_t offset, Span bytes, Access access) {
    while (!bytes.empty()) {
        const model::Place at = fences_.detile(offset);
        const auto found = page_table_.translate(Engine::render, at.offset, access);
        if (const auto* fault = std::get_if<Fault>(&found)) {
            journal_.fault({fmt::format("through the aperture: {}", fault->what)});
            return;
        }
        const Span memory = std::get<Span>(found);
        const std::size_t run =
            std::min({bytes.size(), memory.size(), static_cast<std::size_t>(at.contiguous)});
        if (access == Access::write) {
            std::memcpy(memory.data(), bytes.data(), run);
        } else {
            std::memcpy(bytes.data(), memory.data(), run);
        }
        bytes = bytes.subspan(run);
        offset += run;
    }
}

void Device::reset_engines(std::uint32_t bits) {
    const bool whole = std::all_of(engines_.begin(), engines_.end(), [bits](const auto& unit) {
        return (unit->profile().reset_bits & bits) != 0;
    });
    for (std::size_t i = 0; i < engines_.size(); ++i) {
        if ((engines_[i]->profile().reset_bits & bits) != 0) {
            registers_.reset_engine(i);
            engines_[i]->reset();
            engines_[i]->count_reset();
        }
    }
    if (whole) {
        registers_.reset_common();
        journal_.count_reset();
        load_fences();
        interrupts_.update();
    }
}

void Device::load_fences() {
    for (unsigned i = 0; i < fences_.count(); ++i) {
        const auto fence = profile_.fence(registers_, i);
        const auto fault = fence ? fences_.set(i, *fence) : std::nullopt;
        if (!fence || fault) {
            fences_.clear(i);
        }
        if (fault) {
            journal_.fault(*fault);
        }
    }
}

bool Device::switched_on(const RegisterBit& bit) const {
    return bit.offset == 0 || (registers_.at(bit.offset) & bit.bit) != 0;
}

void Device::load_swizzling() {
    fences_.set_swizzling(switched_on(profile_.fenced_swizzling),
                          switched_on(profile_.blitted_swizzling));
}

void Device::reset() {
    const std::lock_guard guard(lock_);
    config_.reset();
    registers_.reset();
    page_table_.reset();
    for (const auto& unit : engines_) {
        unit->reset();
    }
    interrupts_.reset();
    load_fences();
    load_swizzling();
}

void Device::pause() {
    const std::lock_guard guard(lock_);
    scheduler_.pause();
}

void Device::resume() {
    const std::lock_guard guard(lock_);
    scheduler_.resume();
}

Report Device::report() const {
    const std::lock_guard guard(lock_);
    Report report = journal_.report();
    for (const auto& unit : engines_) {
        report.engines.push_back(unit->report());
    }
    return report;
}

void Device::trace_access(std::string_view what, const std::string& name, std::uint64_t offset,
                          std::uint64_t value) const {
    if (journal_.traces()) {
        journal_.trace(fmt::format("{} {:#x} {} = {:#x}", what, offset, name, value));
    }
}

} // namespace gem_upload::model::pci
