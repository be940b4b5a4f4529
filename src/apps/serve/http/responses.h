#pragma once
// Responses that do not depend on the route.
#include <optional>
#include <string>
#include <string_view>

#include "serve/http/message.h"

namespace hexapla::serve {

// {"error": message}
Response error_response(int status, const std::string& message, Headers headers = {});

// The current time in the format of the Date header: "Mon, 02 Mar 2026 14:09:25 GMT".
std::string http_date();

// Whether this is a value of the header Host: a name or an address, and perhaps a port. It becomes part of URLs.
bool is_host(std::string_view text);

// Rejects a well-formed header that has two lengths (request smuggling: programs on the way may
// believe different ones) or no host; nothing if it is valid. version: 10 or 11.
std::optional<Response> fault_of(const Request& request, unsigned version);

}  // namespace hexapla::serve
