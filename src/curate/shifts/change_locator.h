#pragma once
// At which line two files lose step, by the words of the lines around it: the text is read once more, and in memory are
// the lines around one change, however many there are.
#include <cstdint>
#include <deque>
#include <vector>

#include "curate/raw_pairs.h"
#include "curate/shifts/association.h"

namespace hexapla::curate {

// From source line `line` on (the first is 1), target line = source line + after; before it was source line + before.
struct ShiftPlace {
  int64_t line = 0;
  int before = 0, after = 0;
  double evidence = 0;  // nats
  bool exact = false;   // found by words, in a second reading; else give or take a few lines
};

// Learns which words go together from the lines around a place, each with its partner by then, but not from those so
// near to a change that their partner is not known.
class ChangeLocator {
 public:
  // Places in the order of their lines. Those that are not exact will be, each as soon as enough has been read.
  explicit ChangeLocator(std::vector<ShiftPlace>& places);

  void read(const RawPair& pair);  // line after line, from the first
  void finish();                   // after the last
  int64_t lines_held() const { return std::ssize(source_.words) + std::ssize(target_.words); }

 private:
  struct Side {
    int64_t first = 1;  // the line of words[0]
    std::deque<Words> words;

    int64_t end() const { return first + static_cast<int64_t>(words.size()); }
    const Words* at(int64_t line) const;
    void add(int64_t line, const std::string& text);
    void drop_before(int64_t line);
  };
  struct Learned {
    int64_t first_line;  // of the two
    Words source, target;
  };
  // Around a change: source lines whose partner is not known.
  struct Zone {
    int64_t begin, end;
  };

  int64_t window_begin() const;
  void skip_exact();
  void locate_next();
  void learn_before(int64_t end);
  void forget_before(int64_t line);
  double score(int64_t line, int shift) const;
  int64_t best_line(const ShiftPlace& place) const;

  std::vector<ShiftPlace>& places_;
  std::vector<Zone> zones_;  // of places_, as they were
  size_t next_ = 0;          // of places_, to be located
  int64_t line_ = 0;         // read last
  Side source_, target_;     // the lines around it
  Association lexicon_;
  std::deque<Learned> learned_;  // what is in it
  int64_t to_learn_ = 1;         // the next source line
  size_t passed_ = 0;            // zones that end before it
};

}  // namespace hexapla::curate
