// heed report: writes the report of a training run.
#include "base/error.h"
#include "command.h"
#include "train/run_directory.h"
#include "viz/report.h"

namespace heed::cli {
namespace report_command {

struct Values {
  std::string directory, out;
};

void declare(Options& o, Values& v) {
  o.positional("DIR", v.directory, "a run directory; training may still be running")
      .reads([](const std::string& directory) { return train::RunDirectory(directory).kept_files(); });
  o.flag("out", v.out, "output file; default: report.html in the directory").value("FILE.html").writes();
}

int run(Values& v, Options& /*options*/) {
  for (const char* other : {".svg", ".png", ".pdf", ".json", ".csv"})
    check<UsageError>(!v.out.ends_with(other), "--out {}: the report is a page; choose a name that ends in .html",
                      v.out);
  viz::RunReport(v.directory).write(v.out);
  say("heed: wrote {}\n", v.out.empty() ? train::RunDirectory(v.directory).file("report.html") : v.out);
  return 0;
}

}  // namespace report_command

const Command kReport{.name = "report",
                      .group = "Models",
                      .summary = "write the report of a training run: curves, translations, attention",
                      .example = "heed report run --out report.html",
                      .make = action<report_command::Values, report_command::declare, report_command::run>};

}  // namespace heed::cli
