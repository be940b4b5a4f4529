#pragma once
#include <functional>
#include <string>

namespace hexapla::api {

// Describes this machine, and checks the gradients of a small model against finite differences, and
// every op of a device (make_backend()) against the reference. tell: receives each line as it is found. -> false: the
// machine computes wrong results. UsageError: the device cannot be used.
bool check_machine(const std::string& device,
                   const std::function<void(const std::string& key, const std::string& value)>& tell);

}  // namespace hexapla::api
