#include "curve/vartime.h"

#include <algorithm>

namespace wrkz::curve {
namespace {

constexpr int kBaseWidth = 8;   // odd digits up to 127

Completed<Field51> AddDigit(const Point& p, const OddMultiples& table, int8_t digit) {
  return digit > 0 ? Plus(p, table.of[digit / 2]) : Minus(p, table.of[-digit / 2]);
}

Completed<Field51> AddBaseDigit(const Point& p, int8_t digit) {
  const BaseMultiple& m = BaseTable::Get().odd[(digit > 0 ? digit : -digit) / 2];
  const Niels<Field51> q{Field51::Constant(m.sum), Field51::Constant(m.difference), Field51::Constant(m.T2d)};
  return digit > 0 ? Plus(p, q) : Minus(p, q);
}

}  // namespace

int NonAdjacentForm(const uint8_t scalar[32], int width, int8_t digits[kScalarBits]) {
  std::fill(digits, digits + kScalarBits, int8_t{0});
  uint64_t words[5] = {Load64(scalar), Load64(scalar + 8), Load64(scalar + 16), Load64(scalar + 24), 0};
  const int full = 1 << width;
  int highest = -1;
  int carry = 0;
  for (int i = 0; i < kScalarBits;) {
    const int word = i / 64, bit = i % 64;
    uint64_t window = words[word] >> bit;
    if (bit + width > 64) window |= words[word + 1] << (64 - bit);
    const int value = static_cast<int>(window & static_cast<uint64_t>(full - 1)) + carry;
    if (value % 2 == 0) {  // the carry remains for the next bit
      ++i;
      continue;
    }
    carry = value >= full / 2 ? 1 : 0;
    digits[i] = static_cast<int8_t>(value - carry * full);
    highest = i;
    i += width;
  }
  return highest;
}

void FillOddMultiples(const Point& p, OddMultiples* table) {
  table->of[0] = ToCached(p);
  const Point twice = ToExtended(Double(ToProjective(p)));
  for (int i = 1; i < 8; ++i) table->of[i] = ToCached(ToExtended(Plus(twice, table->of[i - 1])));
}

Projective<Field51> DoubleMultiplyBase(const uint8_t a[32], const OddMultiples& A, const uint8_t b[32]) {
  int8_t digitsA[kScalarBits], digitsB[kScalarBits];
  const int highest =
      std::max(NonAdjacentForm(a, kPointWidth, digitsA), NonAdjacentForm(b, kBaseWidth, digitsB));
  Projective<Field51> r = ProjectiveIdentity<Field51>();
  for (int i = highest; i >= 0; --i) {
    Completed<Field51> t = Double(r);
    if (digitsA[i] != 0) t = AddDigit(ToExtended(t), A, digitsA[i]);
    if (digitsB[i] != 0) t = AddBaseDigit(ToExtended(t), digitsB[i]);
    r = ToProjective(t);
  }
  return r;
}

Projective<Field51> DoubleMultiply(const uint8_t a[32], const OddMultiples& A, const uint8_t b[32],
                                   const OddMultiples& B) {
  int8_t digitsA[kScalarBits], digitsB[kScalarBits];
  const int highest =
      std::max(NonAdjacentForm(a, kPointWidth, digitsA), NonAdjacentForm(b, kPointWidth, digitsB));
  Projective<Field51> r = ProjectiveIdentity<Field51>();
  for (int i = highest; i >= 0; --i) {
    Completed<Field51> t = Double(r);
    if (digitsA[i] != 0) t = AddDigit(ToExtended(t), A, digitsA[i]);
    if (digitsB[i] != 0) t = AddDigit(ToExtended(t), B, digitsB[i]);
    r = ToProjective(t);
  }
  return r;
}

bool HasPrimeOrder(const OddMultiples& p) {
  int8_t digits[kScalarBits];
  Projective<Field51> r = ProjectiveIdentity<Field51>();
  for (int i = NonAdjacentForm(kOrder, kPointWidth, digits); i >= 0; --i) {
    Completed<Field51> t = Double(r);
    if (digits[i] != 0) t = AddDigit(ToExtended(t), p, digits[i]);
    r = ToProjective(t);
  }
  return IsIdentity(r) != 0;
}

}  // namespace wrkz::curve
