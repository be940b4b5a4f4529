#pragma once
// Shared objects that the program opens when they are needed, so that one program runs with and without their
// libraries.
#include <string>

namespace hexapla {

// Opens `file`, which lies beside the file that contains this code (the program, the library, the Python module) or in
// its installation's folder of plugins, and returns the address of a symbol in it. Null, with the reason in `why`:
// there is no such file ("": say so yourself), or it cannot be opened. It is never closed. global: libraries that it
// opens itself find its symbols.
const void* plugin_symbol(const char* file, const char* symbol, bool global, std::string& why);

}  // namespace hexapla
