import type { FoundNonce, PowAlgorithm } from '@wrkz/crypto';

/** Something to search a nonce for. */
export interface MiningWork {
  readonly algorithm: PowAlgorithm;
  /** What is hashed, with space for the nonce. */
  readonly data: Buffer;
  readonly nonceOffset: number;
  /** What a hash must meet. */
  readonly difficulty: bigint;
  /** The index of the block, where it is known. */
  readonly height: number | undefined;
  /** Whether other nonces of the same work count as well. */
  readonly manyNonces: boolean;
  /** Hands in what was found. @throws WorkRefused when it does not count */
  submit(found: FoundNonce): Promise<void>;
}

/** Whom work comes from. It goes on by itself after whatever goes wrong on the way. */
export interface WorkSource {
  /** Begins; ends when the signal fires, and resolves then. */
  run(listener: WorkListener, signal: AbortSignal): Promise<void>;
}

export interface WorkListener {
  /** The work has changed; undefined while no work is available. */
  onWork(work: MiningWork | undefined): void;
  /** Something that the operator should know. */
  onNotice(level: 'info' | 'warning', text: string): void;
}

/** What was found does not count; the text is the other side's. */
export class WorkRefused extends Error {
  override readonly name = 'WorkRefused';
}
