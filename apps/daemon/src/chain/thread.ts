import { BelowFloor, type CompactStep, type DatabaseMemory, type Opening } from '@wrkz/chain-db';
import { carriedError } from '@wrkz/service-kit/base';
import type { NetworkName, RawBlock } from '@wrkz/core-types';
import type { PrunePass, PruneRules } from './pruning';
import type { RefusedSwitch } from './side-branches';
import type { AddBlockResult } from './results';
import {
  type BlockSource,
  ChainDamaged,
  ChainFailed,
  ChainPaused,
  ChainStopped,
  type CommitEvent,
  type RepairBlock,
  type TipFacts,
} from './service';

/** Options of the engine's thread. */
export interface WorkerSetup {
  readonly directory: string;
  readonly network: NetworkName;
  /** The `--load-checkpoints` value. */
  readonly checkpoints: string;
  readonly memory?: DatabaseMemory;
  /** Counts the commits, for readers on other threads. */
  readonly commits?: Int32Array;
  /** The height of a lite node. */
  readonly lite?: number | undefined;
  /** Bytes that must be free before blocks are written; undefined for none. */
  readonly minDiskFreeBytes?: number | undefined;
  /** Set if the node prunes old blocks. */
  readonly prune?: PruneRules | undefined;
}

/** The messages between the engine's thread and its client. */
export type ChainThread = {
  setup: WorkerSetup;
  ready: { readonly tip: TipFacts; readonly opening: Opening };
  calls: {
    addBlocks: {
      argument: { blocks: readonly RawBlock[]; source: BlockSource; more: boolean };
      result: AddBlockResult[];
    };
    rewindTo: { argument: number; result: void };
    compactStep: { argument: undefined; result: CompactStep };
    cutLog: { argument: undefined; result: boolean };
    repairPage: { argument: { page: number; blocks: readonly RepairBlock[] }; result: boolean };
  };
  /** `damage`: the reason why a damaged block off the main chain was dropped. */
  events: {
    commit: CommitEvent;
    damage: string;
    pruned: PrunePass;
    refusedSwitch: RefusedSwitch;
    diskShortage: string | undefined;
  };
};

/** The errors that callers of a ChainService distinguish. */
export const CHAIN_ERRORS = [
  carriedError(ChainStopped, () => new ChainStopped()),
  carriedError(ChainDamaged, (message) => new ChainDamaged(message)),
  carriedError(ChainFailed, (message) => new ChainFailed(message)),
  carriedError(ChainPaused, (message) => new ChainPaused(message)),
  carriedError(
    BelowFloor,
    (_message, { height, floor, mode }: Pick<BelowFloor, 'height' | 'floor' | 'mode'>) =>
      new BelowFloor(height, floor, mode),
    ({ height, floor, mode }) => ({ height, floor, mode }),
  ),
  carriedError(RangeError, (message) => new RangeError(message)),
];
