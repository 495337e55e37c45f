// Answers for people: a head per plan, and what its step rests on. Pure.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/answer/answer.h"

namespace quintet {

// llama-3-70b-1024-h100-tp8-pp4
//   layout     TP 8 x PP 4 x DP 32 on 1,024 H100-SXM-80GB in 128 hosts; 1f1b, optimizer sharded
//   batch      1,024 sequences of 8,192 tokens: 8.39 million tokens a step, in 32 micro-batches
//   step       8761.1 ms; 90 % of such steps take 7900 to 10400 ms, by 61 published steps on ...
//   speed      42.5 % MFU, 957,487 tokens/s, 935 per GPU
//   memory     fits: 38.25 of 80.00 GiB (47.8 %) on rank 0 (stage 0)
//   rests on   published 54 %, borrowed 31 %, guessed 2 %; bubbles and waiting 13 %
// and, where there is any, `run`, `money`, `moved by` and remarks. Lines of at most 100 columns.
std::string head_text(const Answer& answer);

// The same before it is lines: {"layout", "TP 8 x PP 4 ..."}, without the name.
std::vector<std::pair<std::string, std::string>> head_rows(const Answer& answer);

// A row per part of the step: its share, and how much of the step each evidence carries there.
std::string basis_table(const Provenance& basis);

// "7900 to 10400 ms"
std::string range_text(const StepInterval& interval);

}  // namespace quintet
