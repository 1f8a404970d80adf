// Constants of the curve -x^2 + y^2 = 1 + d x^2 y^2 over p = 2^255 - 19, as limbs of 51 bits, least significant first.
//
// Each was computed from the definition in its comment; of two square roots, the smaller one is used.
#pragma once

#include <cstdint>

namespace wrkz::curve {

struct FieldConstant {
  uint64_t limb[5];
};

inline constexpr int kLimbBits = 51;
inline constexpr uint64_t kLimbMask = (uint64_t{1} << kLimbBits) - 1;

// d = -121665 / 121666
inline constexpr FieldConstant kD{{0x34dca135978a3, 0x1a8283b156ebd, 0x5e7a26001c029, 0x739c663a03cbb, 0x52036cee2b6ff}};
inline constexpr FieldConstant kTwoD{{0x69b9426b2f159, 0x35050762add7a, 0x3cf44c0038052, 0x6738cc7407977, 0x2406d9dc56dff}};
// i = 2^((p-1)/4), a square root of -1
inline constexpr FieldConstant kSqrtMinusOne{
    {0x61b274a0ea0b0, 0x0d5a5fc8f189d, 0x7ef5e9cbd0c60, 0x78595a6804c9e, 0x2b8324804fc1d}};

// The base point: y = 4/5, x even.
inline constexpr FieldConstant kBaseX{{0x62d608f25d51a, 0x412a4b4f6592a, 0x75b7171a4b31d, 0x1ff60527118fe, 0x216936d3cd6e5}};
inline constexpr FieldConstant kBaseY{{0x6666666666658, 0x4cccccccccccc, 0x1999999999999, 0x3333333333333, 0x6666666666666}};

// Coefficient A = 486662 of the birationally equivalent Montgomery curve v^2 = u^3 + A u^2 + u, and the square roots
// used as factors by the map to a point (map.h).
inline constexpr FieldConstant kMinusA{{0x7fffffff892e7, 0x7ffffffffffff, 0x7ffffffffffff, 0x7ffffffffffff, 0x7ffffffffffff}};
// sqrt(2 A (A + 2)), and i times it
inline constexpr FieldConstant kMapSquare{{0x19b7c9f83650d, 0x73f75210405a4, 0x7a68106b887f2, 0x184b715d7241f, 0x32f9e1f5fba5d}};
inline constexpr FieldConstant kMapSquareI{{0x0968acde3bdff, 0x2e8dab18e5bab, 0x0139870b9afed, 0x2746fab1d645f, 0x018e04102529e}};
// sqrt(-i A (A + 2)) and sqrt(i A (A + 2))
inline constexpr FieldConstant kMapMinusI{{0x48278e8cfd387, 0x62b4d37bad4fc, 0x3c9744aff6c02, 0x38823b55cdfe0, 0x18b5eef2eb3df}};
inline constexpr FieldConstant kMapPlusI{{0x51903b6b39186, 0x11427e94930a7, 0x3dd0cbbb91bf0, 0x5fc93607a443f, 0x1a43f3031067d}};

// The order of the base point, l = 2^252 + 27742317777372353535851937790883648493, 32 bytes little-endian.
inline constexpr uint8_t kOrder[32] = {0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7,
                                       0xa2, 0xde, 0xf9, 0xde, 0x14, 0,    0,    0,    0,    0,    0,
                                       0,    0,    0,    0,    0,    0,    0,    0,    0,    0x10};

}  // namespace wrkz::curve
