import { RuleFailure } from '@wrkz/consensus';
import { encodeTransaction, parseTransaction, type Transaction } from '@wrkz/core-types';
import type { ChainCommit } from '../../src/chain/service';
import type { Finality } from '../../src/mempool/rejection-scope';
import type { TipLimits, PoolValidator } from '../../src/mempool/chain-validator';
import { TransactionPool } from '../../src/mempool/pool';

let keyImages = 0;

export interface Shape {
  readonly fee?: bigint;
  readonly amount?: bigint;
  readonly inputs?: number;
  readonly outputs?: number;
  readonly padding?: number;
  readonly keyImage?: Buffer;
  readonly unlockTime?: bigint;
}

export function freshKeyImage(number = ++keyImages): Buffer {
  const bytes = Buffer.alloc(32, 1);
  bytes.writeUInt32LE(number, 0);
  return bytes;
}

/** A transaction that parses and means nothing. */
export function made({
  fee = 10n,
  amount = 1000n,
  inputs = 1,
  outputs = 1,
  padding = 0,
  keyImage: first,
  unlockTime = 0n,
}: Shape = {}): Buffer {
  const each = (amount + fee) / BigInt(inputs);
  const transaction: Transaction = {
    version: 1,
    unlockTime,
    inputs: Array.from({ length: inputs }, (_, i) => ({
      type: 'key' as const,
      amount: i === 0 ? amount + fee - each * BigInt(inputs - 1) : each,
      keyOffsets: [1],
      keyImage: i === 0 ? (first ?? freshKeyImage()) : freshKeyImage(),
    })),
    outputs: Array.from({ length: outputs }, (_, i) => ({
      amount: i === 0 ? amount - BigInt(outputs - 1) : 1n,
      key: Buffer.alloc(32, 2),
    })),
    extra: Buffer.alloc(padding),
    signatures: Array.from({ length: inputs }, () => Buffer.alloc(64)),
  };
  return encodeTransaction(transaction);
}

export const hashOf = (bytes: Buffer): Buffer => parseTransaction(bytes).hash;

export class FakeValidator implements PoolValidator {
  refusals = new Map<string, RuleFailure>();
  spent = new Map<string, 'in block' | RuleFailure>();
  limitFailures = new Map<string, RuleFailure>();
  lapsed = new Set<bigint>();
  tooNear = new Set<bigint>();
  rulesAreFinal = true;
  ringsAreFinal = true;
  looks = 0;
  lapseChecks = 0;
  nearChecks = 0;
  validated = 0;
  limit = Infinity;
  /** The key of the limits; default: it changes with `limitFailures`. */
  key: string | undefined;
  templateBytes = Infinity;
  gate: Promise<void> = Promise.resolve();

  async validate(parsed: { hash: Buffer }): Promise<RuleFailure | undefined> {
    this.validated += 1;
    await this.gate;
    return this.refusals.get(parsed.hash.toString('hex'));
  }

  sizeLimit(): number {
    return this.limit;
  }

  checkSpent(parsed: { hash: Buffer }): 'in block' | RuleFailure | undefined {
    return this.spent.get(parsed.hash.toString('hex'));
  }

  tipLimits(): TipLimits {
    return {
      key: this.key ?? String(this.limitFailures.size),
      check: (parsed) => {
        this.looks += 1;
        return this.limitFailures.get(parsed.hash.toString('hex'));
      },
      templateBytes: this.templateBytes,
      isUnlockTimeExpired: (unlockTime) => {
        this.lapseChecks += 1;
        return this.lapsed.has(unlockTime);
      },
      isUnlockTimeTooNear: (unlockTime) => {
        this.nearChecks += 1;
        return this.tooNear.has(unlockTime);
      },
    };
  }

  finality(): Finality {
    return { rulesAreFinal: () => this.rulesAreFinal, ringsAreFinal: () => this.ringsAreFinal };
  }
}

export function bench(): { pool: TransactionPool; validator: FakeValidator; clock: { now: number }; gone: string[] } {
  const validator = new FakeValidator();
  const clock = { now: 1_000_000 };
  const pool = new TransactionPool(validator, () => clock.now);
  const gone: string[] = [];
  pool.on('removed', ({ hashes, reason }) => gone.push(...hashes.map((hash) => `${reason} ${hash.toString('hex')}`)));
  return { pool, validator, clock, gone };
}

export function commit(part: Partial<ChainCommit>): ChainCommit {
  const tip = {} as ChainCommit['tip'];
  return {
    kind: 'append',
    source: 'sync',
    forkHeight: 0,
    forkHash: Buffer.alloc(32),
    added: [],
    removed: [],
    tip,
    ...part,
  };
}

export const block = (part: { transactionHashes?: Buffer[]; keyImages?: Buffer[] }): ChainCommit['added'][number] => ({
  height: 1,
  hash: Buffer.alloc(32),
  timestamp: 0,
  coinbaseHash: Buffer.alloc(32),
  transactionHashes: [],
  keyImages: [],
  ...part,
});
