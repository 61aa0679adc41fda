// heed parity: compares heed's numbers with those that PyTorch computed, and prints the largest errors.
#include "base/error.h"
#include "base/json.h"
#include "base/numbers.h"
#include "base/shared_options.h"
#include "base/utf8.h"
#include "command.h"
#include "inspect/parity.h"

namespace heed::cli {
namespace parity_command {

struct Values {
  std::vector<std::string> files;
  bool json = false;
};

void declare(Options& o, Values& v) {
  o.positional("FILE", v.files, "golden files (safetensors); those with an optimizer's losses are skipped").reads();
  declare_json(o, v.json, "one JSON object for all files");
}

Json to_json(const inspect::ParityReport& report) {
  Json rows = Json::array();
  for (const inspect::ParityRow& row : report.rows)
    rows.push_back({{"quantity", row.quantity},
                    {"mode", row.mode},
                    {"error", row.error},
                    {"tolerance", row.tolerance},
                    {"passed", row.passed()}});
  return {{"file", report.file}, {"system", report.system}, {"passed", report.passed()}, {"rows", rows}};
}

void print(const inspect::ParityReport& report) {
  write_output("{}: {}, {}, {}\n", report.file, report.system, counted(report.sentences, "sentence"),
               counted(report.parameters, "parameter tensor"));
  write_output("  {:<38} {:<11} {:>9} {:>9}\n", "largest error of", "computed", "error", "allowed");
  for (const inspect::ParityRow& row : report.rows)
    write_output("  {:<38} {:<11} {:>9.1e} {:>9.1e}  {}\n", row.quantity, row.mode, row.error, row.tolerance,
                 row.passed() ? "ok" : "FAILED at " + row.where);
}

int run(Values& v, Options& /*options*/) {
  Json all = Json::array();
  std::size_t passed = 0;
  std::vector<std::string> golden, skipped;
  for (const std::string& file : v.files) (inspect::is_trajectory(file) ? skipped : golden).push_back(file);
  check<InputError>(!golden.empty(), "there is nothing to compare: {} contains only the losses of an optimizer",
                    skipped.size() == 1 ? in_quotes(skipped.front()) : "each of the files");
  for (const std::string& file : golden) {
    const inspect::ParityReport report = inspect::check_parity(file);
    if (report.passed()) ++passed;
    if (v.json)
      all.push_back(to_json(report));
    else
      print(report);
  }
  for (const std::string& file : skipped)
    if (!v.json) write_output("{}: losses of ten updates, skipped: the tests of the optimizers compare them\n", file);
  if (v.json)
    print_json({{"passed", passed == golden.size()}, {"files", all}, {"skipped", skipped}});
  else
    write_output("{} of {} files agree{}\n", passed, golden.size(),
                 skipped.empty() ? "" : fmt::format(" ({} skipped)", skipped.size()));
  return passed == golden.size() ? 0 : 1;
}

}  // namespace parity_command

const Command kParity{
    .name = "parity",
    .group = "Models",
    .summary = "compare heed's numbers with those that PyTorch computed, and print the largest errors",
    .example = "heed parity tests/model/golden/vanilla.safetensors",
    .make = action<parity_command::Values, parity_command::declare, parity_command::run>};

}  // namespace heed::cli
