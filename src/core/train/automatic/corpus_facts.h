#pragma once
#include "data/training_text.h"

namespace hexapla::train {

// All that the recipe of `preset` auto knows of the training sets.
struct CorpusFacts {
  int64_t pairs = 0;
  int64_t source_characters = 0, target_characters = 0;  // code points, with blanks
  int64_t alphabet = 0;                                  // different ones
  int64_t characters() const { return source_characters + target_characters; }
};

// Reads the whole text, and rewinds it.
CorpusFacts facts_of(data::TrainingText& text, const data::ReadingProgress& progress);

}  // namespace hexapla::train
