#pragma once
// Full disks, and leftovers of killed programs and power cuts.
#include <filesystem>
#include <string>

#include "base/error.h"

namespace hexapla {

// A RunError for lack of space: the disk is full or a quota is used up. Removing files may help.
struct NoSpaceError : RunError {
  using RunError::RunError;
};

// Removes the files `NAME.tmp-PROCESS-N` that an AtomicFile left in a folder because its process
// was killed. That includes files with this process's number, which may be another process's from
// before, so call it while this process has none open there. Files that cannot be removed and a
// missing folder are ignored.
void remove_abandoned_files(const std::string& folder);
// Whether a path is named like the temporary file of an AtomicFile, in use or left by a killed
// process.
bool has_temporary_name(const std::string& path);

// Makes a folder and its parents durably: they survive a power cut. RunError.
void make_folder(const std::string& path);

// Makes `to` a second name of the file `from`, replacing any file `to`; takes no space. RunError.
void link_file(const std::string& from, const std::string& to);

// The system's text for an error, such as "No such file or directory", in English like all
// messages: strerror() would use the locale's language.
std::string system_text(int error_number);

// Throws the DataError or RunError for an error of the standard library, with a remedy: a name that
// is too long, a folder without permission.
[[noreturn]] void fail_path(const std::filesystem::filesystem_error& error);

}  // namespace hexapla
