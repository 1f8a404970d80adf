import { PNG } from 'pngjs';
import type { QrCode } from './code';

/** Pixels on a side, whatever the size of the code. */
export const QR_PIXELS = 300;
/** The fewest light modules around a code. */
const QUIET = 2;

/**
 * Draws a code as a PNG of 300 x 300 pixels, black on white, each module as large as whole pixels allow: nothing is scaled,
 * so no edge is blurred. What is left over widens the quiet zone.
 * @throws RangeError when a module would be smaller than a pixel
 */
export function qrPng({ size, isDark }: QrCode): Buffer {
  const scale = Math.floor(QR_PIXELS / (size + 2 * QUIET));
  if (scale < 1) throw new RangeError('the text is too long for the image');
  const margin = Math.floor((QR_PIXELS - size * scale) / 2);
  const png = new PNG({ width: QR_PIXELS, height: QR_PIXELS });
  png.data.fill(LIGHT);
  for (let row = 0; row < size; row++) {
    const first = rowOffset(margin + row * scale);
    for (let column = 0; column < size; column++) {
      if (!isDark(row, column)) continue;
      const at = first + (margin + column * scale) * PIXEL;
      for (let pixel = at; pixel < at + scale * PIXEL; pixel += PIXEL) png.data.writeUInt32BE(DARK, pixel);
    }
    for (let copy = 1; copy < scale; copy++) {
      png.data.copyWithin(rowOffset(margin + row * scale + copy), first, first + rowOffset(1));
    }
  }
  // rows repeat, so each is told by the one above
  return PNG.sync.write(png, { colorType: GREY, inputHasAlpha: true, filterType: UP });
}

const PIXEL = 4;
const LIGHT = 255;
/** Black, opaque. */
const DARK = 0x000000ff;
const GREY = 0;
const UP = 2;

function rowOffset(row: number): number {
  return row * QR_PIXELS * PIXEL;
}
