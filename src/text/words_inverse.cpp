#include "text/words.h"
namespace heed {
std::string WordTokeniser::detokenise(std::span<const std::string> tokens) const {
  return Tokeniser::detokenise(tokens);
}
}  // namespace heed
