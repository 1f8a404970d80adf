import type { QrCode } from './code';

/** Light modules around a code, as the standard asks for. */
const QUIET_ZONE = 4;

/** Draws a code as an SVG that scales without loss: dark modules as one path, runs of a row as one stroke. */
export function qrSvg({ size, isDark }: QrCode): string {
  const side = size + 2 * QUIET_ZONE;
  let path = '';
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      if (!isDark(row, column)) continue;
      const from = column;
      while (column + 1 < size && isDark(row, column + 1)) column++;
      path += `M${from + QUIET_ZONE} ${row + QUIET_ZONE}h${column - from + 1}v1h-${column - from + 1}z`;
    }
  }
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges">` +
    `<path fill="#fff" d="M0 0h${side}v${side}H0z"/><path d="${path}"/></svg>`
  );
}
