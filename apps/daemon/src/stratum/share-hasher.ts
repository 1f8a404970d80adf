import { type PowAlgorithm, powHashAsync } from '@wrkz/crypto';
import { FairQueue, type QueuedCall } from '@wrkz/service-kit';

interface WaitingShare extends QueuedCall {
  begin(): void;
}

export type HashFunction = (algorithm: PowAlgorithm, data: Buffer) => Promise<Buffer>;

/**
 * Hashes shares on the native threads, in turns by address and only a few at once: blocks of peers use the same threads,
 * and whoever sends many shares waits behind himself.
 */
export class ShareHasher {
  private readonly queue: FairQueue<WaitingShare>;

  constructor(
    atOnce: number,
    private readonly compute: HashFunction = powHashAsync,
  ) {
    this.queue = new FairQueue({ lanes: { shares: atOnce }, capacity: Infinity, capacityPerOwner: () => Infinity });
  }

  /** Shares that wait for their turn. */
  get waiting(): number {
    return this.queue.size;
  }

  /**
   * The hash; a share that still waits when the signal fires is never hashed.
   * @throws Error when it cannot be computed or is no longer wanted
   */
  async hash(owner: string, algorithm: PowAlgorithm, data: Buffer, signal: AbortSignal): Promise<Buffer> {
    signal.throwIfAborted();
    const call = await this.turn(owner, signal);
    try {
      return await this.compute(algorithm, data);
    } finally {
      this.queue.done(call);
      this.queue.next()?.begin();
    }
  }

  private turn(owner: string, signal: AbortSignal): Promise<WaitingShare> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.queue.remove(call);
        reject(signal.reason as Error);
      };
      const call: WaitingShare = {
        name: 'share',
        options: { owner },
        begin: () => {
          signal.removeEventListener('abort', leave);
          resolve(call);
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      this.queue.add(call);
      this.queue.next()?.begin();
    });
  }
}
