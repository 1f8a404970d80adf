import type { EventBlock, NodeEvent, ReorganisationEvent } from '../node-events';
import {
  toldAlternative,
  toldBlock,
  toldDamage,
  toldDoubleSpend,
  toldRefusedBranch,
  toldRemoval,
  toldReorganisation,
  toldTransaction,
} from './entry-body';
import type { JournalStore } from './store';

/** An event with the moment at which it came, Unix milliseconds. */
export interface TimedEvent {
  readonly event: NodeEvent;
  readonly time: number;
}

/**
 * Writes one event down, inside a commit of the store. What the journal has already, because the chain was read meanwhile,
 * is not told twice.
 *
 * @returns false when the event does not follow on what the journal has: then the chain is to be asked
 */
export function writeEvent(store: JournalStore, { event, time }: TimedEvent): boolean {
  switch (event.kind) {
    case 'block':
      return writeBlock(store, event, time);
    case 'reorganisation':
      return writeReorganisation(store, event, time);
    case 'alternative':
      store.append(toldAlternative(event), time);
      return true;
    case 'pool-added':
      if (store.enterPool(event.hash)) store.append(toldTransaction(event.hash), time);
      return true;
    case 'damage':
      store.append(toldDamage(event), time);
      return true;
    case 'double-spend':
      store.append(toldDoubleSpend(event), time);
      return true;
    case 'refused-branch':
      store.append(toldRefusedBranch(event), time);
      return true;
    case 'pool-removed': {
      const left = store.leavePool(event.hashes);
      if (left.length > 0) store.append(toldRemoval(left, event.reason), time);
      return true;
    }
  }
}

function writeBlock(store: JournalStore, block: EventBlock, time: number): boolean {
  const position = store.position();
  if (position === undefined) return true;
  if (block.height === position.height + 1 && block.previousHash.equals(position.hash)) {
    store.append(toldBlock(block, false), time);
    store.extend(block);
    return true;
  }
  return store.hashAt(block.height)?.equals(block.hash) === true;
}

function writeReorganisation(store: JournalStore, event: ReorganisationEvent, time: number): boolean {
  const position = store.position();
  if (position === undefined) return true;
  const { rootHeight, rootHash, added, removed } = event;
  const before = removed.at(-1)?.hash ?? rootHash;
  // A block's id covers all before it, so that the same tip is the same chain.
  if (position.hash.equals(before)) {
    writeTurn(store, event, time);
    return true;
  }
  const after = added.at(-1) ?? { height: rootHeight, hash: rootHash };
  return store.hashAt(after.height)?.equals(after.hash) === true;
}

/** Writes down that the chain turned, and each new block. */
export function writeTurn(store: JournalStore, turn: Omit<ReorganisationEvent, 'kind'>, time: number): void {
  store.append(toldReorganisation(turn), time);
  store.cutTo({ height: turn.rootHeight, hash: turn.rootHash });
  for (const block of turn.added) {
    store.append(toldBlock(block, true), time);
    store.extend(block);
  }
}
