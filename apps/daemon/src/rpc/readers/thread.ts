import { daemonApi } from '@wrkz/api';
import { damageIn, isUnreadableNow, openChainDb } from '@wrkz/chain-db';
import { networkOf } from '@wrkz/core-types';
import { type CallContext, serveThread, type ThreadService } from '@wrkz/service-kit/base';
import { refuse } from '../errors';
import { QUERY_NAMES, type QueryName, type QueryTable, runQuery } from '../queries';
import { READER_ERRORS, type ReaderThread } from './protocol';

/** Somebody waits for its answers: its turn comes before that of the engine and of the native pool, which inherits the engine's. */
const ANSWERING = 1;

/** The body of a reader thread: one read-only connection, one query at a time. */
serveThread<ReaderThread>(
  ({ directory, network: name, memory, besideOwn }) => {
    const network = networkOf(name);
    const db = openChainDb({ directory, network: name, readonly: true, memory, besideOwn });
    const answer =
      <Name extends QueryName>(query: Name) =>
      (argument: QueryTable[Name], { throwIfCancelled }: CallContext): Buffer => {
        try {
          return runQuery(db.reader, network, query, argument, throwIfCancelled);
        } catch (error) {
          // An error of SQLite loses its code on the way to the main thread, and with it what it means.
          throw damageIn(error) ?? (isUnreadableNow(error) ? refuse(daemonApi.refusals.busy) : error);
        }
      };
    return {
      ready: undefined,
      calls: Object.fromEntries(
        QUERY_NAMES.map((query) => [query, answer(query)]),
      ) as unknown as ThreadService<ReaderThread>['calls'],
      close: () => db.close(),
    };
  },
  READER_ERRORS,
  ANSWERING,
);
