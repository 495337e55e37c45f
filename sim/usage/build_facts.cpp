// Not in quintet_sim: it changes with every commit, and few programs say it.
#include "sim/usage/build_facts.h"

#include "quintet_build_facts.h"

namespace quintet {

BuildFacts build_facts() {
  return {QUINTET_VERSION, QUINTET_COMMIT, QUINTET_DATE, QUINTET_BUILD_TYPE, {QUINTET_PARTS}};
}

std::string version_text(const BuildFacts& facts) {
  std::string with, without;
  for (const OptionalPart& part : facts.parts) {
    std::string& list = part.is_in ? with : without;
    list += (list.empty() ? "" : ", ") + part.name;
  }
  return "quintet " + facts.version + "\ncommit   " +
         (facts.commit.empty() ? "not known" : facts.commit) + "\nbuild    " + facts.build_type +
         "\nwith     " + (with.empty() ? "nothing" : with) + "\nwithout  " +
         (without.empty() ? "nothing" : without);
}

}  // namespace quintet
