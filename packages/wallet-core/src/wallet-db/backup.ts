import { backupDatabase } from '@wrkz/sqlite';
import { IDENTITY } from './foreign';
import type { WalletDbMark } from './mark';
import { RowSealer } from './seal';
import { type DatabaseState, rawDependencies, STATE } from './sealed-database';
import { SealedTable } from './sealed-table';
import { WALLET_DB_APPLICATION_ID, WALLET_DB_TABLES, TITLE, walletDbName, type WalletDbIdentity } from './wallet-db';

/**
 * Copies the open database of a container, and authenticates every row of the copy.
 * @param expected what the copied container says about its database
 * @throws errors of the SQLite package; DamagedSealedRow; RangeError when the copy does not continue the container
 */
export function backupWalletDb(
  walletFile: string,
  to: string,
  privateViewKey: string,
  expected: WalletDbMark | undefined,
): Promise<void> {
  return backupDatabase({
    ...{ file: walletDbName(walletFile), to, title: TITLE, applicationId: WALLET_DB_APPLICATION_ID },
    check: (connection) => {
      const dependencies = rawDependencies(connection, new RowSealer(privateViewKey));
      const table = <Row>(name: string): SealedTable<Row> => new SealedTable<Row>(name, dependencies);
      for (const name of WALLET_DB_TABLES) table(name).verify();
      const database = table<WalletDbIdentity>(IDENTITY).get(IDENTITY)?.database;
      const position = table<DatabaseState>(STATE).get(STATE)?.position ?? -1;
      if (expected === undefined || database !== expected.database || position < expected.position) {
        throw new RangeError('the copied database does not continue the copied container');
      }
    },
  });
}
