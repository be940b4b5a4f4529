#include "api/nn/architecture.h"

#include "api/options.h"

namespace hexapla::api {

model::Config architecture(const Options& options) {
  std::vector<GivenOption> all = given_options(options);
  const Given given = by_name(all, names_of<model::Config>());
  model::Config c;
  take_given(given, c);
  c.resolve();
  return c;
}

}  // namespace hexapla::api
