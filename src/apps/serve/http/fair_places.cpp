#include "serve/http/fair_places.h"

namespace hexapla::serve {

bool FairPlaces::enter(const std::string& address) {
  const auto found = of_address_.find(address);
  const std::size_t held = found == of_address_.end() ? 0 : found->second;
  const std::size_t addresses = of_address_.size() + (held == 0 ? 1 : 0);
  if (taken_ >= 2 * most_ || (taken_ >= most_ && held * addresses >= most_)) return false;
  ++of_address_[address];
  ++taken_;
  return true;
}

void FairPlaces::leave(const std::string& address) {
  const auto found = of_address_.find(address);
  if (--found->second == 0) of_address_.erase(found);
  --taken_;
}

}  // namespace hexapla::serve
