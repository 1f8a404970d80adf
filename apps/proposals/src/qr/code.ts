import { create } from 'qrcode';

/** The modules of a QR code, without a quiet zone. */
export interface QrCode {
  /** Modules on a side. */
  readonly size: number;
  readonly isDark: (row: number, column: number) => boolean;
}

/** Encodes a text with correction level L, as the original does: a long address stays coarse enough for a phone. */
export function qrCode(text: string): QrCode {
  const { modules } = create(text, { errorCorrectionLevel: 'L' });
  return { size: modules.size, isDark: (row, column) => modules.get(row, column) !== 0 };
}
