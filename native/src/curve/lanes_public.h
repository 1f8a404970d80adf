// Batch kernels for checks of public data. All lanes run the same steps, but the scalar digits determine the loaded
// table entries, so the memory access pattern reveals the scalars. Never pass secrets (lanes.h has the kernels for
// those). Included by one file per instruction set, like lanes.h.
#pragma once

#include "curve/lanes.h"
#include "curve/vartime.h"

namespace wrkz::curve {

template <class F>
struct PublicForms {
  static constexpr int kLanes = F::kLanes;
  using Forms = LaneForms<F>;
  using Round = typename Forms::Round;
  using Pointers = typename Forms::Pointers;
  using Results = typename Forms::Results;

  struct Multiple {  // a Cached that can also be negated
    F sum, difference, Z, T2d, minusT2d;
    Multiple() = default;
    explicit Multiple(const Cached<F>& p)
        : sum(p.sum), difference(p.difference), Z(p.Z), T2d(p.T2d), minusT2d(Carry(Sub(F::Small(0), p.T2d))) {}
  };

  // 0 P ... 8 P
  struct Table {
    Multiple of[9];
    explicit Table(const Extended<F>& p) {
      Multiples<F> multiples;
      FillMultiples(p, &multiples);
      of[0] = Multiple(CachedIdentity<F>());
      for (int i = 0; i < 8; ++i) of[i + 1] = Multiple(multiples.of[i]);
    }
    // The multiple for the digit of each lane, -8 to 8 (scalars below l have no larger digit).
    Cached<F> Take(const int8_t digits[kLanes]) const {
      const F *sum[kLanes], *difference[kLanes], *Z[kLanes], *T2d[kLanes];
      for (int lane = 0; lane < kLanes; ++lane) {
        const int digit = digits[lane];
        const Multiple& multiple = of[digit < 0 ? -digit : digit];
        sum[lane] = digit < 0 ? &multiple.difference : &multiple.sum;
        difference[lane] = digit < 0 ? &multiple.sum : &multiple.difference;
        Z[lane] = &multiple.Z;
        T2d[lane] = digit < 0 ? &multiple.minusT2d : &multiple.T2d;
      }
      return {F::Each(sum), F::Each(difference), F::Each(Z), F::Each(T2d)};
    }
  };

  // The multiple of the base point for two digits of each lane: low + 16 high, from -136 to 119.
  static Niels<F> TakeBase(const int8_t low[kLanes], const int8_t high[kLanes]) {
    const BaseTable& table = BaseTable::Get();
    FieldConstant sum[kLanes], difference[kLanes], T2d[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) {
      const int digit = low[lane] + 16 * high[lane];
      const BaseMultiple& multiple = digit < 0 ? table.negative[-digit] : table.positive[digit];
      sum[lane] = multiple.sum;
      difference[lane] = multiple.difference;
      T2d[lane] = multiple.T2d;
    }
    return {F::Load(sum), F::Load(difference), F::Load(T2d)};
  }

  // a A + b G
  static Projective<F> MultiplyWithBase(const int8_t* a, const Table& A, const int8_t* b) {
    Extended<F> sum = ExtendedIdentity<F>();
    for (int i = kDigits - 1;; --i) {
      Completed<F> next = Plus(sum, A.Take(a + i * kLanes));
      if (i % 2 == 0) next = Plus(ToExtended(next), TakeBase(b + i * kLanes, b + (i + 1) * kLanes));
      if (i == 0) return ToProjective(next);
      sum = Times16(ToProjective(next));
    }
  }

  // a A + b B
  static Projective<F> MultiplyTwo(const int8_t* a, const Table& A, const int8_t* b, const Table& B) {
    Extended<F> sum = ExtendedIdentity<F>();
    for (int i = kDigits - 1;; --i) {
      const Completed<F> half = Plus(sum, A.Take(a + i * kLanes));
      const Completed<F> next = Plus(ToExtended(half), B.Take(b + i * kLanes));
      if (i == 0) return ToProjective(next);
      sum = Times16(ToProjective(next));
    }
  }

