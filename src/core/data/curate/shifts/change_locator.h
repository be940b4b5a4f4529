#pragma once
// Finds the line at which two files become misaligned by the words of the lines around it. Reads
// the text once more, and holds only the lines around one change in memory.
#include <cstdint>
#include <deque>
#include <vector>

#include "data/curate/pairs/raw_pairs.h"
#include "data/curate/shifts/association.h"

namespace hexapla::data {

// From source line `line` on (from 1), target line = source line + after; until then + before.
struct ShiftPlace {
  int64_t line = 0;
  int before = 0, after = 0;
  double evidence = 0;  // nats
  bool exact = false;   // found by words in a second reading; otherwise accurate to a few lines
};

// Learns word associations from the lines around a place and their partners, but not from those so
// close to a change that their partners are unknown.
class ChangeLocator {
 public:
  // places: in the order of their lines. Makes inexact ones exact as soon as enough has been read.
  explicit ChangeLocator(std::vector<ShiftPlace>& places);

  void read(const RawPair& pair);  // all lines in order
  void finish();                   // call after the last line
  int64_t lines_held() const { return std::ssize(source_.words) + std::ssize(target_.words); }

 private:
  struct Side {
    int64_t first = 1;  // line of words[0]
    std::deque<Words> words;

    int64_t end() const { return first + std::ssize(words); }
    const Words* at(int64_t line) const;
    void add(int64_t line, const std::string& text);
    void drop_before(int64_t line);
  };
  struct Learned {
    int64_t first_line;  // the lower line number of the two
    Words source, target;
  };
  // Source lines around a change whose partners are unknown.
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
  std::vector<Zone> zones_;  // for the original places_
  size_t next_ = 0;          // next of places_ to locate
  int64_t line_ = 0;         // last line read
  Side source_, target_;     // the lines around it
  Association lexicon_;
  std::deque<Learned> learned_;  // contents of lexicon_
  int64_t to_learn_ = 1;         // next source line
  size_t passed_ = 0;            // zones that end before it
};

}  // namespace hexapla::data
