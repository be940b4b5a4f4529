#pragma once
// What full disks, killed programs and power cuts leave.
#include <filesystem>
#include <string>

#include "base/error.h"

namespace hexapla {

// A RunError for want of space: the disk is full, or a quota is used up. Removing files may help.
struct NoSpaceError : RunError {
  using RunError::RunError;
};

// Removes the files `NAME.tmp-PROCESS-N` that an AtomicFile has left in a folder because its process was killed. Those
// with the number of this process are among them, for it may have been another's before: call it while this one has
// none open there. Nothing is said of files that cannot be removed, or where there is no folder.
void remove_abandoned_files(const std::string& folder);
// Whether a file of that name is one that an AtomicFile writes, or has left behind when its process was killed.
bool has_temporary_name(const std::string& path);

// Makes a folder, and those above it, that a power cut does not take away again. RunError.
void make_folder(const std::string& path);

// Makes `to` a second name of the file `from`, replacing what had it: this takes no space. RunError.
void link_file(const std::string& from, const std::string& to);

// The system's text for an error, "No such file or directory", in English like all messages: strerror() uses the
// language of the locale.
std::string system_text(int error_number);

// The DataError or RunError that says what the standard library found, with a remedy: a name that is too long, a folder
// that may not be looked into.
[[noreturn]] void fail_path(const std::filesystem::filesystem_error& error);

}  // namespace hexapla
