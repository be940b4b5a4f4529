#pragma once

namespace hexapla::train {

// What an option of a training does to its result, and so what becomes of it when a run is resumed and in the record
// that a model carries. It is declared beside the option, in visit().
enum class Effect {
  fixed,       // another result: a run is resumed with the same value only (train/provenance/resume_fingerprint.h)
  content,     // as fixed, but by what it makes of the text or the file that it names (TrainingData::identity)
  noted,       // another result; a resumed run may have another value, and its model says what was changed
  vocabulary,  // of the vocabulary, which a run keeps: compared by VocabularyRecord (train/run/run_vocabularies.h)
  last,        // a resumed run may have another value, and the last one alone counts
  none,        // the same result: no model records it
};

}  // namespace hexapla::train
