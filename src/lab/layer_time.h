#pragma once
// How long the sublayers take that let tokens see each other.
#include <array>
#include <cstdint>

namespace hexapla::lab {

// Self-attention, its heads alone (without the four projections), a GRU in each direction, a convolution of width 3.
constexpr std::array kTimed = {"attention", "heads", "gru", "convolution"};

struct LayerTime {
  std::array<double, kTimed.size()> seconds{};  // medians of a forward and a backward pass
  std::array<double, kTimed.size()> ratios{};   // medians of what each takes relative to self-attention
};

// Of so many sentences of `length` tokens and d_model numbers, in f32: one after the other, `repeats` times, after one
// time that does not count.
LayerTime time_layers(int64_t d_model, int64_t length, int64_t sentences, int64_t repeats);

}  // namespace hexapla::lab
