#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>

#include "pow/pow.h"

namespace wrkz {
namespace {

// Repetitions of a measurement: few for algorithms with hashes of several milliseconds; for fast ones enough that an
// idle core reaches its full clock speed.
constexpr int kRepetitions[kPowAlgorithms] = {1, 2, 6, 30, 0};

double SecondsPerHash(PowAlgorithm algorithm, size_t lanes) {
  uint8_t data[kMaxLanes][64] = {};
  uint8_t hashes[kMaxLanes][32];
  PowInput inputs[kMaxLanes];
  for (size_t i = 0; i < lanes; i++) {
    data[i][0] = static_cast<uint8_t>(i);
    inputs[i] = {data[i], sizeof data[i]};
  }
  const auto start = std::chrono::steady_clock::now();
  PowHashes(algorithm, inputs, lanes, hashes);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / static_cast<double>(lanes);
}

// The fastest of the supported numbers of lanes. Compares the best times, measured in rotation, so that other load on
// the machine does not affect only one of them.
size_t Measure(PowAlgorithm algorithm) {
  const CnKernel* kernels = CurrentImplementation().cryptonight.run[static_cast<size_t>(algorithm)];
  double best[kMaxLanes];
  for (double& seconds : best) seconds = 1e9;
  for (int turn = 0; turn < kRepetitions[static_cast<size_t>(algorithm)]; turn++) {
    for (size_t lanes = 1; lanes <= kMaxLanes; lanes++) {
      if (kernels[lanes - 1] == nullptr) continue;
      const double seconds = SecondsPerHash(algorithm, lanes);
      if (seconds < best[lanes - 1]) best[lanes - 1] = seconds;
    }
  }
  const double fastest = *std::min_element(best, best + kMaxLanes);
  size_t chosen = 1;
  for (size_t lanes = 2; lanes <= kMaxLanes; lanes++) {
    // Differences within the measurement noise count as equal. Among equals, more lanes win: they take longest, so
    // other load distorts their time most.
    if (best[lanes - 1] < 1.04 * fastest) chosen = lanes;
  }
  return chosen;
}

struct Choice {
  std::mutex mutex;
  const PowImplementation* measured = nullptr;
  size_t lanes = 1;
};

}  // namespace

size_t BestLanes(PowAlgorithm algorithm) {
  static Choice choices[kPowAlgorithms];
  if (MostLanes(algorithm) == 1) return 1;
  Choice& choice = choices[static_cast<size_t>(algorithm)];
  std::lock_guard<std::mutex> lock(choice.mutex);
  if (choice.measured != &CurrentImplementation()) {
    choice.measured = &CurrentImplementation();
    choice.lanes = Measure(algorithm);
  }
  return choice.lanes;
}

size_t MostLanes(PowAlgorithm algorithm) {
  if (algorithm == PowAlgorithm::Chukwa) return 1;
  const CnKernel* kernels = CurrentImplementation().cryptonight.run[static_cast<size_t>(algorithm)];
  size_t most = 1;
  for (size_t lanes = 2; lanes <= kMaxLanes; lanes++) {
    if (kernels[lanes - 1] != nullptr) most = lanes;
  }
  return most;
}

}  // namespace wrkz