  // Encodes two points with one inversion. Z is never zero if both points were decoded from valid encodings.
  static void EncodeTwo(const Projective<F>& p, uint8_t* const first[kLanes], const Projective<F>& q,
                        uint8_t* const second[kLanes]) {
    const F inverse = Invert(Mul(p.Z, q.Z));
    const F ofP = Mul(inverse, q.Z), ofQ = Mul(inverse, p.Z);
    EncodeAffine(Mul(p.X, ofP), Mul(p.Y, ofP), first);
    EncodeAffine(Mul(q.X, ofQ), Mul(q.Y, ofQ), second);
  }

  // l P for all lanes: the digits of l are the same for each lane, so no selection and few additions are needed.
  static Projective<F> TimesOrder(const Extended<F>& p) {
    struct {
      Cached<F> of[8];  // P, 3P ... 15P
    } odd;
    odd.of[0] = ToCached(p);
    const Extended<F> twice = ToExtended(Double(ToProjective(p)));
    for (int i = 1; i < 8; ++i) odd.of[i] = ToCached(ToExtended(Plus(twice, odd.of[i - 1])));

    int8_t digits[kScalarBits];
    Projective<F> r = ProjectiveIdentity<F>();
    for (int i = NonAdjacentForm(kOrder, kPointWidth, digits); i >= 0; --i) {
      Completed<F> next = Double(r);
      if (digits[i] > 0) next = Plus(ToExtended(next), odd.of[digits[i] / 2]);
      if (digits[i] < 0) next = Minus(ToExtended(next), odd.of[-digits[i] / 2]);
      r = ToProjective(next);
    }
    return r;
  }

  static void PrimeOrders(const uint8_t* keys, size_t count, bool* valid) {
    for (size_t first = 0; first < count; first += kLanes) {
      const Round round{first, count};
      Extended<F> point;
      bool lanes[kLanes];
      Decode(Pointers(keys, round).of, &point, lanes);
      const auto identity = IsIdentity(TimesOrder(point));
      for (int lane = 0; lane < kLanes; ++lane) lanes[lane] = lanes[lane] && F::LaneOf(identity, lane);
      Forms::CopyValid(lanes, round, valid);
    }
  }

  static void Commitments(const RingMember* members, size_t count, uint8_t* results, bool* valid) {
    for (size_t first = 0; first < count; first += kLanes) {
      const Round round{first, count};
      Pointers keys, images, challenges, responses;
      for (int lane = 0; lane < kLanes; ++lane) {
        const RingMember& member = members[round.Item(lane)];
        keys.of[lane] = member.key;
        images.of[lane] = member.keyImage;
        challenges.of[lane] = member.signature;
        responses.of[lane] = member.signature + 32;
      }
      Extended<F> key, image;
      bool lanes[kLanes], decoded[kLanes];
      Decode(keys.of, &key, lanes);
      Decode(images.of, &image, decoded);
      const typename Forms::LaneDigits c(challenges.of), r(responses.of);
      Results first32(results, 64, round), second32(results + 32, 64, round);
      EncodeTwo(MultiplyWithBase(c.of, Table(key), r.of), first32.of,
                MultiplyTwo(r.of, Table(Forms::HashedPoints(keys.of)), c.of, Table(image)), second32.of);

      for (int lane = 0; lane < kLanes; ++lane) lanes[lane] = lanes[lane] && decoded[lane];
      Forms::CopyValid(lanes, round, valid);
    }
  }
};

template <class F>
static constexpr BatchKernels KernelsOf() {
  using Secret = LaneForms<F>;
  using Public = PublicForms<F>;
  return {static_cast<size_t>(F::kLanes),
          Secret::CheckKeys,
          Public::PrimeOrders,
          Secret::Derivations,
          Secret::Underive,
          Secret::Matches,
          Secret::KeyImages,
          Public::Commitments};
}

}  // namespace wrkz::curve
