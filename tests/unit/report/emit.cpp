// Writes the JSON of a made-up run to standard output, for the check against the schema.
//   report_emit plausible|hot|hostile|none|crosscheck
#include <cstdio>
#include <string>

#include "crosscheck_fixture.hpp"
#include "fixture.hpp"
#include "report/crosscheck.hpp"
#include "report/json.hpp"

int main(int count, char** words) {
  using namespace warpclock::report;
  const std::string which = count == 2 ? words[1] : "";
  Run run;
  if (which == "plausible") run = plausible();
  if (which == "hot") run = hot();
  if (which == "hostile") run = hostile();
  const GermanLocale german;
  const auto text = which == "crosscheck" ? crosscheck_json(made_up_crosscheck()) : json(run.environment, run.results);
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 1;
}
