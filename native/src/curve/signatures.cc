#include "curve/signatures.h"

#include <cstring>
#include <memory>

#include "curve/batch.h"
#include "curve/keys.h"
#include "curve/multiply.h"
#include "curve/random.h"
#include "hash/keccak.h"

namespace wrkz::curve {
namespace {

// Random nonce of one signature. Wiped when it goes out of scope: the nonce reveals the secret key.
class Nonce {
 public:
  Nonce() : value_(RandomScalar()) {
    ScalarToBytes(value_, bytes_);
    RecodeSigned16(bytes_, digits_, 1);
  }
  ~Nonce() { Wipe(this, sizeof *this); }
  Nonce(const Nonce&) = delete;
  Nonce& operator=(const Nonce&) = delete;

  Projective<Field51> TimesBase() const { return ToProjective(MultiplyBase<Field51>(digits_)); }
  Projective<Field51> Times(const Point& point) const { return Multiply(digits_, point); }
  // nonce - c secret
  Scalar Response(const Scalar& c, const uint8_t secret[32]) const {
    Scalar own = ScalarFromBytes(secret);
    Scalar product = MulScalars(c, own);
    const Scalar response = SubScalars(value_, product);
    Wipe(&own, sizeof own);
    Wipe(&product, sizeof product);
    return response;
  }

