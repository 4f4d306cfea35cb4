// The subcommands of gem-upload: one file and one line of the table in gem-upload.cpp each.
#pragma once

namespace gem_upload::tools {

struct Subcommand {
    const char* name;
    const char* summary;
    /// argv[0] is "gem-upload NAME"; throws Error; returns the exit status.
    int (*run)(int argc, char** argv);
};

int devices_main(int argc, char** argv);
int run_main(int argc, char** argv);
int compare_main(int argc, char** argv);
int model_main(int argc, char** argv);
int vm_main(int argc, char** argv);

} // namespace gem_upload::tools
