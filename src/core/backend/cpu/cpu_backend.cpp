#include "backend/cpu/cpu_backend.h"

#include <array>
#include <cmath>

#include "backend/cpu/processor.h"
#include "backend/row_stride.h"
#include "base/options/environment.h"

namespace hexapla {
namespace {

constexpr Isa kIsas[] = {Isa::generic, Isa::avx2, Isa::avx512, Isa::amx, Isa::neon, Isa::dotprod, Isa::i8mm};

constexpr char kNeededForBf16[] = "AVX512_BF16 (Arm: I8MM and BF16)";

bool bf16_is_faster(Isa isa) {
  return cpu::has(isa, Precision::bf16) && (isa == Isa::amx || cpu::processor().fast_bf16);
}

Isa chosen_isa() {
  const char* lowered = environment("HEXAPLA_ISA");
  return lowered ? parse_isa(lowered) : best_isa();
}

// Own kernels, unless HEXAPLA_PRODUCTS asks for oneDNN. Measured on Zen 5 in f32 at the shapes of
// the presets, one thread: oneDNN is up to 5 % faster on thousands of rows, up to 30 % slower on
// eight, and makes a new plan for every batch length.
std::unique_ptr<cpu::Products> choose_products(Isa isa, Precision precision) {
  const char* wish = environment("HEXAPLA_PRODUCTS");
  const std::string name = wish ? wish : "own";
  if (name == "own") return cpu::make_own_products(isa, precision);
  if (name != "onednn") throw UsageError(cat("HEXAPLA_PRODUCTS is \"", name, "\"; it must be \"own\" or \"onednn\""));
  if (precision != Precision::f32)
    throw UsageError(cat("HEXAPLA_PRODUCTS=onednn computes in f32; give `precision` f32, not ", name_of(precision)));
  auto products = cpu::make_onednn_products(isa);
  return products ? std::move(products) : cpu::make_own_products(isa, precision);
}

}  // namespace

bool available(Isa isa) {
  const cpu::Processor& here = cpu::processor();
  switch (isa) {
    case Isa::amx:
      return here.tiles;
    case Isa::avx512:
      return here.avx512;
    case Isa::avx2:
      return here.avx2;
    case Isa::neon:
      return here.neon;
    case Isa::dotprod:
      return here.neon && here.eight_bit_dot;
    case Isa::i8mm:
      return here.neon && here.eight_bit_dot && here.eight_bit_matrices;
    case Isa::generic:
      break;
  }
  return true;
}

std::vector<Isa> isas_here() {
  std::vector<Isa> all;
  for (const Isa isa : kIsas)
    if (available(isa)) all.push_back(isa);
  return all;
}
Isa best_isa() { return isas_here().back(); }

const char* name_of(Isa isa) {
  constexpr const char* names[] = {"generic", "avx2", "avx512", "amx", "neon", "dotprod", "i8mm"};
  return names[static_cast<int>(isa)];
}

Isa parse_isa(const std::string& name) {
  for (const Isa isa : kIsas)
    if (name == name_of(isa)) {
      if (!available(isa)) throw UsageError(cat("this processor has no ", name, "; its best is ", name_of(best_isa())));
      return isa;
    }
  throw UsageError(cat("no instruction set \"", name,
                       "\"; there are generic, avx2, avx512 and amx, and on Arm neon, dotprod and i8mm"));
}

const char* name_of(Precision p) {
  constexpr const char* names[] = {"f32", "bf16", "int8"};
  return names[static_cast<int>(p)];
}

bool supported(Precision precision) { return cpu::has(chosen_isa(), precision); }

Precision parse_precision(const std::string& name) {
  if (name == "auto") return bf16_is_faster(chosen_isa()) ? Precision::bf16 : Precision::f32;
  if (name == "f32") return Precision::f32;
  if (name != "bf16") throw UsageError(cat("`precision` is '", name, "', but must be auto, f32 or bf16"));
  if (!supported(Precision::bf16))
    throw UsageError(cat("`precision` bf16 needs a processor with ", kNeededForBf16, ", and HEXAPLA_ISA at ",
                         available(Isa::neon) ? "i8mm" : "avx512", ": give f32 or auto"));
  return Precision::bf16;
}

std::unique_ptr<Backend> make_cpu_backend(Precision precision) { return make_cpu_backend(chosen_isa(), precision); }

std::unique_ptr<Backend> make_cpu_backend(Isa isa, Precision precision) {
  parse_isa(name_of(isa));  // UsageError if this processor lacks it
  if (!cpu::has(isa, precision))
    throw UsageError(cat("products in ", name_of(precision), " need ", kNeededForBf16, "; this is ", name_of(isa)));
  return std::make_unique<cpu::CpuBackend>(isa, precision, choose_products(isa, precision));
}

std::string product_implementation(const Backend& backend) {
  const auto* own = dynamic_cast<const cpu::CpuBackend*>(&backend);
  return own ? own->products() : backend.name();
}

double arithmetic_limit(const Backend& backend) {
  const auto* own = dynamic_cast<const cpu::CpuBackend*>(&backend);
  HEXAPLA_CHECK(own, "the arithmetic limit of ", backend.name(), " is not known");
  return own->arithmetic_limit();
}

namespace cpu {

bool has(Isa isa, Precision precision) {
  if (precision != Precision::bf16) return true;
  return available(isa) && processor().bf16 && (isa == Isa::avx512 || isa == Isa::amx || isa == Isa::i8mm);
}

const Kernels& kernels_of(Isa isa) {
#ifdef HEXAPLA_X86_KERNELS
  if (isa >= Isa::avx512) return avx512::kKernels;
  if (isa == Isa::avx2) return avx2::kKernels;
#elif defined(HEXAPLA_ARM_KERNELS)
  if (isa >= Isa::neon) return neon::kKernels;
#endif
  HEXAPLA_CHECK(isa == Isa::generic, "no kernels for ", name_of(isa), " were built");
  return generic::kKernels;
}

Kernels kernels_of(Isa isa, [[maybe_unused]] Precision precision) {
  Kernels k = kernels_of(isa);
#ifdef HEXAPLA_X86_KERNELS
  if (isa == Isa::amx && precision == Precision::bf16) {
    k.attention = amxbf16::attention;
    k.attention_backward = amxbf16::attention_backward;
  }
#endif
  return k;
}

float* thread_scratch(Slot slot, int64_t floats) {
  thread_local std::array<Pages, static_cast<size_t>(Slot::count)> blocks;
  Pages& block = blocks[static_cast<size_t>(slot)];
  const size_t bytes = static_cast<size_t>(floats) * sizeof(float);
  if (block.size() < bytes) block = Pages(std::max(bytes, block.size() + block.size() / 2));
  return reinterpret_cast<float*>(block.data());
}

Matrix matrix(Tensor t, const char* what) {
  if (!t) return {};
  return {t.data<float>(), t.rows(), t.shape[-1], row_stride(t, what)};
}

float* vector_of(Tensor t, const char* what) {
  if (!t) return nullptr;
  HEXAPLA_CHECK(t.contiguous(), what, " ", t.shape, " has gaps");
  return t.data<float>();
}

Dropout dropout_of(const DropoutMask& mask) {
  if (!mask) return {};
  return {{static_cast<uint32_t>(mask.seed), static_cast<uint32_t>(mask.seed >> 32)},
          mask.tensor,
          mask.step,
          static_cast<int32_t>(std::ceil(mask.p * 65536.0f)),
          static_cast<float>(1.0 / (1.0 - static_cast<double>(mask.p)))};
}

}  // namespace cpu
}  // namespace hexapla
