#pragma once
#include <memory>
#include <string>

#include "backend/backend.h"

namespace hexapla {

enum class Isa { generic, avx2, avx512 };

// The best instruction set of this processor that has kernels here.
Isa best_isa();
const char* name_of(Isa);
// "generic", "avx2", "avx512"; UsageError for anything else or for more than this processor has.
Isa parse_isa(const std::string& name);

// f32 on this processor's vector units, threads through base/parallel.h. The instruction set defaults to
// best_isa(), which the environment variable HEXAPLA_ISA lowers.
std::unique_ptr<Backend> make_cpu_backend();
std::unique_ptr<Backend> make_cpu_backend(Isa);

// What does the products: "oneDNN 2.6.3 (avx512_core)" or "own kernels (avx2)". For doctor and logs.
std::string product_implementation(const Backend&);

}  // namespace hexapla
