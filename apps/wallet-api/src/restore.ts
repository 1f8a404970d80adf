import { defineCommands, errorText, parseCommand, type Service, UsageError } from '@wrkz/service-kit';
import { restoreBackup, WalletError, walletErrorRows } from '@wrkz/wallet-core';
import { withSystemText } from './errors';

/** `wrkz-wallet-api restore`. */
const RESTORE_COMMANDS = defineCommands([
  {
    name: 'restore',
    help: 'Restore a backup to a new wallet file, which opens with the password at the time of the backup',
    arguments: [
      { name: 'backup', help: 'A file of POST /backup or --backup-every, with its database <backup>.db beside it' },
      { name: 'file', help: 'The wallet file to create; nothing is overwritten' },
    ],
    options: [],
  },
]);

/**
 * The restore command as a service that ends by itself; undefined for another command line.
 * @throws EarlyExit, UsageError
 */
export function restoreCommand(argv: readonly string[], write: (line: string) => void): Service | undefined {
  if (argv[0] !== 'restore') return undefined;
  const { words } = parseCommand({ name: 'wrkz-wallet-api', commands: RESTORE_COMMANDS }, argv);
  const [backup = '', file = ''] = words;
  return {
    start: async () => {
      await restoreBackup(backup, file).catch((error: unknown) => {
        throw new UsageError(failureText(error, backup, file));
      });
      write(
        `${backup} was restored as ${file}. Sends and idempotency keys after the backup are missing, so its sends are ` +
          'paused. Check recent payments, then call POST /sends/resume.',
      );
    },
    stop: () => Promise.resolve(),
    finished: Promise.resolve(0),
  };
}

/** The error text with the names of the files, which the texts of HTTP responses do not contain. */
function failureText(error: unknown, backup: string, file: string): string {
  const { walletFileAlreadyExists, filenameNonExistent, notAWalletFile } = walletErrorRows;
  const code = error instanceof WalletError ? error.code : undefined;
  if (code === walletFileAlreadyExists.code)
    return `restore: ${file} or a file beside it already exists. Choose another name.`;
  if (code === filenameNonExistent.code || code === notAWalletFile.code) {
    return `restore: cannot read the backup ${backup} with its database ${backup}.db: ${errorText(error)}`;
  }
  return `restore: cannot write ${file}: ${errorText(withSystemText(error))}`;
}
