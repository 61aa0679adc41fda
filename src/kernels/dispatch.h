// Choosing the version of a kernel at run time. A kernel has one name in three namespaces: kernels::f is the public
// function, which checks its arguments; kernels::ref::f<T> holds the reference loops for float and double;
// kernels::HWY_NAMESPACE::f is the SIMD version for float, compiled once per instruction set. Highway's own dispatch
// would do, but its library measures the clock frequency whenever a program starts, which takes 7 ms.
#pragma once

namespace heed::kernels {

// The instruction set in use: an index into the table below. The first call reads HEED_CPU. Thread-safe.
int instruction_set_index();

}  // namespace heed::kernels

// The version of a SIMD function for the instruction set in use; the table has the order of kSets in cpu.cpp.
#define HEED_DISPATCH(function)                                                          \
  ([] {                                                                                  \
    static constexpr decltype(&HWY_STATIC_DISPATCH(function)) kVersions[] = {            \
        HWY_CHOOSE_AVX3(function), HWY_CHOOSE_AVX2(function), HWY_CHOOSE_SSE4(function), \
        &HWY_STATIC_DISPATCH(function)};                                                 \
    return kVersions[::heed::kernels::instruction_set_index()];                          \
  }())

// Runs a kernel on tensors of `type`: the reference loops on f64, the SIMD version on f32.
#define HEED_RUN(function, type, ...) \
  ((type) == DType::f64 ? ref::function<double>(__VA_ARGS__) : HEED_DISPATCH(function)(__VA_ARGS__))
// The same for kernels without a SIMD version.
#define HEED_RUN_REF(function, type, ...) \
  ((type) == DType::f64 ? ref::function<double>(__VA_ARGS__) : ref::function<float>(__VA_ARGS__))
