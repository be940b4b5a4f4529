#include "decode/options/named/read_options.h"

#include "base/options/given_json.h"

namespace hexapla::decode {
namespace {

// Checks that words are valid choices; numbers were checked when they were read.
template <class Options>
void check_words(const Given& given, const Options& options) {
  Options::visit(options,
                 [&](const std::string& name, const auto& field, const char*, const auto& allowed, const When&) {
                   const auto option = given.find(name);
                   if (option == given.end()) return;
                   try {
                     check_allowed(name, field, allowed);
                   } catch (const UsageError& e) {
                     throw at(*option->second, e);
                   }
                 });
}

}  // namespace

template <class Options>
Options read_options(std::vector<GivenOption> all, Options usual) {
  const Given given = by_name(all, names_of<Options>());
  take_given(given, usual);
  check_words(given, usual);
  leave_out_idle([&](const std::string& name) { return given.contains(name); }, usual);
  refuse_idle(given, usual);
  usual.translate_options();  // checks for conflicts
  return usual;
}

template <class Options>
Options read_options(const nlohmann::json& object, Options usual) {
  return read_options(given_in_json<Options>(object), std::move(usual));
}

template DecodingOptions read_options(std::vector<GivenOption>, DecodingOptions);
template DecodingOptions read_options(const nlohmann::json&, DecodingOptions);
template RequestOptions read_options(std::vector<GivenOption>, RequestOptions);
template RequestOptions read_options(const nlohmann::json&, RequestOptions);

}  // namespace hexapla::decode
