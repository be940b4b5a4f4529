#pragma once
// Asks a service in this process, without a network.
#include <string>

#include "base/json.h"
#include "serve/service.h"

namespace hexapla::serve {

// The answer to a request, as a client gets it. body: null for GET. UsageError: the service refuses it;
// RunError: it cannot answer.
nlohmann::ordered_json ask(Service& service, const std::string& path, const nlohmann::ordered_json& body = nullptr);

}  // namespace hexapla::serve
