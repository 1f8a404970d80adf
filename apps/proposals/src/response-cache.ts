import { LRUCache } from 'lru-cache';
import { entityTag, FinishedJson, Reply } from '@wrkz/service-kit';

/** Max bytes of cached responses. */
const CACHE_BYTES = 32 * 1024 * 1024;

/** A response body with its ETag. */
export class PreparedResponse {
  readonly tag: string;

  constructor(readonly bytes: Buffer) {
    this.tag = entityTag(bytes);
  }

  reply(): Reply<Buffer> {
    return new Reply(200, this.bytes, { ETag: this.tag });
  }

  jsonReply(headers: Readonly<Record<string, string>>): Reply<FinishedJson> {
    return new Reply(200, new FinishedJson(this.bytes), { ETag: this.tag, ...headers });
  }
}

/** Responses by key, up to a total size. */
export function responseLru(maxBytes: number): LRUCache<string, PreparedResponse> {
  return new LRUCache({
    maxSize: maxBytes,
    sizeCalculation: ({ bytes }, key) => bytes.length + key.length + 256,
  });
}

/** Caches responses until the data changes. */
export class ResponseCache {
  private readonly cache = responseLru(CACHE_BYTES);
  private revision = '';

  /** @param revision revision of the data. A new revision clears the cache */
  async get(revision: string, key: string, create: () => string | Promise<string>): Promise<PreparedResponse> {
    if (revision !== this.revision) {
      this.cache.clear();
      this.revision = revision;
    }
    const cached = this.cache.get(key);
    if (cached !== undefined) return cached;
    const response = new PreparedResponse(Buffer.from(await create()));
    // The data may have changed during `create`.
    if (revision === this.revision) this.cache.set(key, response);
    return response;
  }
}
