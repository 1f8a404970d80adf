import { plainPaymentId } from '@wrkz/chain-db';
import { type ParsedTransaction, parseTransaction } from '@wrkz/core-types';

/** Why a transaction left the pool, as published. */
export type RemovalReason = 'InBlock' | 'Outdated' | 'NotActual';

/**
 * A transaction in the pool: its bytes, and the values that index and order it. Not the decoded transaction, which takes eight
 * times as much memory as its bytes: a full pool of small ones would take more memory than the rest of the daemon.
 */
export class PoolTransaction {
  /** The hash as hex. */
  readonly id: string;
  readonly hash: Buffer;
  readonly bytes: Buffer;
  readonly fee: bigint;
  /** Sum of the outputs. */
  readonly amount: bigint;
  /** Rounded down like the reference. A transaction without outputs has inputs, so it comes first: Infinity. */
  readonly inputsPerOutput: number;
  readonly unlockTime: bigint;
  /** Key images as hex. */
  readonly keyImages: readonly string[];
  /** Plain payment id as hex. */
  readonly paymentId: string | undefined;

  /**
   * @param receivedAt monotonic seconds
   * @param sequence number of the admission; breaks ties in the order
   */
  constructor(
    parsed: ParsedTransaction,
    readonly receivedAt: number,
    readonly sequence: number,
  ) {
    const { inputs, outputs, unlockTime, extra } = parsed.transaction;
    this.hash = parsed.hash;
    this.id = this.hash.toString('hex');
    this.bytes = parsed.bytes;
    this.fee = parsed.fee ?? 0n;
    this.amount = outputs.reduce((sum, { amount }) => sum + amount, 0n);
    this.inputsPerOutput = Math.floor(inputs.length / outputs.length);
    this.unlockTime = unlockTime;
    this.keyImages = inputs.flatMap((input) => (input.type === 'key' ? [input.keyImage.toString('hex')] : []));
    this.paymentId = plainPaymentId(extra)?.toString('hex');
  }

  get size(): number {
    return this.bytes.length;
  }

  /** Decodes the bytes, in a few microseconds. */
  parse(): ParsedTransaction {
    return parseTransaction(this.bytes);
  }
}
