#include "curve/base_table.h"

#include "curve/field51.h"
#include "curve/point.h"

namespace wrkz::curve {
namespace {

using Point = Extended<Field51>;

BaseMultiple Affine(const Point& p) {
  const Field51 inverse = Invert(p.Z);
  const Field51 x = Mul(p.X, inverse);
  const Field51 y = Mul(p.Y, inverse);
  BaseMultiple r;
  Add(y, x).Store(&r.sum);
  Sub(y, x).Store(&r.difference);
  Mul(Mul(x, y), Field51::Constant(kTwoD)).Store(&r.T2d);
  return r;
}

BaseTable Compute() {
  BaseTable table;
  const Field51 x = Field51::Constant(kBaseX);
  const Field51 y = Field51::Constant(kBaseY);
  const Point base{x, y, Field51::Small(1), Mul(x, y)};

  const Cached<Field51> twice = ToCached(ToExtended(Double(ToProjective(base))));
  Point odd = base;
  for (BaseMultiple& entry : table.odd) {
    entry = Affine(odd);
    odd = ToExtended(Plus(odd, twice));
  }

  Point first = base;
  for (auto& row : table.rows) {
    const Cached<Field51> step = ToCached(first);
    Point multiple = first;
    for (BaseMultiple& entry : row) {
      entry = Affine(multiple);
      multiple = ToExtended(Plus(multiple, step));
    }
    for (int i = 0; i < 8; ++i) first = ToExtended(Double(ToProjective(first)));
  }
  return table;
}

}  // namespace

const BaseTable& BaseTable::Get() {
  static const BaseTable table = Compute();
  return table;
}

}  // namespace wrkz::curve
