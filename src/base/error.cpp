#include "base/error.h"

namespace heed {

Error::~Error() = default;  // here, so that every program finds the same type information

}  // namespace heed
