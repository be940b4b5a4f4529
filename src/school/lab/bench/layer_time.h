#pragma once
// Times the sublayers that mix tokens.
#include <array>
#include <cstdint>

namespace hexapla::lab {

// Self-attention, its heads alone (without the four projections), a bidirectional GRU, a
// convolution of width 3.
constexpr std::array kTimed = {"attention", "heads", "gru", "convolution"};

struct LayerTime {
  std::array<double, kTimed.size()> seconds{};  // median of forward plus backward
  std::array<double, kTimed.size()> ratios{};   // median ratios to self-attention
};

// Times a batch of `sentences` sentences of `length` tokens with d_model values, in f32: all
// sublayers in turn, `repeats` times, after one warm-up turn.
LayerTime time_layers(int64_t d_model, int64_t length, int64_t sentences, int64_t repeats);

}  // namespace hexapla::lab
