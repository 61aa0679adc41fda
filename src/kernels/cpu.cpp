#include "kernels/cpu.h"

#include <hwy/targets.h>

#include <cstdlib>
#include <fstream>

#include "base/error.h"
#include "kernels/dispatch.h"

namespace heed::kernels {
namespace {

struct InstructionSet {
  const char* name;
  const char* variable;  // its name in HEED_CPU
  std::int64_t targets;  // Highway's targets up to this one
};

// Best first. Each allows itself and everything below it.
constexpr std::int64_t kScalar = HWY_STATIC_TARGET;
constexpr InstructionSet kSets[] = {
    {"AVX-512", "avx512", HWY_AVX3 | HWY_AVX2 | HWY_SSE4 | kScalar},
    {"AVX2", "avx2", HWY_AVX2 | HWY_SSE4 | kScalar},
    {"SSE4", "sse4", HWY_SSE4 | kScalar},
    {"scalar", "scalar", kScalar},
};

const std::int64_t kMachine = hwy::SupportedTargets();

bool available(const InstructionSet& set) {
  // A set is there where the machine has its best target: the lowest bit of the mask.
  return (kMachine & set.targets & -set.targets) != 0 || set.targets == kScalar;
}

void use(const InstructionSet& set) {
  hwy::SetSupportedTargetsForTest(kMachine & set.targets);
  hwy::GetChosenTarget().Update(kMachine & set.targets);
}

const InstructionSet* chosen = nullptr;

const InstructionSet& choose() {
  const char* wanted = std::getenv("HEED_CPU");
  if (wanted != nullptr && *wanted != '\0') {
    for (const InstructionSet& set : kSets) {
      if (std::string_view(wanted) != set.variable) continue;
      check<UsageError>(available(set), "HEED_CPU={}: this machine does not have {}; its best is {}", wanted, set.name,
                        instruction_sets().front());
      return set;
    }
    throw UsageError("HEED_CPU={}: expected scalar, sse4, avx2 or avx512", wanted);
  }
  for (const InstructionSet& set : kSets)
    if (available(set)) return set;
  return kSets[std::size(kSets) - 1];
}

}  // namespace

void select_instruction_set() {
  static const bool done = [] {
    chosen = &choose();
    use(*chosen);
    return true;
  }();
  (void)done;
}

std::string instruction_set() {
  select_instruction_set();
  return chosen->name;
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
    if (available(set)) names.emplace_back(set.name);
  return names;
}

void use_instruction_set(const std::string& name) {
  select_instruction_set();
  for (const InstructionSet& set : kSets) {
    if (name != set.name) continue;
    check<UsageError>(available(set), "this machine does not have {}", name);
    chosen = &set;
    use(set);
    return;
  }
  throw UsageError("{} is no instruction set that heed knows", name);
}

}  // namespace heed::kernels
