import { stratumApi } from '@wrkz/api';
import { checkHash, type PowAlgorithm, powHashAsync } from '@wrkz/crypto';
import { countedAddress, errorText, FairQueue, type Logger, type QueuedCall } from '@wrkz/service-kit';
import type { JobMaker, StratumJob, StratumNode } from './jobs';
import { COSTS, MAX_NONCES, StratumRefusal } from './limits';
import type { StratumLogin, StratumSession } from './session';
import type { StratumWorkers } from './workers';

interface WaitingShare extends QueuedCall {
  begin(): void;
}

export type HashFunction = (algorithm: PowAlgorithm, data: Buffer) => Promise<Buffer>;

/**
 * Hashes shares on the native threads, round-robin over addresses and with limited concurrency: blocks of peers use the same
 * threads, and an address that submits many shares only delays itself.
 */
export class ShareHasher {
  private readonly queue: FairQueue<WaitingShare>;

  constructor(
    atOnce: number,
    private readonly compute: HashFunction = powHashAsync,
  ) {
    this.queue = new FairQueue({ lanes: { shares: atOnce }, capacity: Infinity, capacityPerOwner: () => Infinity });
  }

  /** Queued shares. */
  get waiting(): number {
    return this.queue.size;
  }

  /**
   * The hash of a share. A share that is still queued when the signal is aborted is not hashed.
   * @throws Error when it cannot be computed or the signal is aborted
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

const {
  blockNotAccepted,
  duplicateShare,
  invalidJobId,
  invalidResult,
  lowDifficulty,
  malformedNonce,
  notHashed,
  notSerialized,
} = stratumApi.stratumErrors;

/** A share as submitted; missing fields are empty. */
export interface SubmittedShare {
  readonly jobId: string;
  readonly nonce: string;
  readonly result: string;
}

interface HashedShare {
  readonly job: StratumJob;
  readonly nonce: Buffer;
  readonly hash: Buffer;
}

const NONCE = /^[0-9a-fA-F]{8}$/;
const BAD_SHARE = { cost: COSTS.badShare } as const;
const REFUSED = { cost: COSTS.refused } as const;

/** Verifies shares, and submits those that are blocks. */
export class ShareCheck {
  constructor(
    private readonly node: Pick<StratumNode, 'tip' | 'add'>,
    private readonly jobs: Pick<JobMaker, 'invalidate'>,
    private readonly hasher: ShareHasher,
    private readonly workers: StratumWorkers,
    private readonly logger: Logger,
  ) {}

  /** Resolves for a valid share. @throws StratumRefusal with the first reason in the order of the reference */
  async check(session: StratumSession, login: StratumLogin, share: SubmittedShare): Promise<void> {
    let hashed: HashedShare;
    try {
      hashed = await this.hashed(session, share);
    } catch (error) {
      this.workers.countShare(login.worker, 'rejected', 0n);
      throw error;
    }
    const { job, hash } = hashed;
    const isStale = (): boolean => !job.previousHash.equals(this.node.tip().hash);
    const wasStale = isStale();
    if (checkHash(hash, job.difficulty)) {
      try {
        await this.submitBlock(hashed, session, login);
      } catch (error) {
        this.workers.countShare(login.worker, isStale() ? 'stale' : 'rejected', job.shareDifficulty);
        throw error;
      }
    }
    session.accepted += 1;
    session.dependencies.difficulty.count();
    session.dependencies.budget.countShare();
    this.workers.countShare(login.worker, wasStale ? 'stale' : 'accepted', job.shareDifficulty);
  }

  private async hashed(
    session: StratumSession,
    { jobId, nonce: digits, result }: SubmittedShare,
  ): Promise<HashedShare> {
    const job = session.job(jobId);
    if (job === undefined) throw new StratumRefusal(invalidJobId, {}, REFUSED);
    if (!NONCE.test(digits)) throw new StratumRefusal(malformedNonce, {}, REFUSED);
    const nonce = Buffer.from(digits, 'hex');
    if (job.nonces.has(nonce.readUInt32LE())) throw new StratumRefusal(duplicateShare, {}, REFUSED);
    job.nonces.add(nonce.readUInt32LE());
    if (job.nonces.size >= MAX_NONCES) session.removeJob(job);
    const hash = await this.hash(session, job, nonce);
    if (result !== '' && result.toLowerCase() !== hash.toString('hex')) {
      throw new StratumRefusal(invalidResult, {}, BAD_SHARE);
    }
    if (!checkHash(hash, job.shareDifficulty)) throw new StratumRefusal(lowDifficulty, {}, BAD_SHARE);
    return { job, nonce, hash };
  }

  private async hash(session: StratumSession, job: StratumJob, nonce: Buffer): Promise<Buffer> {
    const { host, signal } = session.dependencies;
    try {
      return await this.hasher.hash(countedAddress(host), job.algorithm, job.dataWith(nonce), signal);
    } catch (error) {
      if (!signal.aborted) this.logger.warning(`a share of ${host} could not be hashed: ${errorText(error)}`);
      throw new StratumRefusal(notHashed);
    }
  }

  private async submitBlock({ job, nonce }: HashedShare, session: StratumSession, login: StratumLogin): Promise<void> {
    const { host } = session.dependencies;
    const block = `block ${String(job.height)}`;
    let raw;
    try {
      raw = job.blockWith(nonce);
    } catch (error) {
      this.logger.error(`${block} of ${host} cannot be serialized: ${errorText(error)}`);
      throw new StratumRefusal(notSerialized);
    }
    const { code, message, hash, transactionHash } = await this.node.add(raw).catch((error: unknown) => {
      return { code: 'FAILED', message: errorText(error), hash: undefined, transactionHash: undefined };
    });
    if (transactionHash !== undefined) this.jobs.invalidate();
    if (code !== 'ADDED_TO_MAIN' && code !== 'ADDED_TO_ALTERNATIVE_AND_SWITCHED') {
      this.logger.warning(`${block} of ${host} is not on the main chain: ${message}`);
      throw new StratumRefusal(blockNotAccepted);
    }
    session.blocks += 1;
    this.workers.countBlock(login.worker);
    const id = hash?.toString('hex') ?? '';
    this.logger.info(`${login.worker.name} at ${host} found ${block}, difficulty ${String(job.difficulty)}: ${id}`);
  }
}
