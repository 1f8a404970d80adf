import { refusals } from '@wrkz/api/daemon-errors';
import { damageIn, isUnreadableNow, openChainDb } from '@wrkz/chain-db';
import { networkOf } from '@wrkz/core-types';
import { type CallContext, serveThread, type ThreadService } from '@wrkz/service-kit/base';
import { refuse } from '../errors';
import { QUERY_NAMES, type QueryName, type QueryTable, runQuery } from '../queries';
import { READER_ERRORS, type ReaderThread } from './protocol';

/** Clients wait for the results: a higher priority than the engine and its native threads. */
const NICE_DIFFERENCE = 1;

/** The main function of a reader thread: one read-only connection, one query at a time. */
serveThread<ReaderThread>(
  ({ directory, network: name, memory, besideOwn }) => {
    const network = networkOf(name);
    const db = openChainDb({ directory, network: name, readonly: true, memory, besideOwn });
    const callOf =
      <Name extends QueryName>(query: Name) =>
      (argument: QueryTable[Name], { throwIfCancelled }: CallContext): Buffer => {
        try {
          return runQuery(db.reader, network, query, argument, throwIfCancelled);
        } catch (error) {
          // An error of SQLite loses its code, and so its meaning, on the way to the main thread.
          throw damageIn(error) ?? (isUnreadableNow(error) ? refuse(refusals.busy) : error);
        }
      };
    return {
      ready: undefined,
      calls: Object.fromEntries(
        QUERY_NAMES.map((query) => [query, callOf(query)]),
      ) as unknown as ThreadService<ReaderThread>['calls'],
      close: () => db.close(),
    };
  },
  READER_ERRORS,
  NICE_DIFFERENCE,
);
