#pragma once
#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"

namespace hexapla {

// amx: avx512, and tiles for products in bf16 and int8. On Arm, dotprod: neon, and products in int8; i8mm: neon, and
// products of small matrices in int8 and, if the processor has BF16, in bf16.
enum class Isa : unsigned char { generic, avx2, avx512, amx, neon, dotprod, i8mm };

bool available(Isa);  // this processor has it, and it was built
// Those available, the best one last.
std::vector<Isa> isas_here();
Isa best_isa();
const char* name_of(Isa);
// UsageError for a name that is none of an Isa, or if this processor lacks it.
Isa parse_isa(const std::string& name);

// The type that factors of products are rounded to; sums, and everything else, are f32. int8:
// packed weights only (see Backend::pack), with a scale per column of the weight and per row of the
// input; other products are f32.
enum class Precision { f32, bf16, int8 };

const char* name_of(Precision);
// Whether this processor, as limited by HEXAPLA_ISA, has kernels for it.
bool supported(Precision);
// For training: "f32", "bf16" or "auto" (bf16 if this processor multiplies it faster, else f32).
// UsageError for any other name, or if there are no kernels for it.
Precision parse_precision(const std::string& name);

// f32 on this processor's vector units, with the threads of base/compute/parallel.h. The
// instruction set defaults to best_isa(), limited by the environment variable HEXAPLA_ISA.
// UsageError: the precision is not supported().
std::unique_ptr<Backend> make_cpu_backend(Precision = Precision::f32);
std::unique_ptr<Backend> make_cpu_backend(Isa, Precision = Precision::f32);

// The peak rate of one thread in the inner loop of products, in operations (multiplications and
// additions) per second, without memory access. For packed weights if the precision is int8. Takes
// about 50 ms.
double arithmetic_limit(const Backend&);

// The implementation of products, for doctor and logs: "oneDNN 2.6.3 (avx512_core)" or "own kernels
// (avx2, f32)".
std::string product_implementation(const Backend&);

}  // namespace hexapla
