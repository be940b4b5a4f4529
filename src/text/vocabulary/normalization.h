#pragma once
// What a vocabulary does to text before it looks for pieces in it. A target is written as its vocabulary normalizes it,
// so whatever that takes away no translation ever has.
#include <array>
#include <string>
#include <string_view>

namespace hexapla::text {

// `keep` is ours: control characters vanish, tabs and line breaks become blanks, runs of blanks one blank, and every
// other character stays as it is. The others are SentencePiece's: NFKC (full-width, half-width and compatibility forms
// become plain ones), with `nmt` also for white space and invisible characters, with `cf` without case; `identity`
// changes runs of blanks alone.
inline constexpr std::array kNormalizations = {"keep", "nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity"};

bool is_normalization(const std::string& name);
std::string normalization_names();  // "keep, nmt_nfkc, ... or identity"

// `keep` as SentencePiece holds rules: its precompiled_charsmap.
std::string keep_charsmap();

// Of the bytes of a SentencePiece model that its library has read: the name of its rule, "" where it has none.
std::string normalization_of(std::string_view model);
// The model with the rule of another.
std::string with_normalization_of(std::string_view other, std::string_view model);

}  // namespace hexapla::text
