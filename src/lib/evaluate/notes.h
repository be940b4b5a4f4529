#pragma once
// Notes on texts that are scored: what may be other than their user expects.
#include <string>
#include <vector>

#include "hexapla/evaluator.h"

namespace hexapla::api {

// A choice of the tokenizer by the references that is not sacreBLEU's default.
void note_tokenizer(const EvaluatorOptions& options, const std::vector<Evaluator::Lines>& references,
                    std::vector<std::string>& notes);
// Lines that look tokenized, or are too short for BLEU. options: not with `tokenize` auto.
void note_hypotheses(const EvaluatorOptions& options, const Evaluator::Lines& lines, std::vector<std::string>& notes);

}  // namespace hexapla::api
