// The compression function of Argon2 on four words at a time.
#include <immintrin.h>

#include "pow/argon2.h"

namespace wrkz {
namespace {

using V = __m256i;

inline V Add(V x, V y) {
  const V product = _mm256_mul_epu32(x, y);
  return _mm256_add_epi64(_mm256_add_epi64(x, y), _mm256_add_epi64(product, product));
}

inline V Rotate32(V x) { return _mm256_shuffle_epi32(x, _MM_SHUFFLE(2, 3, 0, 1)); }
inline V Rotate24(V x) {
  return _mm256_shuffle_epi8(x, _mm256_setr_epi8(3, 4, 5, 6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10, 3, 4, 5, 6, 7, 0, 1, 2,
                                                 11, 12, 13, 14, 15, 8, 9, 10));
}
inline V Rotate16(V x) {
  return _mm256_shuffle_epi8(x, _mm256_setr_epi8(2, 3, 4, 5, 6, 7, 0, 1, 10, 11, 12, 13, 14, 15, 8, 9, 2, 3, 4, 5, 6, 7, 0, 1,
                                                 10, 11, 12, 13, 14, 15, 8, 9));
}
inline V Rotate63(V x) { return _mm256_or_si256(_mm256_srli_epi64(x, 63), _mm256_add_epi64(x, x)); }

// Two independent sets at once hide the latency of the multiplications.
inline void Mix(V& a0, V& b0, V& c0, V& d0, V& a1, V& b1, V& c1, V& d1) {
  a0 = Add(a0, b0), a1 = Add(a1, b1);
  d0 = Rotate32(_mm256_xor_si256(d0, a0)), d1 = Rotate32(_mm256_xor_si256(d1, a1));
  c0 = Add(c0, d0), c1 = Add(c1, d1);
  b0 = Rotate24(_mm256_xor_si256(b0, c0)), b1 = Rotate24(_mm256_xor_si256(b1, c1));
  a0 = Add(a0, b0), a1 = Add(a1, b1);
  d0 = Rotate16(_mm256_xor_si256(d0, a0)), d1 = Rotate16(_mm256_xor_si256(d1, a1));
  c0 = Add(c0, d0), c1 = Add(c1, d1);
  b0 = Rotate63(_mm256_xor_si256(b0, c0)), b1 = Rotate63(_mm256_xor_si256(b1, c1));
}

template <int Turn>
inline V TurnWords(V x) {
  return _mm256_permute4x64_epi64(x, Turn == 1 ? _MM_SHUFFLE(0, 3, 2, 1) : Turn == 2 ? _MM_SHUFFLE(1, 0, 3, 2) : _MM_SHUFFLE(2, 1, 0, 3));
}

// Two rows of 16 words.
inline void Rows(V* z) {
  Mix(z[0], z[1], z[2], z[3], z[4], z[5], z[6], z[7]);
  z[1] = TurnWords<1>(z[1]), z[2] = TurnWords<2>(z[2]), z[3] = TurnWords<3>(z[3]);
  z[5] = TurnWords<1>(z[5]), z[6] = TurnWords<2>(z[6]), z[7] = TurnWords<3>(z[7]);
  Mix(z[0], z[1], z[2], z[3], z[4], z[5], z[6], z[7]);
  z[1] = TurnWords<3>(z[1]), z[2] = TurnWords<2>(z[2]), z[3] = TurnWords<1>(z[3]);
  z[5] = TurnWords<3>(z[5]), z[6] = TurnWords<2>(z[6]), z[7] = TurnWords<1>(z[7]);
}

// Two columns of word pairs: vector i has words 2i and 2i + 1 of both columns, one column per 128-bit half.
inline void Columns(V* z) {
  V a0 = z[0], a1 = z[4], b0 = z[8], b1 = z[12], c0 = z[16], c1 = z[20], d0 = z[24], d1 = z[28];
  Mix(a0, b0, c0, d0, a1, b1, c1, d1);
  V t = _mm256_alignr_epi8(b1, b0, 8);
  b1 = _mm256_alignr_epi8(b0, b1, 8);
  b0 = t;
  t = _mm256_alignr_epi8(d0, d1, 8);
  d1 = _mm256_alignr_epi8(d1, d0, 8);
  d0 = t;
  Mix(a0, b0, c1, d0, a1, b1, c0, d1);
  t = _mm256_alignr_epi8(b0, b1, 8);
  b1 = _mm256_alignr_epi8(b1, b0, 8);
  b0 = t;
  t = _mm256_alignr_epi8(d1, d0, 8);
  d1 = _mm256_alignr_epi8(d0, d1, 8);
  d0 = t;
  z[0] = a0, z[4] = a1, z[8] = b0, z[12] = b1, z[16] = c0, z[20] = c1, z[24] = d0, z[28] = d1;
}

}  // namespace

void ArgonCompressAvx2(uint64_t* out, const uint64_t* x, const uint64_t* y, bool add) {
  const V* left = reinterpret_cast<const V*>(x);
  const V* right = reinterpret_cast<const V*>(y);
  V* target = reinterpret_cast<V*>(out);
  V z[32], r[32];
  for (int i = 0; i < 32; i++) z[i] = _mm256_xor_si256(left[i], right[i]);
  if (add) {
    for (int i = 0; i < 32; i++) r[i] = _mm256_xor_si256(z[i], target[i]);
  } else {
    for (int i = 0; i < 32; i++) r[i] = z[i];
  }
  for (int i = 0; i < 32; i += 8) Rows(z + i);
  for (int i = 0; i < 4; i++) Columns(z + i);
  for (int i = 0; i < 32; i++) target[i] = _mm256_xor_si256(z[i], r[i]);
}

}  // namespace wrkz
