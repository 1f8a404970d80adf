import type { ChainReader } from '@wrkz/chain-db';
import type { BlockFacts } from '@wrkz/consensus';

/** The stored chain became another one: blocks were added on top, or some that stood there are gone (`switch`). */
export interface SeenCommit {
  readonly kind: 'append' | 'switch';
  readonly height: number;
  readonly hash: Buffer;
}

type Place = Pick<BlockFacts, 'height' | 'hash'>;

/**
 * Sees what another process commits. The database says by itself that something was written; what it was is told by the
 * block that was the tip at the look before: where it no longer stands, the chain was reorganized or rewound.
 */
export class CommitWatch {
  private mark: number;
  private tip: Place;

  /** @throws EmptyDatabase */
  constructor(private readonly reader: Pick<ChainReader, 'commitMark' | 'snapshot' | 'tip' | 'hashAt'>) {
    this.mark = reader.commitMark();
    this.tip = reader.tip();
  }

  /** What was committed since the look before; undefined for nothing, or nothing that changed the main chain. Microseconds. */
  look(): SeenCommit | undefined {
    const mark = this.reader.commitMark();
    if (mark === this.mark) return undefined;
    const { tip: before } = this;
    const seen = this.reader.snapshot(() => {
      const { height, hash } = this.reader.tip();
      const stands = this.reader.hashAt(before.height)?.equals(before.hash) === true;
      return { kind: stands ? ('append' as const) : ('switch' as const), height, hash };
    });
    this.mark = mark;
    this.tip = seen;
    return seen.kind === 'append' && seen.height === before.height ? undefined : seen;
  }
}
