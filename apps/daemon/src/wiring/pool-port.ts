import type { DamageWatch } from '../damage/damage-watch';
import type { TransactionPool } from '../mempool/pool';
import type { PoolAnswer, PoolPort } from '../p2p/ports';

type Listener = (event: { readonly hash: Buffer }) => void;

/** The pool as the peers' side sees it. */
export class P2pPool implements PoolPort {
  constructor(
    private readonly pool: TransactionPool,
    private readonly damage: DamageWatch,
  ) {}

  /** What cannot be judged, because the chain that it would be judged by is damaged, is not held against the sender. */
  async add(transaction: Buffer, source: 'p2p'): Promise<PoolAnswer> {
    try {
      return await this.pool.add(transaction, source);
    } catch (error) {
      const damage = this.damage.note(error);
      if (damage === undefined) throw error;
      return { accepted: false, message: damage.message, fault: 'none' };
    }
  }

  has(hash: Buffer): boolean {
    return this.pool.has(hash);
  }

  get(hash: Buffer): Buffer | undefined {
    return this.pool.get(hash)?.parsed.bytes;
  }

  hashes(): Buffer[] {
    return this.pool.hashes();
  }

  on(_event: 'added', listener: Listener): void {
    this.pool.on('added', listener);
  }

  off(_event: 'added', listener: Listener): void {
    this.pool.off('added', listener);
  }
}
