#pragma once
// Translations that start with zeros where others have the embedding of a token: the start token is one more row behind
// the others, of zeros, and its bias keeps it out of every search and every softmax.

namespace hexapla::convert {

inline constexpr const char* kZeroStart = "<start>";  // not in any vocabulary of Marian's
inline constexpr float kNeverWritten = -1e4F;

}  // namespace hexapla::convert
