import type { FoundNonce, PowAlgorithm } from '@wrkz/crypto';

/** A block template or a stratum job. */
export interface MiningWork {
  readonly algorithm: PowAlgorithm;
  /** The bytes to hash, with space for the nonce. */
  readonly data: Buffer;
  readonly nonceOffset: number;
  /** Difficulty of the block or of a share. */
  readonly difficulty: bigint;
  /** Index of the block, if known. */
  readonly height: number | undefined;
  /** Whether the results are shares, so that several nonces of the same work are valid. */
  readonly isShare: boolean;
  /** Submits a block or share. @throws WorkRefused if it is not accepted */
  submit(found: FoundNonce): Promise<void>;
}

/** A node or a stratum server. Reconnects after any failure. */
export interface WorkSource {
  /** Delivers work until the signal is aborted, then resolves. */
  run(listener: WorkListener, signal: AbortSignal): Promise<void>;
}

export interface WorkListener {
  /** Called when the work has changed; undefined if there is none. */
  onWork(work: MiningWork | undefined): void;
  /** A message for the operator. */
  onNotice(level: 'info' | 'warning', text: string): void;
}

/** The node or server did not accept a block or share; the message is its text. */
export class WorkRefused extends Error {
  override readonly name = 'WorkRefused';
}
