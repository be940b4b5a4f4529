#include "hexapla/hexapla.h"

namespace hexapla {

std::string version() { return HEXAPLA_VERSION; }

}  // namespace hexapla
