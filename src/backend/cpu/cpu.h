#pragma once
#include <memory>
#include <string>

#include "backend/backend.h"

namespace hexapla {

// amx: avx512 and, for products in bf16 and int8, tiles.
enum class Isa { generic, avx2, avx512, amx };

// The best instruction set of this processor that has kernels here.
Isa best_isa();
const char* name_of(Isa);
// "generic", "avx2", "avx512", "amx"; UsageError for anything else or for more than this processor has.
Isa parse_isa(const std::string& name);

// What the factors of products are rounded to; sums, and everything else, are f32. int8: packed weights only (see
// Backend::pack), each column and each row of the input with a scale of its own; other products are f32.
enum class Precision { f32, bf16, int8 };

const char* name_of(Precision);
// Has this processor kernels for it? HEXAPLA_ISA counts.
bool supported(Precision);
// For training: "f32", "bf16", or "auto": bf16 where this processor multiplies it faster, else f32. UsageError for
// anything else, or where there are no kernels for it.
Precision parse_precision(const std::string& name);

// f32 on this processor's vector units, threads through base/compute/parallel.h. The instruction set defaults to
// best_isa(), which the environment variable HEXAPLA_ISA lowers. UsageError: a precision that is not supported().
std::unique_ptr<Backend> make_cpu_backend(Precision = Precision::f32);
std::unique_ptr<Backend> make_cpu_backend(Isa, Precision = Precision::f32);

// Multiplications and additions a second of one thread in the inner loop of products, without memory: their limit. For
// packed weights where the precision is int8. Takes about 50 ms.
double arithmetic_limit(const Backend&);

// What does the products: "oneDNN 2.6.3 (avx512_core)" or "own kernels (avx2, f32)". For doctor and logs.
std::string product_implementation(const Backend&);

}  // namespace hexapla
