#include "quintet/quintet.h"
#include "sim/usage/build_facts.h"
#include "sim/usage/shipped.h"

namespace quintet::api {

std::string version_text() {
  return quintet::version_text(build_facts());
}

std::string version() {
  return build_facts().version;
}

std::string data_folder() {
  return data_directory().string();
}

}  // namespace quintet::api