 private:
  Scalar value_;
  uint8_t bytes_[32];
  int8_t digits_[kDigits];
};

// Encodes many points with one inversion (Montgomery's trick): prefix products forward, inverses backward.
void EncodeAll(const std::vector<Projective<Field51>>& points, uint8_t* encodings) {
  std::vector<Field51> before(points.size());
  Field51 product = Field51::Small(1);
  for (size_t i = 0; i < points.size(); ++i) {
    before[i] = product;
    product = Mul(product, points[i].Z);
  }
  Field51 inverse = Invert(product);
  for (size_t i = points.size(); i-- > 0;) {
    const Field51 own = Mul(inverse, before[i]);
    inverse = Mul(inverse, points[i].Z);
    uint8_t* const to[1] = {encodings + 32 * i};
    EncodeAffine(Mul(points[i].X, own), Mul(points[i].Y, own), to);
  }
}

Scalar CommitmentHash(const Ring& ring, const uint8_t* commitments) {
  std::vector<uint8_t> data(32 + 64 * ring.members);
  std::memcpy(data.data(), ring.prefixHash, 32);
  if (ring.members > 0) std::memcpy(data.data() + 32, commitments, 64 * ring.members);
  return HashToScalar(data.data(), data.size());
}

// True if every c and r is less than l.
bool ScalarsReduced(const uint8_t* signatures, size_t members) {
  for (size_t i = 0; i < 2 * members; ++i) {
    if (!IsReduced(signatures + 32 * i)) return false;
  }
  return true;
}

// Compares the hash of the commitments with the sum of the challenges; `commitments` has a and b of each member.
bool ChallengesMatch(const Ring& ring, const uint8_t* signatures, const uint8_t* commitments) {
  Scalar sum{};
  for (size_t i = 0; i < ring.members; ++i) sum = AddScalars(sum, ScalarFromBytes(signatures + kSignatureSize * i));
  return IsZeroScalar(SubScalars(CommitmentHash(ring, commitments), sum));
}

// a = c P + r G and b = r Hp(P) + c I of one member. False if P does not decode.
bool MemberCommitments(const uint8_t key[32], const uint8_t c[32], const uint8_t r[32], const OddMultiples& image,
                       std::vector<Projective<Field51>>* commitments) {
  Point point;
  if (!DecodePoint(key, &point)) return false;
  OddMultiples table;
  FillOddMultiples(point, &table);
  commitments->push_back(DoubleMultiplyBase(c, table, r));
  FillOddMultiples(ToExtended(HashToPoint(key, kKeySize)), &table);
  commitments->push_back(DoubleMultiply(r, table, c, image));
  return true;
}

RingVerdict CheckOneRing(const Ring& ring, const uint8_t* signatures) {
  RingVerdict verdict{false, false};
  Point point;
  if (!DecodePoint(ring.keyImage, &point)) return verdict;
  OddMultiples image;
  FillOddMultiples(point, &image);
  verdict.primeOrder = HasPrimeOrder(image);
  if (!verdict.primeOrder || !ScalarsReduced(signatures, ring.members)) return verdict;

  std::vector<Projective<Field51>> commitments;
  commitments.reserve(2 * ring.members);
  for (size_t i = 0; i < ring.members; ++i) {
    const uint8_t* c = signatures + kSignatureSize * i;
    if (!MemberCommitments(ring.keys + kKeySize * i, c, c + 32, image, &commitments)) return verdict;
  }
  std::vector<uint8_t> encoded(64 * ring.members);
  EncodeAll(commitments, encoded.data());
  verdict.valid = ChallengesMatch(ring, signatures, encoded.data());
  return verdict;
}

// Its frame has to be below that of SignRing, which wipes the stack afterwards: not inlined.
__attribute__((noinline)) SignResult SignWithSecrets(const Ring& ring, size_t real, const uint8_t secret[32],
                                                     uint8_t* signatures) {
  Point point;
  if (!DecodePoint(ring.keyImage, &point)) return SignResult::kInvalidKeyImage;
  OddMultiples image;
  FillOddMultiples(point, &image);

  const Nonce nonce;
  Scalar sum{};
  std::vector<Projective<Field51>> commitments;
  commitments.reserve(2 * ring.members);
  for (size_t i = 0; i < ring.members; ++i) {
    const uint8_t* key = ring.keys + kKeySize * i;
    if (i == real) {
      commitments.push_back(nonce.TimesBase());
      commitments.push_back(nonce.Times(ToExtended(HashToPoint(key, kKeySize))));
      continue;
    }
    uint8_t* c = signatures + kSignatureSize * i;
    const Scalar challenge = RandomScalar();
    ScalarToBytes(challenge, c);
    ScalarToBytes(RandomScalar(), c + 32);
    if (!MemberCommitments(key, c, c + 32, image, &commitments)) return SignResult::kInvalidMember;
    sum = AddScalars(sum, challenge);
  }
  std::vector<uint8_t> encoded(64 * ring.members);
  EncodeAll(commitments, encoded.data());
  const Scalar c = SubScalars(CommitmentHash(ring, encoded.data()), sum);
  ScalarToBytes(c, signatures + kSignatureSize * real);
  ScalarToBytes(nonce.Response(c, secret), signatures + kSignatureSize * real + 32);
  return SignResult::kOk;
}

}  // namespace

SignResult SignRing(const Ring& ring, size_t real, const uint8_t secret[32], uint8_t* signatures) {
  const SignResult result = SignWithSecrets(ring, real, secret, signatures);
  WipeStack();
  return result;
}

bool CheckRing(const Ring& ring, const uint8_t* signatures) { return CheckOneRing(ring, signatures).valid; }

void CheckRings(const Ring* rings, const uint8_t* const* signatures, size_t count, RingVerdict* verdicts) {
  size_t members = 0;
  for (size_t i = 0; i < count; ++i) members += rings[i].members;
  const BatchKernels& kernels = KernelsFor(members);
  if (kernels.commitments == nullptr) {
    for (size_t i = 0; i < count; ++i) verdicts[i] = CheckOneRing(rings[i], signatures[i]);
    return;
  }

  std::vector<uint8_t> images(kKeySize * count);
  for (size_t i = 0; i < count; ++i) std::memcpy(images.data() + kKeySize * i, rings[i].keyImage, kKeySize);
  const auto flags = std::make_unique<bool[]>(count + members);
  bool* const primeOrder = flags.get();
  bool* const decoded = primeOrder + count;
  kernels.primeOrders(images.data(), count, primeOrder);

  std::vector<RingMember> lanes;
  lanes.reserve(members);
  for (size_t i = 0; i < count; ++i) {
    verdicts[i] = {primeOrder[i] && ScalarsReduced(signatures[i], rings[i].members), primeOrder[i]};
    for (size_t m = 0; verdicts[i].valid && m < rings[i].members; ++m) {
      lanes.push_back({rings[i].keys + kKeySize * m, signatures[i] + kSignatureSize * m, rings[i].keyImage});
    }
  }
  std::vector<uint8_t> commitments(64 * lanes.size());
  kernels.commitments(lanes.data(), lanes.size(), commitments.data(), decoded);

  size_t next = 0;
  for (size_t i = 0; i < count; ++i) {
    bool& valid = verdicts[i].valid;
    if (!valid) continue;
    for (size_t m = 0; m < rings[i].members; ++m) valid = valid && decoded[next + m];
    valid = valid && ChallengesMatch(rings[i], signatures[i], commitments.data() + 64 * next);
    next += rings[i].members;
  }
}

}  // namespace wrkz::curve
