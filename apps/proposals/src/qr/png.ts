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
  const png = new PNG({ width: QR_PIXELS, height: QR_PIXELS, colorType: 0 });
  png.data.fill(255);
  for (let row = 0; row < size * scale; row++) {
    for (let column = 0; column < size * scale; column++) {
      if (!isDark(Math.floor(row / scale), Math.floor(column / scale))) continue;
      const at = 4 * ((row + margin) * QR_PIXELS + column + margin);
      png.data.fill(0, at, at + 3);
    }
  }
  return PNG.sync.write(png, { colorType: 0, inputHasAlpha: true });
}
