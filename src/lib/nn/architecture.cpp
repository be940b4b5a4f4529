#include "lib/nn/architecture.h"

#include "lib/options.h"

namespace hexapla::api {

model::Config architecture(const Options& options) {
  std::vector<GivenOption> all = given_options(options);
  model::Config c;
  const OptionRows rows = c.rows();
  take_given(by_name(all, names_of(rows)), rows);
  c.resolve();
  return c;
}

}  // namespace hexapla::api
