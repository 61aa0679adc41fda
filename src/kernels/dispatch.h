// How a kernel's .cpp calls the version of a function that was compiled for this machine's instruction set. Highway's
// own dispatch would do, but the library behind it measures the clock whenever a program starts: 7 ms.
#pragma once

namespace heed::kernels {

// Which version is in use: an index into the tables below. The first call reads HEED_CPU. Thread-safe.
int instruction_set_index();

}  // namespace heed::kernels

// A table of a function's versions, best first, as cpu.cpp lists the instruction sets.
#define HEED_EXPORT(function)                                                              \
  static decltype(&HWY_STATIC_DISPATCH(function)) const HWY_DISPATCH_TABLE(function)[] = { \
      HWY_CHOOSE_AVX3(function), HWY_CHOOSE_AVX2(function), HWY_CHOOSE_SSE4(function), &HWY_STATIC_DISPATCH(function)}
#define HEED_DISPATCH(function) (*HWY_DISPATCH_TABLE(function)[::heed::kernels::instruction_set_index()])
