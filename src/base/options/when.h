#pragma once
// When an option has an effect: a condition on the other options, declared with the option in
// visit(). Giving an option that has no effect is an error, and options without effect are not part
// of a run's identity.
#include <string>
#include <tuple>
#include <type_traits>

namespace hexapla {

struct When {
  bool now = true;
  // The rest of the message if the option is given without effect, after its name and value: why,
  // and what to do.
  std::string otherwise = {};  // "is for `schedule` plateau: choose that, or leave it out"
};
inline const When kAlways;

// f(name, field, when) for each option of a set that declares them in visit(name, field, help, allowed, .., when).
template <class Options, class F>
void visit_conditions(const Options& options, F&& f) {
  Options::visit(options, [&](const char* name, const auto& field, const char*, const auto&, const auto&... rest) {
    const auto all = std::tie(rest...);
    const auto& last = std::get<sizeof...(rest) - 1>(all);
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(last)>, When>, "an option needs its condition");
    f(name, field, last);
  });
}

}  // namespace hexapla
