#include "engine/train/training_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/files/data/tokenizer.h"
#include "engine/files/data/tokenizer_file.h"
#include "sim/base/text_file.h"

namespace quintet::engine {

namespace fs = std::filesystem;

namespace {

constexpr Bytes largest_text{4e9};

bool is_shard(const fs::path& file) {
  return file.extension() == ".bin";
}

// A folder stands for its shards, in order of their names.
Result<std::vector<fs::path>> files_of(const std::vector<fs::path>& given) {
  std::vector<fs::path> files;
  for (const fs::path& path : given) {
    std::error_code error;
    if (!fs::exists(path, error)) return Error{path.string(), "there is no such file or folder"};
    if (!fs::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    std::vector<fs::path> inside;
    for (const fs::directory_entry& entry : fs::directory_iterator(path, error))
      if (is_shard(entry.path())) inside.push_back(entry.path());
    if (inside.empty()) return Error{path.string(), "holds no token shards (*.bin)"};
    std::sort(inside.begin(), inside.end());
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

Result<Tokenizer> tokenizer_of(const TrainingOptions& options) {
  if (options.tokenizer.empty()) return Tokenizer(ByteLevel{});
  Result<BytePairEncoder> encoder = read_tokenizer(options.tokenizer);
  if (!encoder) return encoder.error();
  return Tokenizer(std::move(*encoder));
}

Result<std::string> text_of(const fs::path& file, const Tokenizer& tokenizer, const Model& model) {
  const int needed = vocabulary_size(tokenizer);
  if (model.vocabulary < needed)
    return Error{file.string(), fmt::format("as text needs a vocabulary of {}, the model has {}; "
                                            "use a model with a larger one, or token shards (.bin)",
                                            needed, model.vocabulary)};
  return read_text_file(file, largest_text);
}

Result<TokenShard> read_shard(const fs::path& file, Tokenizer& tokenizer, const Model& model) {
  if (is_shard(file)) {
    Result<TokenFile> shard = TokenFile::open(file);
    if (!shard) return shard.error();
    return TokenShard(std::move(*shard));
  }
  const Result<std::string> text = text_of(file, tokenizer, model);
  if (!text) return text.error();
  return TokenShard(TokensInMemory{file.string(), encode(tokenizer, *text)});
}

Result<BertTasks> bert_tasks(const TrainingOptions& options, const Model& model,
                             std::uint64_t seed) {
  BertTasks tasks;
  const int bytes = vocabulary_size(Tokenizer(ByteLevel{}));
  const bool has_spare_token = options.tokenizer.empty() && model.vocabulary > bytes;
  if (!options.mask_token && !has_spare_token)
    return Error{"--mask-token",
                 "BERT learns to find masked tokens again: name the token that "
                 "stands for a masked one"};
  tasks.masking.mask = options.mask_token.value_or(bytes);
  if (tasks.masking.mask < 0 || tasks.masking.mask >= model.vocabulary)
    return Error{"--mask-token", fmt::format("expected 0 to {}, found {}", model.vocabulary - 1,
                                             tasks.masking.mask)};
  tasks.masking.never = {tasks.masking.mask};
  tasks.masking.vocabulary = model.vocabulary;
  tasks.masking.seed = seed;
  return tasks;
}

std::int64_t targets_in(const Batch& batch) {
  return std::count_if(batch.targets.begin(), batch.targets.end(),
                       [](TokenId target) { return target != no_target; });
}

SampleWork work_of(const Batch& batch) {
  std::vector<int> lengths;
  for (std::size_t i = 0; i + 1 < batch.starts.size(); ++i)
    lengths.push_back(batch.starts[i + 1] - batch.starts[i]);
  return quintet::work_of(lengths);
}

}  // namespace

namespace {

std::optional<Error> too_long(const TrainingOptions& options, const Model& model,
                              int sequence_length) {
  if (sequence_length <= model.max_positions) return std::nullopt;
  return Error{options.plan.string() + ": parallelism.sequence_length",
               fmt::format("{} is more than the model's {} positions", sequence_length,
                           model.max_positions)};
}

Result<TokenWindows> windows_of(const std::vector<fs::path>& given, const TrainingOptions& options,
                                const Model& model, int sequence_length) {
  if (auto wrong = too_long(options, model, sequence_length)) return *wrong;
  const Result<std::vector<fs::path>> files = files_of(given);
  if (!files) return files.error();
  Result<Tokenizer> tokenizer = tokenizer_of(options);
  if (!tokenizer) return tokenizer.error();
  std::vector<TokenShard> shards;
  for (const fs::path& file : *files) {
    Result<TokenShard> shard = read_shard(file, *tokenizer, model);
    if (!shard) return shard.error();
    shards.push_back(std::move(*shard));
  }
  return TokenWindows::make(std::move(shards), sequence_length, model.vocabulary);
}

// A text's documents become a shard each, so that each ends with its shard.
std::optional<Error> add_documents(const fs::path& file, const TrainingOptions& options,
                                   const Model& model, Tokenizer& tokenizer,
                                   std::vector<TokenShard>& shards) {
  if (is_shard(file)) {
    if (!options.end_of_document)
      return Error{"--end-of-document",
                   "which token ends a document of " + file.string() + "? Name its number"};
    Result<TokenShard> shard = read_shard(file, tokenizer, model);
    if (!shard) return shard.error();
    shards.push_back(std::move(*shard));
    return std::nullopt;
  }
  const Result<std::string> text = text_of(file, tokenizer, model);
  if (!text) return text.error();
  for (const std::string& document : paragraphs_of(*text))
    shards.emplace_back(TokensInMemory{file.string(), encode(tokenizer, document)});
  return std::nullopt;
}

Result<std::vector<TokenShard>> document_shards(const TrainingOptions& options,
                                                const Model& model) {
  const Result<std::vector<fs::path>> files = files_of(options.data);
  if (!files) return files.error();
  Result<Tokenizer> tokenizer = tokenizer_of(options);
  if (!tokenizer) return tokenizer.error();
  std::vector<TokenShard> shards;
  for (const fs::path& file : *files)
    if (auto wrong = add_documents(file, options, model, *tokenizer, shards)) return *wrong;
  return shards;
}

Result<BatchSampler> sampler_of(RowSource rows, const SamplerState& from, RowOrder order,
                                const TrainingOptions& options, const Model& model) {
  BatchSampler sampler(std::move(rows), from, order);
  if (model.family != ModelFamily::bert) return sampler;
  const Result<BertTasks> tasks = bert_tasks(options, model, from.seed);
  if (!tasks) return tasks.error();
  sampler.set_bert_tasks(*tasks);
  return sampler;
}

// How many of these windows a share of them is: at least one, where there are two.
Result<std::int64_t> kept_aside(const TokenWindows& windows, double share) {
  if (share <= 0) return std::int64_t{0};
  const std::int64_t all = windows.count();
  const auto aside = std::max<std::int64_t>(
      1, static_cast<std::int64_t>(std::llround(share * static_cast<double>(all))));
  if (aside < all) return aside;
  return Error{"--validate",
               fmt::format("{} of {} sequences leaves none to train on; use a smaller "
                           "share, more data, or a file of its own",
                           share, all)};
}

}  // namespace

namespace {

// The plan's samples: documents as they are, by bins or not, or packed into rows.
Result<BatchSampler> samples_of(const TrainingOptions& options, const Model& model,
                                const Parallelism& parallelism, const SamplerState& from) {
  const int longest = parallelism.sequence_length;
  if (auto wrong = too_long(options, model, longest)) return *wrong;
  if (options.validation.share > 0)
    return Error{
        "--validate",
        "a share of documents of unequal length is not kept aside; give a file of its own"};
  Result<std::vector<TokenShard>> shards = document_shards(options, model);
  if (!shards) return shards.error();
  const TokenId end = options.end_of_document.value_or(-1);
  if (parallelism.samples.draw == SampleDraw::packed) {
    auto rows = PackedDocuments::make(std::move(*shards), {longest, model.vocabulary, end, 0});
    if (!rows) return rows.error();
    return sampler_of(std::move(*rows), from, RowOrder::shuffled, options, model);
  }
  auto documents = WholeDocuments::make(std::move(*shards), {longest, model.vocabulary, end});
  if (!documents) return documents.error();
  if (parallelism.samples.draw == SampleDraw::random)
    return sampler_of(std::move(*documents), from, RowOrder::shuffled, options, model);
  Result<Strata> strata = strata_of(*documents, bins_of(parallelism), counts_of(parallelism));
  if (!strata) return strata.error();
  auto sampler = sampler_of(std::move(*documents), from, RowOrder::shuffled, options, model);
  if (sampler) sampler->set_strata(std::move(*strata));
  return sampler;
}

}  // namespace

Result<BatchSampler> read_training_data(const TrainingOptions& options, const Model& model,
                                        const Parallelism& parallelism, const SamplerState& from) {
  if (parallelism.samples.vary()) return samples_of(options, model, parallelism, from);
  if (options.end_of_document)
    return Error{"--end-of-document",
                 "is about samples of unequal length; set parallelism.samples in the plan"};
  Result<TokenWindows> windows =
      windows_of(options.data, options, model, parallelism.sequence_length);
  if (!windows) return windows.error();
  const Result<std::int64_t> aside = kept_aside(*windows, options.validation.share);
  if (!aside) return aside.error();
  windows->keep(0, windows->count() - *aside);
  return sampler_of(std::move(*windows), from, RowOrder::shuffled, options, model);
}

Result<BatchSampler> read_validation_data(const TrainingOptions& options, const Model& model,
                                          int sequence_length) {
  const bool own = !options.validation.data.empty();
  Result<TokenWindows> windows = windows_of(
      own ? std::vector{options.validation.data} : options.data, options, model, sequence_length);
  if (!windows) return windows.error();
  if (!own) {
    const Result<std::int64_t> aside = kept_aside(*windows, options.validation.share);
    if (!aside) return aside.error();
    windows->keep(windows->count() - *aside, *aside);
  }
  return sampler_of(std::move(*windows), {.seed = options.seed}, RowOrder::as_in_the_file, options,
                    model);
}

std::optional<Error> check_data(const TrainingOptions& options, const Model& model,
                                const Parallelism& parallelism) {
  constexpr std::int64_t most = std::int64_t{1} << 30;
  const int sequence_length = parallelism.sequence_length;
  if (parallelism.samples.vary() || options.end_of_document)
    if (const auto samples = read_training_data(options, model, parallelism, {}); !samples)
      return samples.error();
  std::vector<std::vector<fs::path>> given;
  if (!parallelism.samples.vary()) given.push_back(options.data);
  if (!options.validation.data.empty()) given.push_back({options.validation.data});
  for (const std::vector<fs::path>& files : given) {
    const Result<TokenWindows> windows = windows_of(files, options, model, sequence_length);
    if (!windows) return windows.error();
    if (const auto wrong = windows->check_tokens(most)) return wrong;
    const Result<std::int64_t> aside = kept_aside(*windows, options.validation.share);
    if (!aside) return aside.error();
  }
  if (model.family != ModelFamily::bert && options.mask_token)
    return Error{"--mask-token", "only BERT masks tokens; leave it out, or train a BERT"};
  if (model.family != ModelFamily::bert) return std::nullopt;
  const Result<BertTasks> tasks = bert_tasks(options, model, 0);
  return tasks ? std::nullopt : std::optional(tasks.error());
}

Result<StepInput> step_input(const BatchSampler& sampler, const Model& model,
                             const Parallelism& parallelism, int replica) {
  StepInput input;
  std::int64_t targets = 0;
  // Which tokens are masked is the sequence's own affair, and how long a document is: others'
  // batches are counted by making them.
  const bool all_count = model.family != ModelFamily::bert && sampler.all_count();
  for (int other = 0; other < parallelism.data; ++other) {
    if (all_count && other != replica) continue;
    for (int micro = 0; micro < parallelism.micro_batches; ++micro) {
      Result<Batch> batch =
          sampler.batch({other, micro, parallelism.micro_batches, parallelism.micro_batch});
      if (!batch) return batch.error();
      if (model.token_types > 0 && batch->types.empty()) batch->types.resize(batch->tokens.size());
      targets += targets_in(*batch);
      input.work = sum(input.work, work_of(*batch));
      if (other == replica) input.micro_batches.push_back(std::move(*batch));
    }
  }
  if (all_count) targets *= parallelism.data;
  input.targets = static_cast<double>(std::max<std::int64_t>(targets, 1));
  return input;
}

}  // namespace quintet::engine
