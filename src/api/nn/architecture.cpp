#include "api/nn/architecture.h"

#include "api/options.h"

namespace hexapla::api {

model::Config architecture(const Options& options) {
  const std::vector<std::string> names = names_of<model::Config>();
  std::vector<GivenOption> all = given_options(options);
  Given given;
  for (GivenOption& option : all) {
    const auto name = declared_name(option.name, names);
    if (!name) refuse_unknown(option, spelled_as(option.name, names));
    option.name = *name;
    given[*name] = &option;
  }
  model::Config c;
  take_given(given, c);
  c.resolve();
  return c;
}

}  // namespace hexapla::api
