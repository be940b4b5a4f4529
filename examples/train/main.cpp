// Trains a model on generated pairs and translates with it: train FOLDER
// It learns to write numbers in digits: "three hundred five" -> "3 0 5".
#include <hexapla/hexapla.h>

#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

namespace {

std::string in_words(int n) {
  static const char* const ones[] = {"zero",     "one",     "two",     "three",     "four",     "five",    "six",
                                     "seven",    "eight",   "nine",    "ten",       "eleven",   "twelve",  "thirteen",
                                     "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
  static const char* const tens[] = {"",      "",      "twenty",  "thirty", "forty",
                                     "fifty", "sixty", "seventy", "eighty", "ninety"};
  if (n < 20) return ones[n];
  if (n < 100) return std::string(tens[n / 10]) + (n % 10 ? std::string(" ") + ones[n % 10] : "");
  return std::string(ones[n / 100]) + " hundred" + (n % 100 ? " " + in_words(n % 100) : "");
}

std::string in_digits(int n) {
  std::string text;
  for (const char digit : std::to_string(n)) text += (text.empty() ? "" : " ") + std::string(1, digit);
  return text;
}

// Holds out every ninth number for testing.
bool is_kept_back(int n) { return n % 9 == 4; }

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) throw std::runtime_error("usage: train FOLDER");
  const std::string folder = argv[1];

  hexapla::Trainer trainer({{"model", folder},
                            {"preset", "tiny"},
                            {"layers", 2},
                            {"dim_model", 64},
                            {"dim_ff", 128},
                            {"vocab_size", 60},
                            {"dropout", 0.1},
                            {"lr", 0.002},
                            {"warmup", 100},
                            {"batch_tokens", 800},
                            {"max_updates", 400},
                            {"report_every", 50}});
  int next = 0;
  trainer.set_training_pairs([&](std::string& source, std::string& target) {
    while (next < 1000 && is_kept_back(next)) ++next;
    if (next == 1000) return false;
    source = in_words(next), target = in_digits(next);
    ++next;
    return true;
  });
  hexapla::TrainingCallbacks on;
  on.on_report = [](const hexapla::TrainingReport& r) {
    std::printf("update %4lld  loss %.3f  %3.0f %%\n", static_cast<long long>(r.update), r.loss, 100 * r.progress);
  };
  on.on_note = [](const std::string& text) { std::printf("note: %s\n", text.c_str()); };
  const hexapla::TrainingResult result = trainer.train(on);

  const hexapla::Translator translator(result.model);
  std::vector<std::string> questions, answers;
  for (int n = 0; n < 1000; ++n)
    if (is_kept_back(n)) questions.push_back(in_words(n)), answers.push_back(in_digits(n));
  const std::vector<std::string> read = translator.translate(questions);
  std::size_t right = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) right += read[i] == answers[i];
  const hexapla::MetricScore chrf = hexapla::Evaluator({{"chrf"}}).score(read, {answers}).front();
  std::cout << questions[50] << " -> " << read[50] << "\nread right: " << right << " of " << answers.size()
            << " numbers that it never saw; " << chrf.metric << " " << chrf.score << '\n';
  return right > answers.size() / 2 ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
