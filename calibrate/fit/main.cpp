// quintet-fit: a cost table from other tools' measurements. Started by `quintet fit`.

#include <exception>
#include <string>
#include <vector>

#include "calibrate/fit/fit_command.h"
#include "sim/usage/complain.h"
#include "sim/usage/run_verb.h"

int main(int count, char** words) {
  using namespace quintet;
  try {
    std::vector<std::string> given(words + (count > 0 ? 1 : 0), words + count);
    CommandLine program{"Makes cost tables from measurements."};
    program.verbs.push_back(calibrate::fit_verb());
    given.insert(given.begin(), "fit");
    return static_cast<int>(after_writing_out(run_verb(program, given)));
  } catch (const std::exception& failure) {
    return static_cast<int>(quintet::complain({"", failure.what()}));
  }
}
