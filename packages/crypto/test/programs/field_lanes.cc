// Compares the vectorised field arithmetic with the scalar one, for random limbs and for limbs at their bounds. Built
// by field-lanes.test.ts with the flags of one instruction set. Prints the differences and exits with code 1, or prints
// the number of comparisons.
#include <cstdio>
#include <random>

#include "curve/field51.h"
#include "curve/point.h"
#if defined(EIGHT_LANES)
#include "curve/field_ifma.h"
using Lanes = wrkz::curve::Field8;
#else
#include "curve/field_avx2.h"
using Lanes = wrkz::curve::Field4;
#endif

using namespace wrkz::curve;

namespace {

constexpr uint64_t kTight = (uint64_t{1} << 51) + (uint64_t{1} << 14);
constexpr int kRounds = 20000;
std::mt19937_64 random_bits(8);
int compared = 0, wrong = 0;

// A random limb below the bound; in a third of the calls an edge value.
uint64_t Limb() {
  constexpr uint64_t kEdges[] = {0, 1, 18, 19, kLimbMask - 19, kLimbMask - 18, kLimbMask, kLimbMask + 1, kTight - 1,
                                 uint64_t{1} << 50, (uint64_t{1} << 50) - 1, uint64_t{1} << 26, uint64_t{1} << 25};
  if (random_bits() % 3 == 0) return kEdges[random_bits() % (sizeof kEdges / sizeof *kEdges)];
  return random_bits() % kTight;
}

void Compare(const char* what, const Lanes& several, const Field51 single[Lanes::kLanes]) {
  FieldConstant stored[Lanes::kLanes], expected;
  several.Store(stored);
  for (const auto& limb : several.v) {
    uint64_t values[Lanes::kLanes];
    std::memcpy(values, &limb, sizeof values);
    for (const uint64_t value : values) {
      if (value >= kTight && ++wrong < 10) std::printf("%s: a limb of %#llx is too large\n", what, static_cast<unsigned long long>(value));
    }
  }
  for (int lane = 0; lane < Lanes::kLanes; ++lane) {
    single[lane].Store(&expected);
    ++compared;
    if (std::memcmp(&stored[lane], &expected, sizeof expected) != 0 && ++wrong < 10) std::printf("%s differs\n", what);
  }
}

template <class Operation>
void CompareAll(const char* what, const FieldConstant* a, const FieldConstant* b, const Operation& operation) {
  Field51 single[Lanes::kLanes];
  for (int lane = 0; lane < Lanes::kLanes; ++lane) {
    single[lane] = operation(Field51::Load(a + lane), Field51::Load(b + lane));
  }
  Compare(what, operation(Lanes::Load(a), Lanes::Load(b)), single);
}

}  // namespace

int main() {
  for (int round = 0; round < kRounds; ++round) {
    FieldConstant a[Lanes::kLanes], b[Lanes::kLanes];
    for (int lane = 0; lane < Lanes::kLanes; ++lane) {
      for (int i = 0; i < 5; ++i) {
        a[lane].limb[i] = Limb();
        b[lane].limb[i] = Limb();
      }
    }
    CompareAll("a product", a, b, [](const auto& x, const auto& y) { return Mul(x, y); });
    CompareAll("a square", a, b, [](const auto& x, const auto&) { return Sqr(x); });
    CompareAll("a sum", a, b, [](const auto& x, const auto& y) { return Add(x, y); });
    CompareAll("a difference", a, b, [](const auto& x, const auto& y) { return Sub(x, y); });
    const Lanes several = Sub(Lanes::Load(a), Lanes::Load(round % 2 == 0 ? a : b));
    const auto zero = IsZero(several), odd = IsOdd(several);
    for (int lane = 0; lane < Lanes::kLanes; ++lane) {
      const Field51 single = Sub(Field51::Load(a + lane), Field51::Load((round % 2 == 0 ? a : b) + lane));
      compared += 2;
      if (Lanes::LaneOf(zero, lane) != (IsZero(single) != 0) && ++wrong < 10) std::printf("zero differs\n");
      if (Lanes::LaneOf(odd, lane) != (IsOdd(single) != 0) && ++wrong < 10) std::printf("odd differs\n");
    }
  }
  if (wrong == 0) std::printf("%d comparisons\n", compared);
  return wrong == 0 ? 0 : 1;
}
