import { toBuffer, toString } from 'qrcode';
import { PreparedResponse, responseLru } from './response-cache';

/** Max bytes of cached images. */
const CACHE_BYTES = 8 * 1024 * 1024;
/** Width and height of a PNG. */
const PNG_PIXELS = 300;
/** As in the original service: a long address still has large modules. */
const CORRECTION = { errorCorrectionLevel: 'L' } as const;
/** Light modules around the code of a PNG, as in the original service. */
const PNG_MARGIN = 2;

/** Draws QR codes and caches the images. */
export class QrImages {
  private readonly cache = responseLru(CACHE_BYTES);

  /** Whether the image is cached. */
  hasPng(text: string): boolean {
    return this.cache.has(`png ${text}`);
  }

  png(text: string): Promise<PreparedResponse> {
    return this.cached(`png ${text}`, () => toBuffer(text, { ...CORRECTION, width: PNG_PIXELS, margin: PNG_MARGIN }));
  }

  svg(text: string): Promise<PreparedResponse> {
    return this.cached(`svg ${text}`, async () => Buffer.from(await toString(text, { ...CORRECTION, type: 'svg' })));
  }

  private async cached(key: string, draw: () => Promise<Buffer>): Promise<PreparedResponse> {
    const cached = this.cache.get(key);
    if (cached !== undefined) return cached;
    const image = new PreparedResponse(await draw());
    this.cache.set(key, image);
    return image;
  }
}
