// The names of autograd that this module uses everywhere.
#pragma once

#include "autograd/parameters.h"
#include "autograd/tape.h"

namespace heed::model {

using autograd::ParameterId;
using autograd::Parameters;
using autograd::Tape;
using autograd::Var;

}  // namespace heed::model
