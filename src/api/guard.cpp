#include "api/guard.h"

#include "base/files/disk.h"
#include "base/options/option_names.h"

namespace hexapla::api {
namespace {

// Made when the library is loaded: where there is no memory there is none for making an error either.
const OutOfMemory out_of_memory(
    "out of memory: give fewer lines at a time, lower batch_sentences, batch_tokens or beam_size, use fewer threads, "
    "or let this process have more memory (ulimit -v, the limit of its container)");

}  // namespace

void throw_out_of_memory() { throw out_of_memory; }

void rethrow_for_caller(const std::exception& error) {
  const std::string what = spell_options(error.what(), as_field);
  if (const auto* e = dynamic_cast<const UsageError*>(&error))
    throw UsageError(what, as_field(e->option()), e->value());
  if (dynamic_cast<const DataError*>(&error)) throw DataError(what);
  if (dynamic_cast<const OutOfMemory*>(&error)) throw OutOfMemory(what);
  if (dynamic_cast<const RunError*>(&error)) throw RunError(what);
  if (dynamic_cast<const Canceled*>(&error)) throw Canceled(what);
  if (const auto* e = dynamic_cast<const std::filesystem::filesystem_error*>(&error)) guarded([&] { fail_path(*e); });
  if (const auto* e = dynamic_cast<const std::system_error*>(&error);
      e && e->code() == std::errc::resource_unavailable_try_again)
    throw RunError("the system refuses to start more threads: use fewer (set_threads), or allow more (ulimit -u)");
  throw InternalError(what + "; this is a bug in hexapla: please report it");
}

}  // namespace hexapla::api
