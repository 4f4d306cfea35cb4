#include "vm/qemu_command.h"

#include "vm/placement.h"

#include <fmt/format.h>

namespace gem_upload::vm {
namespace {

/// In QEMU's options a comma ends a value, and two are one that does not.
std::string escaped(const std::string& value) {
    std::string text;
    for (const char character : value) {
        text += character == ',' ? ",," : std::string(1, character);
    }
    return text;
}

class Arguments {
public:
    explicit Arguments(const std::string& program) : words_{program} {}

    void add(const std::string& option) { words_.push_back(option); }
    void add(const std::string& option, const std::string& value) {
        words_.push_back(option);
        words_.push_back(value);
    }
    void add_socket(const std::string& name, int fd) {
        add("-chardev", fmt::format("socket,id={},fd={}", name, fd));
    }
    [[nodiscard]] std::vector<std::string> take() { return std::move(words_); }

private:
    std::vector<std::string> words_;
};

void add_machine(Arguments& arguments, const Machine& machine) {
    // With KVM the interrupt controllers stay QEMU's own, which qtest reaches.
    arguments.add("-machine", machine.kvm ? "q35,memory-backend=mem,kernel-irqchip=off"
                                          : "q35,memory-backend=mem");
    // Shared, so that the device process can map it.
    arguments.add("-object",
                  fmt::format("memory-backend-memfd,id=mem,size={}M,share=on", machine.memory_mib));
    arguments.add("-m", fmt::format("{}M", machine.memory_mib));
    arguments.add("-accel", machine.kvm ? "kvm" : "tcg,thread=multi");
    arguments.add("-cpu", machine.kvm ? "host" : "qemu64");
    arguments.add("-smp", "1");
    for (const char* option : {"-nodefaults", "-no-user-config", "-no-reboot", "-S"}) {
        arguments.add(option);
    }
    arguments.add("-display", "none");
}

void add_channels(Arguments& arguments, const QemuDescriptors& descriptors) {
    arguments.add_socket("qmp", descriptors.qmp);
    arguments.add("-mon", "chardev=qmp,mode=control");
    const struct {
        const char* name;
        int fd;
    } channels[] = {{"console", descriptors.console},
                    {"output", descriptors.output},
                    {"errors", descriptors.errors},
                    {"control", descriptors.control}};
    for (const auto& channel : channels) {
        arguments.add_socket(channel.name, channel.fd);
        arguments.add("-serial", fmt::format("chardev:{}", channel.name));
    }
    if (descriptors.qtest) {
        // 7.2 looks for a character device of this very name.
        arguments.add_socket("qtest", *descriptors.qtest);
        arguments.add("-qtest", "chardev:qtest");
        arguments.add("-qtest-log", "none");
    }
}

void add_devices(Arguments& arguments, const Machine& machine) {
    arguments.add("-device", fmt::format("isa-debug-exit,iobase={:#x},iosize=2", end_port));
    if (machine.descriptors.gpu) {
        arguments.add("-device", fmt::format("x-pci-proxy-dev,id=gpu,addr={},fd={}", gpu_slot,
                                             *machine.descriptors.gpu));
    }
    for (const std::string& device : machine.devices) {
        arguments.add("-device", device);
    }
    if (!machine.share.empty()) {
        arguments.add("-fsdev", fmt::format("local,id=share,security_model=none,path={}",
                                            escaped(machine.share)));
        arguments.add("-device", "virtio-9p-pci,fsdev=share,mount_tag=share,addr=08.0");
    }
}

} // namespace

std::vector<std::string> qemu_command(const std::string& program, const Machine& machine) {
    Arguments arguments(program);
    add_machine(arguments, machine);
    arguments.add("-kernel", machine.kernel);
    arguments.add("-initrd", machine.initramfs);
    arguments.add("-append", machine.command_line);
    add_channels(arguments, machine.descriptors);
    add_devices(arguments, machine);
    return arguments.take();
}

std::string kernel_command_line(const std::string& further) {
    // panic=-1: reboot at once, which -no-reboot turns into QEMU's end. All levels go to the
    // console, for a warning is what is looked for. On a busy machine an emulated CPU stands still
    // for longer than the lockup detector's 10 s, and longer than the check that the timer ticks.
    const std::string ours = "console=ttyS0 loglevel=7 panic=-1 mitigations=off tsc=reliable "
                             "no_timer_check 8250.nr_uarts=4 watchdog_thresh=60";
    return further.empty() ? ours : ours + " " + further;
}

} // namespace gem_upload::vm
