#pragma once
// Answers and refusals that are the same whatever is served.
#include <optional>
#include <string>

#include "serve/http/message.h"

namespace hexapla::serve {

// {"error": message}
Response error_response(int status, const std::string& message, Headers headers = {});

// The current time as the header Date has it: "Mon, 02 Mar 2026 14:09:25 GMT".
std::string http_date();

// The answer to a header whose syntax is right, but that has two lengths, of which each program on the way may believe
// another one, or no host; none: nothing is wrong. version: 10 or 11.
std::optional<Response> fault_of(const Request& request, unsigned version);

}  // namespace hexapla::serve
