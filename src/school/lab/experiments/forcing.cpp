// Teacher forcing: a model trained only on correct tokens against one that also read its own.
#include <fmt/format.h>

#include <array>

#include "lab/bench/sampled_input.h"
#include "lab/spread.h"
#include "text/quantities.h"

namespace hexapla::lab {
namespace {

constexpr std::array kShares = {0, 25, 50};  // percent

struct ForcingCell {
  std::vector<double> losses, wrong_dates, lost;  // nats per token; percent; percent
};
using ForcingCells = std::map<int, ForcingCell>;

std::string name_of(int share) { return share == 0 ? "the right tokens" : fmt::format("up to {} % its own", share); }

ForcingCells measure_forcing(const Settings& settings, Watcher& watcher, Report& r) {
  const Bench bench(settings, watcher, dates(settings.test_pairs));
  ForcingCells cells;
  int64_t done = 0;
  for (int64_t seed = 1; seed <= settings.seeds; ++seed)
    for (const int share : kShares) {
      watcher.begins(done++, std::ssize(kShares) * settings.seeds, fmt::format("{}, seed {}", name_of(share), seed));
      const Forced one = train_with_own_tokens({.name = fmt::format("own-{}-{}", share, seed),
                                                .own = share / 100.0,
                                                .updates = settings.updates,
                                                .seed = static_cast<uint64_t>(seed)},
                                               bench, settings.folder, watcher);
      if (one.failed) throw RunError(cat("the training with ", name_of(share), " and seed ", seed, " diverged"));
      ForcingCell& c = cells[share];
      c.losses.push_back(one.loss);
      c.wrong_dates.push_back(100 * (1 - one.accuracy));
      c.lost.push_back(100 * (one.after_right - one.after_wrong));
      record({{"own", share}, {"seed", seed}, {"after_right", one.after_right}, {"after_wrong", one.after_wrong}}, one,
             r);
    }
  return cells;
}

void show_forcing(const ForcingCells& cells, int64_t updates, Report& r) {
  Table t{fmt::format("After {} on dates", text::counted(updates, "update")),
          {"the decoder read", "loss with the right prefix, nats per token", "wrong dates, %",
           "tokens lost behind a wrong digit, %"},
          {}};
  for (const auto& [share, c] : cells)
    t.rows.push_back(
        {name_of(share), show(spread_of(c.losses), 4), show(spread_of(c.wrong_dates), 1), show(spread_of(c.lost), 1)});
  r.tables.push_back(std::move(t));
}

void conclude_forcing(const ForcingCells& cells, Report& r) {
  const ForcingCell& forced = cells.at(0);
  for (const auto& [share, c] : cells) {
    if (share == 0) continue;
    const std::string own = fmt::format("with up to {} % of its own", share), right = "with the right tokens";
    r.findings.push_back(fmt::format("Trained {}: loss with the right prefix {}, {} {}; {}.", own,
                                     show(spread_of(c.losses), 4), right, show(spread_of(forced.losses), 4),
                                     compare(forced.losses, right, c.losses, own)));
    r.findings.push_back(fmt::format("Wrong dates {}: {} %, {} {} %; {}.", own, show(spread_of(c.wrong_dates), 1),
                                     right, show(spread_of(forced.wrong_dates), 1),
                                     compare(forced.wrong_dates, right, c.wrong_dates, own)));
    r.findings.push_back(fmt::format("Tokens lost behind a wrong digit {}: {} %, {} {} %; {}.", own,
                                     show(spread_of(c.lost), 1), right, show(spread_of(forced.lost), 1),
                                     compare(forced.lost, right, c.lost, own)));
  }
}

}  // namespace

Report forcing(const Settings& settings, Watcher& watcher) {
  Report r;
  const ForcingCells cells = measure_forcing(settings, watcher, r);
  show_forcing(cells, settings.updates, r);
  conclude_forcing(cells, r);
  r.method = {cat(about_dates(settings.test_pairs), " 2 + 2 layers, d_model 64, d_ff 128, 4 heads, no dropout; ",
                  text::counted(settings.updates, "update"),
                  " of 512 target tokens, learning rate 2e-3 after 100 updates. Of the decoder's input, a share that "
                  "grows linearly "
                  "from 0 is the token that a first pass over the right tokens finds most probable there; the loss "
                  "asks for the right "
                  "ones, and no derivative flows through the choice. That first pass makes an update of such a "
                  "training dearer. Tokens "
                  "lost: one digit of every unseen date is replaced by another in the decoder's input, and of the "
                  "tokens from there on "
                  "so many fewer are predicted right than behind the right digit. A date's digits all stand in the "
                  "source; in text, "
                  "where a translation must agree with itself, the answer may be another.")};
  return r;
}

}  // namespace hexapla::lab
