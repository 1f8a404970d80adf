import type { TransactionPool } from '../mempool/pool';
import type { PoolAnswer, PoolPort } from '../p2p/ports';

type Listener = (event: { readonly hash: Buffer }) => void;

/** The pool as the peers' side sees it. */
export class P2pPool implements PoolPort {
  constructor(private readonly pool: TransactionPool) {}

  add(transaction: Buffer, source: 'p2p'): Promise<PoolAnswer> {
    return this.pool.add(transaction, source);
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
