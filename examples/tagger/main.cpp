// A part-of-speech tagger built from the layers of hexapla/nn.h: the encoder of the paper's model,
// with an output layer that predicts tags instead of the next word. It generates its own text,
// trains in a few seconds and tags a sentence.
//
// Many words have several parts of speech: in "we can light the can", the first "can" is an
// auxiliary and the second a noun. So the model has to attend to the neighbors of a word.
#include <hexapla/hexapla.h>
#include <hexapla/nn.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace nn = hexapla::nn;

enum Tag { determiner, adjective, noun, pronoun, verb, auxiliary, preposition, tags };
const char* const kTagNames[tags] = {"DET", "ADJ", "NOUN", "PRON", "VERB", "AUX", "PREP"};

// The words of each tag. Some, "can", "light", "saw", "fish", "her", ..., are in several lists.
const std::vector<std::string> kLexicon[tags] = {
    {"the", "a", "her", "every", "that"},
    {"light", "old", "red", "cold", "fast", "clean", "back", "open"},
    {"can", "light", "saw", "fish", "dog", "man", "will", "cold", "play", "watch", "back", "sister", "drink", "must"},
    {"we", "they", "her", "you", "that", "everyone"},
    {"saw", "light", "fish", "play", "watch", "clean", "open", "can", "man", "drink", "back", "need"},
    {"can", "will", "must", "may", "need"},
    {"in", "on", "by", "past", "near"},
};

struct Sentence {
  std::vector<std::string> words;
  nn::Ids tags;
};

// Generates sentences: a subject, perhaps an auxiliary, a verb, perhaps an object and a place.
class Grammar {
 public:
  explicit Grammar(unsigned seed) : random_(seed) {}

  Sentence next() {
    sentence_ = {};
    noun_phrase();
    if (chance(50)) put(auxiliary);
    put(verb);
    if (chance(70)) noun_phrase();
    if (chance(40)) {
      put(preposition);
      noun_phrase();
    }
    return sentence_;
  }

 private:
  // mt19937 gives the same numbers on every system; the standard library's distributions do not.
  bool chance(unsigned percent) { return random_() % 100 < percent; }
  void put(Tag tag) {
    sentence_.words.push_back(kLexicon[tag][random_() % kLexicon[tag].size()]);
    sentence_.tags.push_back(tag);
  }
  void noun_phrase() {
    if (chance(30)) return put(pronoun);
    put(determiner);
    if (chance(40)) put(adjective);
    put(noun);
  }
  std::mt19937 random_;
  Sentence sentence_;
};

// Numbers the words, for the embedding.
std::map<std::string, int> make_vocabulary() {
  std::map<std::string, int> ids;
  for (const auto& words : kLexicon)
    for (const std::string& word : words) ids.emplace(word, static_cast<int>(ids.size()));
  return ids;
}

// A batch has no padding: it concatenates the words of all sentences, and the offsets mark the
// start of each sentence and the end of the last.
struct Batch {
  nn::Ids words, tags;
  nn::Offsets offsets{0};
};

Batch make_batch(const std::vector<Sentence>& from, std::size_t first, std::size_t count,
                 const std::map<std::string, int>& vocabulary) {
  Batch b;
  for (std::size_t i = first; i < std::min(first + count, from.size()); ++i) {
    for (const std::string& word : from[i].words) b.words.push_back(vocabulary.at(word));
    b.tags.insert(b.tags.end(), from[i].tags.begin(), from[i].tags.end());
    b.offsets.push_back(static_cast<int>(b.words.size()));
  }
  return b;
}

// The accuracy of each word's most frequent tag in the training text: the best possible result
// without context.
double accuracy_without_context(const Batch& train, const Batch& test) {
  std::map<int, std::vector<int>> counts;
  for (std::size_t i = 0; i < train.words.size(); ++i) {
    counts[train.words[i]].resize(tags);
    ++counts[train.words[i]][train.tags[i]];
  }
  int right = 0;
  for (std::size_t i = 0; i < test.words.size(); ++i) {
    const std::vector<int>& c = counts[test.words[i]];
    right += !c.empty() && std::max_element(c.begin(), c.end()) - c.begin() == test.tags[i];
  }
  return 100.0 * right / static_cast<double>(test.words.size());
}

