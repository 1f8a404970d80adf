// The compression function of Argon2 on eight words at a time, with the rotations of AVX-512.
#include <immintrin.h>

#include "pow/argon2.h"

namespace wrkz {
namespace {

using V = __m512i;

inline V Add(V x, V y) {
  const V product = _mm512_mul_epu32(x, y);
  return _mm512_add_epi64(_mm512_add_epi64(x, y), _mm512_add_epi64(product, product));
}

inline void Mix(V& a0, V& b0, V& c0, V& d0, V& a1, V& b1, V& c1, V& d1) {
  a0 = Add(a0, b0), a1 = Add(a1, b1);
  d0 = _mm512_ror_epi64(_mm512_xor_si512(d0, a0), 32), d1 = _mm512_ror_epi64(_mm512_xor_si512(d1, a1), 32);
  c0 = Add(c0, d0), c1 = Add(c1, d1);
  b0 = _mm512_ror_epi64(_mm512_xor_si512(b0, c0), 24), b1 = _mm512_ror_epi64(_mm512_xor_si512(b1, c1), 24);
  a0 = Add(a0, b0), a1 = Add(a1, b1);
  d0 = _mm512_ror_epi64(_mm512_xor_si512(d0, a0), 16), d1 = _mm512_ror_epi64(_mm512_xor_si512(d1, a1), 16);
  c0 = Add(c0, d0), c1 = Add(c1, d1);
  b0 = _mm512_ror_epi64(_mm512_xor_si512(b0, c0), 63), b1 = _mm512_ror_epi64(_mm512_xor_si512(b1, c1), 63);
}

template <int Turn>
inline V TurnWords(V x) {
  return _mm512_permutex_epi64(x, Turn == 1 ? _MM_SHUFFLE(0, 3, 2, 1) : Turn == 2 ? _MM_SHUFFLE(1, 0, 3, 2) : _MM_SHUFFLE(2, 1, 0, 3));
}

inline V LowHalves(V x, V y) { return _mm512_shuffle_i64x2(x, y, _MM_SHUFFLE(1, 0, 1, 0)); }
inline V HighHalves(V x, V y) { return _mm512_shuffle_i64x2(x, y, _MM_SHUFFLE(3, 2, 3, 2)); }

// Four rows of 16 words; after the gather step, each vector has four words of each of two rows.
inline void Rows(V* z) {
  V a0 = LowHalves(z[0], z[2]), b0 = HighHalves(z[0], z[2]), c0 = LowHalves(z[1], z[3]), d0 = HighHalves(z[1], z[3]);
  V a1 = LowHalves(z[4], z[6]), b1 = HighHalves(z[4], z[6]), c1 = LowHalves(z[5], z[7]), d1 = HighHalves(z[5], z[7]);
  Mix(a0, b0, c0, d0, a1, b1, c1, d1);
  b0 = TurnWords<1>(b0), c0 = TurnWords<2>(c0), d0 = TurnWords<3>(d0);
  b1 = TurnWords<1>(b1), c1 = TurnWords<2>(c1), d1 = TurnWords<3>(d1);
  Mix(a0, b0, c0, d0, a1, b1, c1, d1);
  b0 = TurnWords<3>(b0), c0 = TurnWords<2>(c0), d0 = TurnWords<1>(d0);
  b1 = TurnWords<3>(b1), c1 = TurnWords<2>(c1), d1 = TurnWords<1>(d1);
  z[0] = LowHalves(a0, b0), z[1] = LowHalves(c0, d0), z[2] = HighHalves(a0, b0), z[3] = HighHalves(c0, d0);
  z[4] = LowHalves(a1, b1), z[5] = LowHalves(c1, d1), z[6] = HighHalves(a1, b1), z[7] = HighHalves(c1, d1);
}

// Four columns of word pairs, one per 128-bit part.
inline void Columns(V* z) {
  V a0 = z[0], a1 = z[2], b0 = z[4], b1 = z[6], c0 = z[8], c1 = z[10], d0 = z[12], d1 = z[14];
  Mix(a0, b0, c0, d0, a1, b1, c1, d1);
  V t = _mm512_alignr_epi8(b1, b0, 8);
  b1 = _mm512_alignr_epi8(b0, b1, 8);
  b0 = t;
  t = _mm512_alignr_epi8(d0, d1, 8);
  d1 = _mm512_alignr_epi8(d1, d0, 8);
  d0 = t;
  Mix(a0, b0, c1, d0, a1, b1, c0, d1);
  t = _mm512_alignr_epi8(b0, b1, 8);
  b1 = _mm512_alignr_epi8(b1, b0, 8);
  b0 = t;
  t = _mm512_alignr_epi8(d1, d0, 8);
  d1 = _mm512_alignr_epi8(d0, d1, 8);
  d0 = t;
  z[0] = a0, z[2] = a1, z[4] = b0, z[6] = b1, z[8] = c0, z[10] = c1, z[12] = d0, z[14] = d1;
}

}  // namespace

void ArgonCompressAvx512(uint64_t* out, const uint64_t* x, const uint64_t* y, bool add) {
  V z[16], r[16];
  for (int i = 0; i < 16; i++) {
    r[i] = z[i] = _mm512_xor_si512(_mm512_load_si512(x + 8 * i), _mm512_load_si512(y + 8 * i));
  }
  if (add) {
    for (int i = 0; i < 16; i++) r[i] = _mm512_xor_si512(r[i], _mm512_load_si512(out + 8 * i));
  }
  Rows(z);
  Rows(z + 8);
  Columns(z);
  Columns(z + 1);
  for (int i = 0; i < 16; i++) _mm512_store_si512(out + 8 * i, _mm512_xor_si512(z[i], r[i]));
}

}  // namespace wrkz
