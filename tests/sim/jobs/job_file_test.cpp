// Files of jobs: read, written, refused with the place of what is wrong.
#include "sim/jobs/job_file.h"

#include <gtest/gtest.h>

namespace quintet {
namespace {

std::string with_jobs(const std::string& jobs) {
  return R"({"name": "test", "jobs": [)" + jobs + "]}";
}
const std::string least_job = R"({"name": "a", "model": "gpt2", "plan": "p.json"})";

std::string refusal(const std::string& text) {
  const Result<JobFile> file = parse_jobs(text, "jobs.json");
  return file ? "" : file.error().text();
}

TEST(JobFile, ReadsWhatItWrites) {
  JobFile file{"test", "made up", {}, {}};
  JobEntry entry{.name = "a", .model = "gpt2", .plan = "p.json", .hosts = 2, .gpus_per_host = 4};
  entry.steps = 7;
  entry.arrives = {1.5};
  entry.priority = 3;
  entry.weight = 2.5;
  entry.routing = Routing::ecmp;
  entry.hash_seed = 9;
  entry.on_hosts = {4, 1};
  entry.first_gpu = 2;
  entry.offset = {0.0123456789012345};
  entry.pace = {2};
  file.jobs = {entry, {.name = "b", .model = "gpt2", .plan = "q.json"}};
  file.published = {{"a slower", "a", Policy::crux, 1.1, "a paper"}};
  const Result<JobFile> read = parse_jobs(jobs_text(file), "jobs.json");
  ASSERT_TRUE(read.has_value()) << read.error().text();
  EXPECT_EQ(*read, file);
}

TEST(JobFile, NamesThePlaceOfWhatIsWrong) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> rows{
      {with_jobs(""), {"jobs.json: jobs", "one job or more"}},
      {with_jobs(least_job + "," + least_job), {"jobs.json: jobs", "\"a\"", "another name"}},
      {with_jobs(R"({"name": "a", "model": "gpt2"})"), {"jobs[0].plan", "missing"}},
      {with_jobs(R"({"name": "a", "model": "m", "plan": "p", "hosts": 0})"),
       {"jobs[0].hosts", "0"}},
      {with_jobs(R"({"name": "a", "model": "m", "plan": "p", "arrives": 3})"),
       {"jobs[0].arrives", "3"}},
      {with_jobs(R"({"name": "a", "model": "m", "plan": "p", "priority": 8})"),
       {"jobs[0].priority", "8"}},
      {with_jobs(R"({"name": "a", "model": "m", "plan": "p", "hosts": 3, "on_hosts": [1, 1, 2]})"),
       {"jobs[0].on_hosts", "2 different hosts, expected 3"}},
      {with_jobs(R"({"name": "a", "model": "m", "plan": "p", "first_gpu": 2})"),
       {"jobs[0].first_gpu", "on_hosts"}},
      {with_jobs(R"({"name": "a", "model": "m", "plan": "p", "gpus": 2})"), {"jobs[0]", "gpus"}},
      {R"({"name": "t", "jobs": [)" + least_job +
           R"(], "published": [{"what": "w", "job": "z", "ratio": 1.1, "source": "s"}]})",
       {"published[0].job", "\"z\""}},
  };
  for (const auto& [text, words] : rows)
    for (const std::string& word : words)
      EXPECT_NE(refusal(text).find(word), std::string::npos) << text << "\n" << refusal(text);
}

}  // namespace
}  // namespace quintet
