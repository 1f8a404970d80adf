import { stringifyJson } from '@wrkz/service-kit/base';
import type { BlockRange } from './block-range';
import type { JsonBuffer } from './json-buffer';
import { MAX_ANSWER_BYTES } from './limits';
import type { QueryTools } from './query';

/** Ids that are read at once. */
const IDS_AT_ONCE = 1_000;

export interface BlockList {
  /** The most ids without a block, and the most whole blocks behind them. */
  readonly most: { readonly ids: number; readonly whole: number };
  readonly idOnly: (hash: Buffer) => object;
  /** Whole blocks of [start, end), lowest first. */
  readonly whole: (start: number, end: number) => Iterable<object>;
}

/**
 * Writes the entries of a block query: the ids below `fullOffset`, and when those reach it whole blocks from there on. At
 * least one whole block is written then, and as many as fit the largest answer; the caller asks on from the last one.
 */
export function writeBlocks(tools: QueryTools, out: JsonBuffer, range: BlockRange, list: BlockList): void {
  const { startHeight, fullOffset, currentHeight } = range;
  const { most, idOnly, whole } = list;
  let separator = '';
  const write = (entry: object): void => {
    out.text(separator + stringifyJson(entry));
    separator = ',';
  };
  const idEnd = Math.min(fullOffset, startHeight + most.ids);
  for (let from = startHeight; from < idEnd; from += IDS_AT_ONCE) {
    tools.throwIfGone();
    for (const hash of tools.reader.hashes(from, Math.min(from + IDS_AT_ONCE, idEnd))) write(idOnly(hash));
  }
  if (idEnd < fullOffset) return;
  let written = 0;
  for (const entry of whole(fullOffset, Math.min(currentHeight + 1, fullOffset + most.whole))) {
    tools.throwIfGone();
    const before = out.length;
    write(entry);
    if (written > 0 && out.length > MAX_ANSWER_BYTES) return out.truncate(before);
    written++;
  }
}
