#include "pow/napi_pow.h"

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "common/async.h"
#include "common/bytes.h"
#include "common/cpu.h"
#include "common/napi_modules.h"
#include "common/napi_util.h"
#include "common/thread_pool.h"
#include "pow/pow.h"

namespace wrkz {
namespace {

struct HashJob {
  PowAlgorithm algorithm;
  size_t offset, size;
  size_t index;  // position of the hash in the result
};

// Any number of hashes. Each thread takes the next few of one algorithm: the number that is fastest interleaved, but not
// so many that another thread would be idle.
class HashManyBatch : public Batch {
 public:
  HashManyBatch(std::vector<HashJob> jobs, std::vector<uint8_t> data)
      : jobs_(std::move(jobs)), data_(std::move(data)), hashes_(32 * jobs_.size()) {
    std::stable_sort(jobs_.begin(), jobs_.end(), [](const HashJob& x, const HashJob& y) { return x.algorithm < y.algorithm; });
    threads_ = ThreadPool::Compute().limit();
  }

  size_t chunks() const override { return std::min(jobs_.size(), threads_); }

  void Work(size_t) override {
    size_t at, count;
    while (!Abandoned() && Take(&at, &count)) {
      PowInput inputs[kMaxLanes];
      uint8_t hashes[kMaxLanes][32];
      for (size_t i = 0; i < count; i++) inputs[i] = {data_.data() + jobs_[at + i].offset, jobs_[at + i].size};
      PowHashes(jobs_[at].algorithm, inputs, count, hashes);
      for (size_t i = 0; i < count; i++) std::copy_n(hashes[i], 32, hashes_.data() + 32 * jobs_[at + i].index);
    }
  }

  Napi::Value Result(Napi::Env env) override { return MakeBuffer(env, hashes_.data(), hashes_.size()); }

 private:
  bool Take(size_t* at, size_t* count) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (next_ == jobs_.size()) return false;
    const PowAlgorithm algorithm = jobs_[next_].algorithm;
    const size_t share = (jobs_.size() - next_ + threads_ - 1) / threads_;
    // The measurement pays off only for a batch; a few jobs run one at a time.
    const size_t lanes = share > 2 ? BestLanes(algorithm) : share;
    const size_t most = std::min({lanes, share, kMaxLanes});
    *at = next_;
    while (next_ < jobs_.size() && next_ - *at < most && jobs_[next_].algorithm == algorithm) next_++;
    *count = next_ - *at;
    return true;
  }

  std::vector<HashJob> jobs_;
  std::vector<uint8_t> data_;
  std::vector<uint8_t> hashes_;
  std::mutex mutex_;
  size_t next_ = 0;
  size_t threads_;
};

// A measurement that must not run on the JavaScript thread.
class LanesBatch : public Batch {
 public:
  explicit LanesBatch(PowAlgorithm algorithm) : algorithm_(algorithm) {}
  void Work(size_t) override { lanes_ = BestLanes(algorithm_); }
  Napi::Value Result(Napi::Env env) override { return Napi::Number::New(env, static_cast<double>(lanes_)); }