// The layers in the order of the forward pass. Architectures are given as options of `hexapla
// train`; the defaults are the paper's.
class Tagger {
 public:
  explicit Tagger(std::int64_t words)
      : embedding_(words, shape()), encoder_(shape()), output_(32, tags), adam_(all()), work_(std::size_t{256} << 20) {
    nn::initialize(all(), 1);
  }

  // One training step. -> the mean loss per word. The backward calls come in reverse order of the
  // forward calls: each takes the gradient of its layer's output and returns that of its input.
  double train(const Batch& b, std::uint32_t step, double learning_rate) {
    work_.begin_training(1, step);  // turns dropout on; tensors of the previous step become invalid
    const double words = static_cast<double>(b.words.size());
    const auto [loss, dx] = output_.loss_and_gradient(work_, encode(b), b.tags, 0.1, 1 / words);
    embedding_.backward(work_, encoder_.backward(work_, dx));
    adam_.update(work_, learning_rate);
    return loss.nll / words;
  }

  // The most probable tag of each word.
  nn::Ids tag(const Batch& b) {
    work_.begin();  // no dropout
    const nn::Tensor logits = output_.forward(work_, encode(b));
    nn::Ids best;
    for (std::int64_t i = 0; i < logits.rows(); ++i)
      best.push_back(static_cast<int>(std::max_element(logits.row(i), logits.row(i) + tags) - logits.row(i)));
    return best;
  }

 private:
  static hexapla::Options shape() {
    return {{"dim_model", 32}, {"dim_ff", 64}, {"heads", 4}, {"enc_layers", 2}, {"dropout", 0.1}};
  }
  nn::Layers all() { return {&embedding_, &encoder_, &output_}; }
  nn::Tensor encode(const Batch& b) {
    return encoder_.forward(work_, embedding_.forward(work_, b.words, b.offsets), b.offsets);
  }

  nn::Embedding embedding_;
  nn::Encoder encoder_;
  nn::Generator output_;
  nn::Adam adam_;
  nn::Workspace work_;
};

double accuracy(const nn::Ids& found, const nn::Ids& right) {
  int same = 0;
  for (std::size_t i = 0; i < right.size(); ++i) same += found[i] == right[i];
  return 100.0 * same / static_cast<double>(right.size());
}

int main() try {
  hexapla::set_threads(1);  // these matrices are too small for several threads
  const auto vocabulary = make_vocabulary();
  Grammar grammar(1);
  std::vector<Sentence> text, held_out;
  for (int i = 0; i < 2000; ++i) text.push_back(grammar.next());
  while (held_out.size() < 300) {  // sentences that are not in the training text
    const Sentence s = grammar.next();
    const auto same = [&](const Sentence& seen) { return seen.words == s.words; };
    if (std::none_of(text.begin(), text.end(), same)) held_out.push_back(s);
  }
  const Batch test = make_batch(held_out, 0, held_out.size(), vocabulary);

  Tagger tagger(static_cast<std::int64_t>(vocabulary.size()));
  std::uint32_t step = 0;
  for (int epoch = 1; epoch <= 10; ++epoch) {
    double loss = 0;
    for (std::size_t first = 0; first < text.size(); first += 50)
      loss += tagger.train(make_batch(text, first, 50, vocabulary), ++step, 3e-3);
    std::printf("epoch %2d: loss %.3f, accuracy on held-out sentences %.1f %%\n", epoch,
                50 * loss / static_cast<double>(text.size()), accuracy(tagger.tag(test), test.tags));
  }
  const Batch all = make_batch(text, 0, text.size(), vocabulary);
  std::printf("accuracy of the tagger: %.1f %%\n", accuracy(tagger.tag(test), test.tags));
  std::printf("accuracy without context: %.1f %%\n", accuracy_without_context(all, test));

  const Sentence example{{"we", "can", "light", "the", "light", "can"}, {}};
  const nn::Ids found = tagger.tag(make_batch({example}, 0, 1, vocabulary));
  for (std::size_t i = 0; i < found.size(); ++i) std::cout << example.words[i] << '/' << kTagNames[found[i]] << ' ';
  std::cout << '\n';
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
