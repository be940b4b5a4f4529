#include "lib/guard.h"

#include <atomic>

#include "base/files/disk.h"
#include "base/options/option_names.h"
#include "base/system/machine.h"
#include "hexapla/file_error.h"
#include "hexapla/translator.h"

namespace hexapla::api {
namespace {

std::atomic<int> as_flags = 0;

OutOfMemory out_of_memory(const std::string& lower, std::string (*spelling)(std::string_view)) {
  return OutOfMemory(spell_options(cat("out of memory: give fewer lines at a time, lower ", lower,
                                       ", use fewer threads, or let this process have more memory (ulimit -v, the "
                                       "limit of its container)"),
                                   spelling));
}
constexpr const char* kBatches = "`batch-sentences`, `batch-tokens` or `beam-size`";
// Created when the library is loaded, because an error cannot be constructed without memory.
const OutOfMemory kWithFields = out_of_memory(kBatches, as_field), kWithFlags = out_of_memory(kBatches, as_flag),
                  kForRequests = out_of_memory("`beam-size` or `n-best`", as_field);

}  // namespace

SpelledAsFlags::SpelledAsFlags() noexcept { ++as_flags; }
SpelledAsFlags::~SpelledAsFlags() { --as_flags; }

std::string spelled_for_caller(std::string_view message) {
  return spell_options(message, as_flags > 0 ? as_flag : as_field);
}

void throw_out_of_memory() { throw as_flags > 0 ? kWithFlags : kWithFields; }

const OutOfMemory& out_of_memory_for_requests() noexcept { return kForRequests; }

void rethrow_for_caller(const std::exception& error) {
  const std::string what = spelled_for_caller(error.what());
  if (const auto* e = dynamic_cast<const UsageError*>(&error))
    throw UsageError(what, as_field(e->option()), e->value());
  if (dynamic_cast<const MissingFile*>(&error)) throw MissingFile(what);
  if (dynamic_cast<const DataError*>(&error)) throw DataError(what);
  if (dynamic_cast<const OutOfMemory*>(&error)) throw OutOfMemory(what);
  if (dynamic_cast<const RunError*>(&error)) throw RunError(what);
  if (dynamic_cast<const TimedOut*>(&error)) throw TimedOut(what);
  if (dynamic_cast<const Canceled*>(&error)) throw Canceled(what);
  if (const auto* e = dynamic_cast<const std::filesystem::filesystem_error*>(&error)) guarded([&] { fail_path(*e); });
  if (const auto* e = dynamic_cast<const std::system_error*>(&error);
      e && e->code() == std::errc::resource_unavailable_try_again)
    throw RunError(spelled_for_caller(cat("the system refuses to start more threads: ", why_memory_was_refused(0),
                                          "; use fewer `threads`; processes may be limited, too (ulimit -u)")));
  throw InternalError(what + "; this is a bug in hexapla: please report it");
}

}  // namespace hexapla::api
