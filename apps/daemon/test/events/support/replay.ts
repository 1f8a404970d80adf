import type { JournalEntry } from '../../../src/events/journal/entry';

/** Height and hash of a block. */
type Block = readonly [height: number, hash: string];

/** A client that follows the main chain and the pool by nothing but the entries of a journal. It throws at the first that does not follow. */
export class Replay {
  /** The main chain according to the events, ascending. */
  readonly chain: Block[] = [];
  readonly pool = new Set<string>();
  turns = 0;
  private last = 0;
  /** New blocks of the last reorganisation whose events are still missing. */
  private promised: string[] = [];

  /** @param known the chain that the client has read before */
  constructor(known: readonly Block[] = []) {
    this.chain.push(...known);
  }

  get tip(): Block | undefined {
    return this.chain.at(-1);
  }

  take(entries: readonly Pick<JournalEntry, 'number' | 'topic' | 'body'>[]): void {
    for (const { number, topic, body } of entries) {
      if (number <= this.last) throw new Error(`number ${number} follows on ${this.last}`);
      this.last = number;
      const at = `entry ${number}: ${topic} ${JSON.stringify(body)}`;
      if (topic === 'block') this.block(body as unknown as BlockBody, at);
      if (topic === 'reorganisation') this.turn(body as unknown as TurnBody, at);
      if (topic === 'tx') this.enter(body['hash'] as string, at);
      if (topic === 'pool-removed') for (const hash of body['hashes'] as string[]) this.leave(hash, at);
    }
  }

  private block({ height, hash, reorganised = false }: BlockBody, at: string): void {
    const promised = this.promised.shift();
    if (promised !== undefined && (promised !== hash || !reorganised))
      throw new Error(`${promised} was promised, ${at}`);
    if (promised === undefined && reorganised) throw new Error(`no reorganisation before ${at}`);
    if (this.tip !== undefined && height !== this.tip[0] + 1) throw new Error(`the tip is ${this.tip[0]}, ${at}`);
    this.chain.push([height, hash]);
  }

  private turn(body: TurnBody, at: string): void {
    if (this.promised.length > 0) throw new Error(`${this.promised.join()} not told of, ${at}`);
    const discarded = this.chain.splice(this.chain.length - body.discarded_blocks, body.discarded_blocks);
    if (discarded.map(([, hash]) => hash).join() !== body.discarded_hashes.join())
      throw new Error(`other blocks: ${at}`);
    if (this.tip !== undefined && this.tip.join() !== [body.common_root_height, body.common_root_hash].join()) {
      throw new Error(`another root: ${at}`);
    }
    if (body.new_height !== body.common_root_height + body.new_blocks) throw new Error(`another height: ${at}`);
    this.promised = [...body.hashes];
    this.turns += 1;
  }

  private enter(hash: string, at: string): void {
    if (this.pool.has(hash)) throw new Error(`told of already: ${at}`);
    this.pool.add(hash);
  }

  private leave(hash: string, at: string): void {
    if (!this.pool.delete(hash)) throw new Error(`never told of: ${at}`);
  }
}

interface BlockBody {
  readonly height: number;
  readonly hash: string;
  readonly reorganised?: boolean;
}

interface TurnBody {
  readonly new_height: number;
  readonly new_blocks: number;
  readonly discarded_blocks: number;
  readonly common_root_height: number;
  readonly common_root_hash: string;
  readonly hashes: readonly string[];
  readonly discarded_hashes: readonly string[];
}
