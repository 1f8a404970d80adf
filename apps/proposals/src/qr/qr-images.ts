import { LRUCache } from 'lru-cache';
import { PreparedAnswer } from '../answer-cache';
import { qrCode } from './code';
import { qrPng } from './png';
import { qrSvg } from './svg';

/** Bytes of images that are held. */
const HELD = 8 * 1024 * 1024;

/** Draws QR codes, each once as long as it is held. */
export class QrImages {
  private readonly held = new LRUCache<string, PreparedAnswer>({
    maxSize: HELD,
    sizeCalculation: ({ bytes }, key) => bytes.length + key.length + 256,
  });

  /** Whether an image is there without being drawn. */
  hasPng(text: string): boolean {
    return this.held.has(`png ${text}`);
  }

  png(text: string): PreparedAnswer {
    return this.drawn(`png ${text}`, () => qrPng(qrCode(text)));
  }

  svg(text: string): PreparedAnswer {
    return this.drawn(`svg ${text}`, () => Buffer.from(qrSvg(qrCode(text))));
  }

  private drawn(key: string, draw: () => Buffer): PreparedAnswer {
    const held = this.held.get(key) ?? new PreparedAnswer(draw());
    this.held.set(key, held);
    return held;
  }
}
