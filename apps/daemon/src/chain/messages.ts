import type { NetworkName, RawBlock } from '@wrkz/core-types';
import type { AddBlockResult } from './results';
import type { BlockSource, CommitEvent, TipFacts } from './service';

/** What the worker is started with; plain data, because it crosses a thread. */
export interface WorkerSetup {
  readonly directory: string;
  readonly network: NetworkName;
  /** The `--load-checkpoints` value. */
  readonly checkpoints: string;
}

/** To the worker. Everything is packed (`transfer.ts`). */
export type Request =
  | { readonly kind: 'add'; readonly id: number; readonly blocks: readonly RawBlock[]; readonly source: BlockSource }
  | { readonly kind: 'rewind'; readonly id: number; readonly height: number }
  | { readonly kind: 'stop' };

/** An error on its way to the other thread. */
export interface PlainError {
  readonly name: string;
  readonly message: string;
}

/** From the worker. */
export type Report =
  | { readonly kind: 'ready'; readonly tip: TipFacts }
  | { readonly kind: 'commit'; readonly event: CommitEvent }
  | { readonly kind: 'added'; readonly id: number; readonly results: AddBlockResult[] }
  | { readonly kind: 'rewound'; readonly id: number }
  | { readonly kind: 'error'; readonly id: number; readonly error: PlainError }
  /** The engine takes nothing more; `starting` while it never served. */
  | { readonly kind: 'failed'; readonly starting: boolean; readonly error: PlainError }
  | { readonly kind: 'stopped' };

export function plainError(error: unknown): PlainError {
  return error instanceof Error
    ? { name: error.name, message: error.message }
    : { name: 'Error', message: String(error) };
}
