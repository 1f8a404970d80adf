import type { NetworkName } from '@wrkz/core-types';
import type { TimedEvent } from './follow';
import type { ChainPosition } from './store';

export interface JournalSetup {
  readonly directory: string;
  readonly network: NetworkName;
  /** Days for which entries are kept; 0: for ever. */
  readonly keepDays: number;
}

/** How the journal stands after a piece of work. */
export interface JournalStanding {
  /** Names this journal. */
  readonly journal: string;
  readonly latest: number;
  /** Whether it follows the chain already. */
  readonly begun: boolean;
}

/** An event that is handed over; numbers grow. */
export interface HandedEvent extends TimedEvent {
  readonly number: number;
}

/** What the journal's thread and its owner say to each other. */
export type JournalThread = {
  setup: JournalSetup;
  /** Its file is opened by a call, which may fail and be repeated. */
  ready: undefined;
  calls: {
    /** Opens the file, or makes it. What the last start has told of is read on from there. */
    open: { argument: undefined; result: JournalStanding };
    /** From the block after this one on the journal tells of the chain, unless it does so already. */
    begin: { argument: ChainPosition; result: JournalStanding };
    /** Writes down what was not written yet: after a fault the same events come again. */
    append: { argument: readonly HandedEvent[]; result: JournalStanding };
    /** Reads from the chain what is missing; `pool`: what is in it now, where something of it is missing, too. */
    complete: { argument: { readonly pool: readonly Buffer[] | undefined }; result: JournalStanding };
    /** Begins anew: somebody has read what is damaged. */
    renew: { argument: string; result: JournalStanding };
  };
  events: { warning: string };
};
