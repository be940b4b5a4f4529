#include "base/json.h"

namespace nlohmann {

template class basic_json<>;
template class detail::serializer<json>;
template class detail::lexer<json, TextOfJson>;
template class detail::parser<json, TextOfJson>;
template class basic_json<ordered_map>;
template class detail::serializer<ordered_json>;
template class detail::lexer<ordered_json, TextOfJson>;
template class detail::parser<ordered_json, TextOfJson>;

}  // namespace nlohmann
