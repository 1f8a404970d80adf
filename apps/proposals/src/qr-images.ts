import { toBuffer, toString } from 'qrcode';
import { PreparedResponse, responseLru } from './response-cache';

/** Max bytes of cached images. */
const CACHE_BYTES = 8 * 1024 * 1024;
/** As in the original service: low error correction keeps the modules of a long address large. */
const CORRECTION = { errorCorrectionLevel: 'L' } as const;
/**
 * Size in pixels and quiet zone in modules, as in the original service. For speed, one filter for all rows (2: difference to
 * the row above) and gray pixels: by default the encoder tries five filters for each row of RGBA pixels.
 */
const PNG = { width: 300, margin: 2, rendererOpts: { filterType: 2, colorType: 0 } as object };

/** Draws QR codes and caches the images. */
export class QrImages {
  private readonly cache = responseLru(CACHE_BYTES);

  /** Whether the image is cached. */
  hasPng(text: string): boolean {
    return this.cache.has(`png ${text}`);
  }

  png(text: string): Promise<PreparedResponse> {
    return this.cached(`png ${text}`, () => toBuffer(text, { ...CORRECTION, ...PNG }));
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
