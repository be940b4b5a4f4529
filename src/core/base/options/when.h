#pragma once
// When an option has an effect: a condition on the other options, declared in the option's row. Giving an option that
// has no effect is an error, and options without effect are not part of a run's identity.
#include <string>

namespace hexapla {

struct When {
  bool now = true;
  // The rest of the message if the option is given without effect, after its name and value: why,
  // and what to do.
  std::string otherwise = {};  // "is for `schedule` plateau: choose that, or leave it out"
};
inline const When kAlways;

}  // namespace hexapla
