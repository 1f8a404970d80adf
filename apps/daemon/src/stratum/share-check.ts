import { stratumApi } from '@wrkz/api';
import { checkHash } from '@wrkz/crypto';
import { errorText, type Logger } from '@wrkz/service-kit';
import { countedAddress } from '@wrkz/service-kit';
import type { StratumJob } from './job';
import { COSTS, MAX_NONCES } from './limits';
import type { StratumNode } from './ports';
import { StratumRefusal } from './refusal';
import type { StratumLogin, StratumSession } from './session';
import type { ShareHasher } from './share-hasher';
import type { StratumWorkers } from './workers';

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

/** A share as it was sent; what was left out is empty. */
export interface SentShare {
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

/** Judges shares, and hands in those that are blocks. */
export class ShareCheck {
  constructor(
    private readonly node: Pick<StratumNode, 'tip' | 'add'>,
    private readonly hasher: ShareHasher,
    private readonly workers: StratumWorkers,
    private readonly logger: Logger,
  ) {}

  /** Resolves for a share that counts. @throws StratumRefusal with the first reason in the order of the reference */
  async check(session: StratumSession, login: StratumLogin, share: SentShare): Promise<void> {
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
        await this.handIn(hashed, session, login);
      } catch (error) {
        this.workers.countShare(login.worker, isStale() ? 'stale' : 'rejected', job.shareDifficulty);
        throw error;
      }
    }
    session.accepted += 1;
    session.parts.difficulty.count();
    this.workers.countShare(login.worker, wasStale ? 'stale' : 'accepted', job.shareDifficulty);
  }

  private async hashed(session: StratumSession, { jobId, nonce: digits, result }: SentShare): Promise<HashedShare> {
    const job = session.job(jobId);
    if (job === undefined) throw new StratumRefusal(invalidJobId, {}, REFUSED);
    if (!NONCE.test(digits)) throw new StratumRefusal(malformedNonce, {}, REFUSED);
    const nonce = Buffer.from(digits, 'hex');
    if (job.nonces.has(nonce.readUInt32LE())) throw new StratumRefusal(duplicateShare, {}, REFUSED);
    job.nonces.add(nonce.readUInt32LE());
    if (job.nonces.size >= MAX_NONCES) session.retire(job);
    const hash = await this.hash(session, job, nonce);
    if (result !== '' && result.toLowerCase() !== hash.toString('hex')) {
      throw new StratumRefusal(invalidResult, {}, BAD_SHARE);
    }
    if (!checkHash(hash, job.shareDifficulty)) throw new StratumRefusal(lowDifficulty, {}, BAD_SHARE);
    return { job, nonce, hash };
  }

  private async hash(session: StratumSession, job: StratumJob, nonce: Buffer): Promise<Buffer> {
    const { host, signal } = session.parts;
    try {
      return await this.hasher.hash(countedAddress(host), job.algorithm, job.dataWith(nonce), signal);
    } catch (error) {
      if (!signal.aborted) this.logger.warning(`a share of ${host} could not be hashed: ${errorText(error)}`);
      throw new StratumRefusal(notHashed);
    }
  }

  private async handIn({ job, nonce }: HashedShare, session: StratumSession, login: StratumLogin): Promise<void> {
    const { host } = session.parts;
    const at = `block ${String(job.height)}`;
    let block;
    try {
      block = job.blockWith(nonce);
    } catch (error) {
      this.logger.error(`${at} of ${host} cannot be written: ${errorText(error)}`);
      throw new StratumRefusal(notSerialized);
    }
    const { code, message, hash } = await this.node.add(block).catch((error: unknown) => {
      return { code: 'FAILED', message: errorText(error), hash: undefined };
    });
    if (code !== 'ADDED_TO_MAIN' && code !== 'ADDED_TO_ALTERNATIVE_AND_SWITCHED') {
      this.logger.warning(`${at} of ${host} is not on the main chain: ${message}`);
      throw new StratumRefusal(blockNotAccepted);
    }
    session.blocks += 1;
    this.workers.countBlock(login.worker);
    const id = hash?.toString('hex') ?? '';
    this.logger.info(`${login.worker.name} at ${host} has found ${at}, difficulty ${String(job.difficulty)}: ${id}`);
  }
}
