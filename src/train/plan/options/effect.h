#pragma once

namespace hexapla::train {

// How a training option affects the result. This decides how a resumed run treats a changed value
// and whether the model's provenance records it. Declared beside the option, in visit().
enum class Effect {
  fixed,       // changes the result: a resumed run must have the same value (train/loop/run/resume_fingerprint.h)
  content,     // like fixed, but compares the text or file that the option names (TrainingData::identity)
  noted,       // changes the result: a resumed run may change the value, and its model records the change
  vocabulary,  // set by the vocabulary, which a run keeps: see VocabularyRecord (train/record/run_vocabularies.h)
  last,        // a resumed run may change the value; only the last one counts
  none,        // same result: not recorded in any model
};

}  // namespace hexapla::train
