// Where the modelled GPU sits in QEMU's q35 machine.
#pragma once

namespace gem_upload::vm {

/// Slot 2, as in every Intel machine since the i830.
inline constexpr const char* gpu_slot = "02.0";
/// INTA of slot 2 is PIRQG, which is input 22 of the I/O APIC (hw/i386/acpi-build.c,
/// build_q35_pci).
inline constexpr unsigned gpu_interrupt_input = 22;

} // namespace gem_upload::vm
