#pragma once
// All of the library but hexapla/nn.h:
//
//   const hexapla::Translator translator("model.safetensors");
//   std::cout << translator.translate("A dog runs.") << '\n';
//
// The headers need C++17 or later. Errors are in error.h: all derive from hexapla::Error, a std::runtime_error. An
// object that was moved from can be assigned to and destroyed; whatever else is called, but Trainer::stop(), throws a
// UsageError.
//
// fork(): a child may translate, too, with its parent's translators or its own, and gets the same results; requests of
// Translator::submit() stay with the parent. If the parent had several threads when it forked, the child uses one,
// whatever set_threads() says: the others do not exist in it. Fork only while no other thread is inside a function of
// this library.
#include <string>

#include "hexapla/error.h"
#include "hexapla/evaluator.h"
#include "hexapla/glossary.h"
#include "hexapla/inspector.h"
#include "hexapla/model.h"
#include "hexapla/options.h"
#include "hexapla/trainer.h"
#include "hexapla/translator.h"

namespace hexapla {

std::string version();  // "0.1.0"

// The kernels that are used on this processor: "generic", "avx2", "avx512" or "amx"; the environment variable
// HEXAPLA_ISA lowers it.
std::string instruction_set();

// The number of threads that the library uses when it is called from this thread; 0, the default: one per processor
// that the process may use, by its affinity and the quota of its container; fewer if the system refuses to start them.
// UsageError: below 0 or above 4096. The number of threads never changes a result.
void set_threads(int n);

}  // namespace hexapla
