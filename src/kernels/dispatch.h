// How a kernel's .cpp calls the version of a function that was compiled for this machine's instruction set.
#pragma once

namespace heed::kernels {

// Reads HEED_CPU and settles on an instruction set, the first time it is called. Thread-safe.
void select_instruction_set();

}  // namespace heed::kernels

#define HEED_DISPATCH(function) (::heed::kernels::select_instruction_set(), HWY_DYNAMIC_DISPATCH(function))
