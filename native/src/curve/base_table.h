// Multiples of the base point, computed on first use and constant afterwards.
#pragma once

#include "curve/constants.h"

namespace wrkz::curve {

struct BaseMultiple {  // affine point as y + x, y - x, 2 d x y; limbs fully reduced
  FieldConstant sum, difference, T2d;
};

struct BaseTable {
  BaseMultiple rows[32][8];  // rows[i][j] = (j + 1) 256^i G
  BaseMultiple odd[64];      // odd[j] = (2 j + 1) G
  BaseMultiple positive[120], negative[137];  // positive[j] = j G, negative[j] = -j G

  static const BaseTable& Get();
};

}  // namespace wrkz::curve
