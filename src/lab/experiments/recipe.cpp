// Parts of the paper's recipe, varied one at a time.
#include "lab/bench/factor.h"

namespace hexapla::lab {

Report smoothing(const Settings& settings, Watcher& watcher) {
  const auto with = [](double mass) { return [mass](Training& t) { t.label_smoothing = mass; }; };
  Report r;
  compare_levels("label smoothing", {{"0", with(0)}, {"0.1", with(0.1)}, {"0.3", with(0.3)}}, settings, watcher, r);
  return r;
}

Report tied(const Settings& settings, Watcher& watcher) {
  const auto with = [](const char* kind) {
    return [kind](Training& t) { t.architecture.tied = t.architecture.tied.parse("tied", kind); };
  };
  Report r;
  compare_levels("tied", {{"all", with("all")}, {"decoder", with("decoder")}, {"none", with("none")}}, settings,
                 watcher, r);
  return r;
}

Report dropout(const Settings& settings, Watcher& watcher) {
  const auto with = [](double p) { return [p](Training& t) { t.architecture.dropout = p; }; };
  Report r;
  compare_levels("dropout", {{"0", with(0)}, {"0.1", with(0.1)}, {"0.3", with(0.3)}}, settings, watcher, r);
  return r;
}

}  // namespace hexapla::lab
