// Output of nccl-tests, which `quintet fit` reads (calibrate/fit/measurement_files.h): times of
// collectives alone, no trace of a job. Here it is only told apart, so that whoever gives it to be
// replayed can be sent there.
#pragma once

#include <string_view>

namespace quintet {

// Its table as text, or its JSON (-J).
bool is_nccl_tests(std::string_view beginning);

}  // namespace quintet
