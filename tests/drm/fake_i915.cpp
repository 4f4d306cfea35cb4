// What depmod reads of a kernel module, for a tree of modules that no kernel ever loads.
__attribute__((section(".modinfo"), used)) static const char gm45_alias[] =
    "alias=pci:v00008086d00002A42sv*sd*bc03sc*i*";
__attribute__((section(".modinfo"), used)) static const char tgl_alias[] =
    "alias=pci:v00008086d00009A49sv*sd*bc03sc*i*";
