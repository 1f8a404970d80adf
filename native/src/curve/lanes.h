// Batch kernels over a field of several lanes, for secrets too: every step runs for all lanes at once, in constant time.
// Included by one file per instruction set, built with the flags of that set. Nothing here may therefore be an inline
// function with external linkage that other files share.
#pragma once

#include "curve/batch.h"
#include "curve/map.h"
#include "curve/multiply.h"
#include "hash/keccak.h"

namespace wrkz::curve {

template <class F>
struct LaneForms {
  static constexpr int kLanes = F::kLanes;
  static constexpr size_t kLaneCount = F::kLanes;

  // The items of one round. Lanes past the end repeat the last item and write to a separate scratch buffer.
  struct Round {
    size_t first, count;
    size_t Item(int lane) const {
      const size_t item = first + static_cast<size_t>(lane);
      return item < count ? item : count - 1;
    }
    bool Holds(int lane) const { return first + static_cast<size_t>(lane) < count; }
  };

  struct Pointers {
    const uint8_t* of[kLanes];
    Pointers(const uint8_t* items, const Round& round) {
      for (int lane = 0; lane < kLanes; ++lane) of[lane] = items + 32 * round.Item(lane);
    }
    Pointers() = default;
  };

  struct Results {
    uint8_t* of[kLanes];
    uint8_t scratch[kLanes][32];
    Results(uint8_t* items, size_t stride, const Round& round) {
      for (int lane = 0; lane < kLanes; ++lane) {
        of[lane] = round.Holds(lane) ? items + stride * round.Item(lane) : scratch[lane];
      }
    }
  };

  struct LaneDigits {
    int8_t of[kDigits * kLanes];
    explicit LaneDigits(const uint8_t* const scalars[kLanes]) {
      for (int lane = 0; lane < kLanes; ++lane) RecodeSigned16(scalars[lane], of + lane, kLanes);
    }
    ~LaneDigits() {
      volatile int8_t* digits = of;
      for (int i = 0; i < kDigits * kLanes; ++i) digits[i] = 0;
    }
    LaneDigits(const LaneDigits&) = delete;
    LaneDigits& operator=(const LaneDigits&) = delete;
  };

  static void CopyValid(const bool lanes[kLanes], const Round& round, bool* valid) {
    for (int lane = 0; lane < kLanes; ++lane) {
      if (round.Holds(lane)) valid[round.Item(lane)] = lanes[lane];
    }
  }

  static Extended<F> HashedPoints(const uint8_t* const keys[kLanes]) {
    uint8_t hashes[kLanes][32];
    const uint8_t* inputs[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) {
      FastHash(keys[lane], 32, hashes[lane]);
      inputs[lane] = hashes[lane];
    }
    return ToExtended(Times8(MapToPoint<F>(inputs)));
  }

  static void CheckKeys(const uint8_t* keys, size_t count, bool* valid) {
    for (size_t first = 0; first < count; first += kLaneCount) {
      const Round round{first, count};
      Extended<F> point;
      bool lanes[kLanes];
      Decode(Pointers(keys, round).of, &point, lanes);
      CopyValid(lanes, round, valid);
    }
  }

  static void Derivations(const uint8_t secret[32], const uint8_t* keys, size_t count, uint8_t* results,
                          bool* valid) {
    const uint8_t* secrets[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) secrets[lane] = secret;
    const LaneDigits digits(secrets);
    for (size_t first = 0; first < count; first += kLaneCount) {
      const Round round{first, count};
      Extended<F> point;
      bool lanes[kLanes];
      Decode(Pointers(keys, round).of, &point, lanes);
      Results to(results, 32, round);
      Encode(Times8(Multiply(digits.of, point)), to.of);
      CopyValid(lanes, round, valid);
    }
  }

  static void Underive(const uint8_t* scalars, const uint8_t* keys, size_t count, uint8_t* results, bool* valid) {
    for (size_t first = 0; first < count; first += kLaneCount) {
      const Round round{first, count};
      Extended<F> point;
      bool lanes[kLanes];
      Decode(Pointers(keys, round).of, &point, lanes);
      const LaneDigits digits(Pointers(scalars, round).of);
      Results to(results, 32, round);
      Encode(ToProjective(Minus(point, ToCached(MultiplyBase<F>(digits.of)))), to.of);
      CopyValid(lanes, round, valid);
    }
  }

  static void Matches(const uint8_t* scalars, const uint8_t* keys, size_t count, const uint8_t* bases,
                      size_t baseCount, bool* possible) {
    Cached<F> decoded[kMaxBases];
    size_t decodedCount = 0;
    for (size_t i = 0; i < baseCount; ++i) {
      const uint8_t* base[kLanes];
      for (int lane = 0; lane < kLanes; ++lane) base[lane] = bases + 32 * i;
      Extended<F> point;
      bool lanes[kLanes];
      Decode(base, &point, lanes);
      if (lanes[0]) decoded[decodedCount++] = ToCached(point);
    }
    for (size_t first = 0; first < count; first += kLaneCount) {
      const Round round{first, count};
      const Pointers encodings(keys, round);
      FieldConstant ys[kLanes];
      for (int lane = 0; lane < kLanes; ++lane) ys[lane] = LimbsOf(encodings.of[lane]);
      const F y = F::Load(ys);
      const LaneDigits digits(Pointers(scalars, round).of);
      const Extended<F> multiple = MultiplyBase<F>(digits.of);
      bool lanes[kLanes] = {};
      for (size_t i = 0; i < decodedCount; ++i) {
        const Completed<F> sum = Plus(multiple, decoded[i]);
        // Comparing fractions needs no inversion.
        const auto equal = IsZero(SubWide(Mul(y, sum.T), sum.Y));
        for (int lane = 0; lane < kLanes; ++lane) lanes[lane] = lanes[lane] || F::LaneOf(equal, lane);
      }
      CopyValid(lanes, round, possible);
    }
  }

  static void KeyImages(const uint8_t* keys, const uint8_t* secrets, size_t count, uint8_t* results) {
    for (size_t first = 0; first < count; first += kLaneCount) {
      const Round round{first, count};
      const LaneDigits digits(Pointers(secrets, round).of);
      Results to(results, 32, round);
      Encode(Multiply(digits.of, HashedPoints(Pointers(keys, round).of)), to.of);
    }
  }
};

}  // namespace wrkz::curve
