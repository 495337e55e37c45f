#include "quintet/failure.h"

#include "sim/base/result.h"

namespace quintet::api {

Failure::Failure(const std::string& place, const std::string& reason)
    : std::runtime_error(Error{place, reason}.text()), place_(place), reason_(reason) {}

Failure::~Failure() = default;

}  // namespace quintet::api
