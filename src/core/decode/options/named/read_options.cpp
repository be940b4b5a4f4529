#include "decode/options/named/read_options.h"

namespace hexapla::decode {

DecodingOptions read_options(std::vector<GivenOption> all, DecodingOptions usual) {
  const OptionRows unread = usual.rows();
  const Given given = by_name(all, names_of(unread));
  take_given(given, unread);
  check_words(given, unread);
  const OptionRows rows = usual.rows();  // with the conditions that follow from the given values
  leave_out_idle([&](const std::string& name) { return given.contains(name); }, rows, rows_of(DecodingOptions()));
  refuse_idle(given, usual.rows());
  usual.translate_options();  // checks for conflicts
  return usual;
}

}  // namespace hexapla::decode