 private:
  PowAlgorithm algorithm_;
  size_t lanes_ = 1;
};

PowAlgorithm AlgorithmOf(Napi::Env env, uint64_t number) {
  if (number >= kPowAlgorithms) throw Napi::RangeError::New(env, "unknown proof of work");
  return static_cast<PowAlgorithm>(number);
}

Napi::Value PowHashJs(const Napi::CallbackInfo& info) {
  const PowAlgorithm algorithm = RequireAlgorithm(info, 0);
  const Bytes data = RequireBytes(info, 1, "data");
  RequireInputSize(info.Env(), algorithm, data.size);
  uint8_t* out = RequireOutput(info, 2, 32);
  const PowInput input = {data.data, data.size};
  uint8_t hash[1][32];
  PowHashes(algorithm, &input, 1, hash);
  std::copy_n(hash[0], 32, out);
  return info[2];
}

// algorithms: one byte per job; lengths: four little-endian bytes per job; data: all inputs, concatenated.
Napi::Value PowHashManyJs(const Napi::CallbackInfo& info) {
  const Bytes algorithms = RequireBytes(info, 0, "algorithms");
  const Bytes lengths = RequireBytes(info, 1, "lengths", 4 * algorithms.size);
  const Bytes data = RequireBytes(info, 2, "data");
  std::vector<HashJob> jobs;
  jobs.reserve(algorithms.size);
  size_t offset = 0;
  for (size_t i = 0; i < algorithms.size; i++) {
    const PowAlgorithm algorithm = AlgorithmOf(info.Env(), algorithms.data[i]);
    const size_t size = Load32(lengths.data + 4 * i);
    if (size > data.size - offset) throw Napi::RangeError::New(info.Env(), "lengths exceed the data");
    RequireInputSize(info.Env(), algorithm, size);
    jobs.push_back({algorithm, offset, size, i});
    offset += size;
  }
  return StartBatch(info.Env(), std::make_shared<HashManyBatch>(std::move(jobs), data.Copy()));
}

Napi::Value PowLanesJs(const Napi::CallbackInfo& info) {
  return StartBatch(info.Env(), std::make_shared<LanesBatch>(RequireAlgorithm(info, 0)));
}

Napi::Value CheckHashJs(const Napi::CallbackInfo& info) {
  const Bytes hash = RequireBytes(info, 0, "hash", 32);
  return Napi::Boolean::New(info.Env(), CheckHash(hash.data, RequireUint64(info, 1, "difficulty")));
}

Napi::Value ImplementationJs(const Napi::CallbackInfo& info) {
  return Napi::String::New(info.Env(), CurrentImplementation().name);
}

Napi::Value SetImplementationJs(const Napi::CallbackInfo& info) {
  if (!info[0].IsString()) throw Napi::TypeError::New(info.Env(), "name must be a string");
  return Napi::Boolean::New(info.Env(), SelectImplementation(info[0].As<Napi::String>().Utf8Value().c_str()));
}

Napi::Value CpuFeaturesJs(const Napi::CallbackInfo& info) {
  const CpuFeatures& cpu = Cpu();
  Napi::Object features = Napi::Object::New(info.Env());
  features.Set("aesni", cpu.aesni);
  features.Set("avx2", cpu.avx2);
  features.Set("bmi2", cpu.bmi2);
  features.Set("avx512", cpu.avx512);
  features.Set("vaes", cpu.vaes);
  features.Set("fma", cpu.fma);
  features.Set("ifma", cpu.ifma);
  features.Set("armAes", cpu.armAes);
  return features;
}

Napi::Value TimeStampJs(const Napi::CallbackInfo& info) { return Napi::BigInt::New(info.Env(), TimeStamp()); }

}  // namespace

PowAlgorithm RequireAlgorithm(const Napi::CallbackInfo& info, size_t index) {
  return AlgorithmOf(info.Env(), RequireInteger(info, index, "algorithm", 255));
}

void RequireInputSize(Napi::Env env, PowAlgorithm algorithm, size_t size) {
  const size_t minimum = kMinimumInput[static_cast<size_t>(algorithm)];
  if (size < minimum) {
    throw Napi::RangeError::New(env, "data must be at least " + std::to_string(minimum) + " bytes for this proof of work");
  }
}

void RegisterPow(Napi::Env env, Napi::Object exports) {
  exports.Set("powHash", Napi::Function::New(env, PowHashJs));
  exports.Set("powHashMany", Napi::Function::New(env, PowHashManyJs));
  exports.Set("powLanes", Napi::Function::New(env, PowLanesJs));
  exports.Set("checkHash", Napi::Function::New(env, CheckHashJs));
  exports.Set("implementation", Napi::Function::New(env, ImplementationJs));
  exports.Set("setImplementation", Napi::Function::New(env, SetImplementationJs));
  exports.Set("timeStamp", Napi::Function::New(env, TimeStampJs));
  exports.Set("cpuFeatures", Napi::Function::New(env, CpuFeaturesJs));
}

}  // namespace wrkz
