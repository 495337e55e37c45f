// Quintet from C++: find_package(quintet), link quintet::quintet.
//
//   #include <quintet/quintet.h>
//   namespace q = quintet::api;
//   const q::Prediction step = q::predict(q::load_model("llama-3-70b"),
//                                         q::load_plan("llama-3-70b-1024-h100-tp8-pp4"),
//                                         q::load_topology("dgx-h100-1024"));
//   step.numbers().step_s;  // 8.76
//
// Values in, values out. What is wrong with the input is a Failure with its place. What stands in
// these headers stays as it is within a minor version; the rest of the library is its own.
#pragma once

#include <string>

#include "quintet/compare.h"
#include "quintet/export.h"
#include "quintet/failure.h"
#include "quintet/files.h"
#include "quintet/predict.h"
#include "quintet/timeline.h"

namespace quintet::api {

// As `quintet --version` prints it: version, commit, build, and which optional parts are in it.
QUINTET_API std::string version_text();
QUINTET_API std::string version();  // "0.1.0"

// Where the shipped files lie.
QUINTET_API std::string data_folder();

}  // namespace quintet::api
