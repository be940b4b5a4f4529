#pragma once
// Sinusoidal positional encodings, section 3.5, and the variants of other programs. They differ in
// where the sines and cosines are, and in the spacing of the wavelengths between 2 pi and 10000 * 2
// pi.
#include <cmath>
#include <cstdint>

namespace hexapla {

enum class Sinusoids {
  interleaved,    // the paper: PE(pos, 2i) = sin(pos / 10000^(2i/d)), PE(pos, 2i+1) = cos(the same)
  halves,         // PE(pos, i) = sin(pos / 10000^(2i/d)), PE(pos, d/2 + i) = cos(the same): Hugging Face's Marian
  timing_signal,  // as halves, with 10000^(i / (d/2 - 1)): Tensor2Tensor's get_timing_signal_1d, Marian, fairseq
};

// Column j of d: sin or cos of pos / divisor.
struct Wave {
  double divisor;
  bool sine;
};

inline Wave wave_of(Sinusoids kind, int64_t j, int64_t d) {
  const auto width = static_cast<double>(d);
  if (kind == Sinusoids::interleaved) return {std::pow(10000.0, static_cast<double>(j - j % 2) / width), j % 2 == 0};
  const int64_t half = (d + 1) / 2;
  const auto i = static_cast<double>(j < half ? j : j - half);
  if (kind == Sinusoids::halves) return {std::pow(10000.0, 2 * i / width), j < half};
  const double last = static_cast<double>(half) - 1;
  return {last > 0 ? std::pow(10000.0, i / last) : 1, j < half};
}

}  // namespace hexapla
