import { LRUCache } from 'lru-cache';
import { entityTag, FinishedJson, Reply } from '@wrkz/service-kit';

/** Bytes of finished answers that are held. */
const HELD = 32 * 1024 * 1024;

/** An answer that is finished, with its ETag. */
export class PreparedAnswer {
  readonly tag: string;

  constructor(
    readonly bytes: Buffer,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    this.tag = entityTag(bytes);
  }

  /** As an answer of bytes or text. */
  reply(more: Readonly<Record<string, string>> = {}): Reply<Buffer> {
    return new Reply(200, this.bytes, { ETag: this.tag, ...this.headers, ...more });
  }

  /** As an answer of JSON. */
  jsonReply(more: Readonly<Record<string, string>> = {}): Reply<FinishedJson> {
    return new Reply(200, new FinishedJson(this.bytes), { ETag: this.tag, ...this.headers, ...more });
  }
}

/** Holds finished answers as long as nothing changes that they were made of. */
export class AnswerCache {
  private readonly held = new LRUCache<string, PreparedAnswer>({
    maxSize: HELD,
    sizeCalculation: ({ bytes }, key) => bytes.length + key.length + 256,
  });
  private revision = '';

  /** The answer under this key, made anew after a change. What fails is not held. */
  async get(revision: string, key: string, make: () => string | Promise<string>): Promise<PreparedAnswer> {
    if (revision !== this.revision) {
      this.held.clear();
      this.revision = revision;
    }
    const held = this.held.get(key);
    if (held !== undefined) return held;
    const made = new PreparedAnswer(Buffer.from(await make()));
    // what was read before a change may be old now
    if (revision === this.revision) this.held.set(key, made);
    return made;
  }
}
