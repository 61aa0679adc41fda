#include "kernels/cpu.h"

#include <cpuid.h>
#include <hwy/detect_targets.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>

#include "base/error.h"
#include "kernels/dispatch.h"

namespace heed::kernels {
namespace {

struct InstructionSet {
  const char* name;
  const char* variable;  // its value in HEED_CPU
  bool available;        // compiled in, and this machine has all features that Highway requires for it
};

#define HEED_CPU_HAS(feature) (__builtin_cpu_supports(feature) != 0)

bool has_sse4() {
  return HEED_CPU_HAS("sse4.1") && HEED_CPU_HAS("sse4.2") && HEED_CPU_HAS("pclmul") && HEED_CPU_HAS("aes");
}
// Read with cpuid, because clang 14 does not know the name "f16c". Usable if AVX is.
bool has_f16c() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
}
bool has_avx2() {
  return has_sse4() && HEED_CPU_HAS("avx2") && HEED_CPU_HAS("fma") && HEED_CPU_HAS("bmi") && HEED_CPU_HAS("bmi2") &&
         has_f16c();
}
bool has_avx512() {
  return has_avx2() && HEED_CPU_HAS("avx512f") && HEED_CPU_HAS("avx512vl") && HEED_CPU_HAS("avx512dq") &&
         HEED_CPU_HAS("avx512bw") && HEED_CPU_HAS("avx512cd");
}

// Best first, in the order of the table in HEED_DISPATCH.
const InstructionSet kSets[] = {
    {"AVX-512", "avx512", (HWY_TARGETS & HWY_AVX3) != 0 && has_avx512()},
    {"AVX2", "avx2", (HWY_TARGETS & HWY_AVX2) != 0 && has_avx2()},
    {"SSE4", "sse4", (HWY_TARGETS & HWY_SSE4) != 0 && has_sse4()},
    {"scalar", "scalar", true},
};

int index_of(const InstructionSet* set) {
  return static_cast<int>(set - std::begin(kSets));
}

int choose() {
  const char* const name = std::getenv("HEED_CPU");
  if (name == nullptr || *name == '\0') return index_of(std::ranges::find(kSets, true, &InstructionSet::available));
  const InstructionSet* const set = std::ranges::find(kSets, std::string_view(name), &InstructionSet::variable);
  check<UsageError>(set != std::end(kSets), "HEED_CPU={}: expected scalar, sse4, avx2 or avx512", name);
  check<UsageError>(set->available, "HEED_CPU={}: this machine does not have {}; its best is {}", name, set->name,
                    instruction_sets().front());
  return index_of(set);
}

// Atomic because every thread reads it and tests change it.
std::atomic<int>& chosen() {
  static std::atomic<int> index = choose();
  return index;
}

std::atomic<bool> vnni_allowed = true;

}  // namespace

bool uses_vnni() {
  static const bool available = kSets[0].available && HEED_CPU_HAS("avx512vnni");
  return available && instruction_set_index() == 0 && vnni_allowed.load(std::memory_order_relaxed);
}

void allow_vnni(bool allowed) {
  vnni_allowed = allowed;
}

int instruction_set_index() {
  return chosen().load(std::memory_order_relaxed);
}

std::string instruction_set() {
  return kSets[instruction_set_index()].name;
}

std::string instruction_set_variable() {
  return kSets[instruction_set_index()].variable;
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name") && line.find(": ") != line.npos) return line.substr(line.find(": ") + 2);
  return "";
}

std::vector<std::string> instruction_sets() {
  std::vector<std::string> names;
  for (const InstructionSet& set : kSets)
    if (set.available) names.emplace_back(set.name);
  return names;
}

void use_instruction_set(const std::string& name) {
  const InstructionSet* const set = std::ranges::find(kSets, name, &InstructionSet::name);
  check<UsageError>(set != std::end(kSets) && set->available, "this machine does not have {}", name);
  chosen() = index_of(set);
}

}  // namespace heed::kernels
