#include "decode/test_models.h"

#include "backend/device/device.h"

namespace hexapla::decode::test {

std::unique_ptr<Backend> make_backend() { return hexapla::make_backend(); }

}  // namespace hexapla::decode::test
