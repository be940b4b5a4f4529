#pragma once
// Everything in the library except hexapla/nn.h:
//
//   const hexapla::Translator translator("model.safetensors");
//   std::cout << translator.translate("A dog runs.") << '\n';
//
// The headers need C++17 or later. Errors are in error.h and file_error.h: all derive from hexapla::Error, a
// std::runtime_error. A moved-from object can be assigned to and destroyed; all other calls except
// Trainer::stop() throw a UsageError.
//
// fork(): a child process may translate, too, with its parent's translators or its own, and gets
// the same results; requests of Translator::submit() stay with the parent. If the parent had
// several threads when it forked, the child uses one, whatever set_threads() says, because the
// others do not exist in it. Fork only while no other thread is inside a function of this library.
#include <string>

#include "hexapla/augment.h"
#include "hexapla/convert.h"
#include "hexapla/error.h"
#include "hexapla/evaluator.h"
#include "hexapla/export.h"
#include "hexapla/file_error.h"
#include "hexapla/glossary.h"
#include "hexapla/inspector.h"
#include "hexapla/model.h"
#include "hexapla/options.h"
#include "hexapla/shortlist.h"
#include "hexapla/text_file.h"
#include "hexapla/trainer.h"
#include "hexapla/translator.h"

namespace hexapla {

HEXAPLA_API std::string version();  // "1.0.0"

// The instruction set of the kernels used on this processor: "generic", "avx2", "avx512" or "amx", on Arm "generic",
// "neon", "dotprod" or "i8mm"; limited by the environment variable HEXAPLA_ISA.
HEXAPLA_API std::string instruction_set();

// The number of threads that the library uses when called from this thread; 0 (the default): one
// per processor that the process may use, according to its affinity and its container's quota;
// fewer if the system refuses to start them. UsageError: below 0 or above 4096. The number of
// threads never changes a result.
HEXAPLA_API void set_threads(int n);

}  // namespace hexapla
