#include "curve/base_table.h"

#include <iterator>

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

BaseMultiple Negated(const BaseMultiple& p) {
  BaseMultiple r{p.difference, p.sum, {}};
  Sub(Field51::Small(0), Field51::Constant(p.T2d)).Store(&r.T2d);
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

  const Cached<Field51> once = ToCached(base);
  Point multiple = ExtendedIdentity<Field51>();
  for (size_t i = 0; i < std::size(table.negative); ++i) {
    const BaseMultiple entry = Affine(multiple);
    if (i < std::size(table.positive)) table.positive[i] = entry;
    table.negative[i] = Negated(entry);
    multiple = ToExtended(Plus(multiple, once));
  }

  Point first = base;
  for (auto& row : table.rows) {
    const Cached<Field51> step = ToCached(first);
    Point next = first;
    for (BaseMultiple& entry : row) {
      entry = Affine(next);
      next = ToExtended(Plus(next, step));
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
