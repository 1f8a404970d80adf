import { defineCommands, parseCommand, type Service } from '@wrkz/service-kit';
import { restoreBackup } from '@wrkz/wallet-core';

/** `wrkz-wallet-api restore`. */
export const RESTORE_COMMANDS = defineCommands([
  {
    name: 'restore',
    help: 'Copy a backup to a place where no wallet is, then open it with the password of that time.',
    arguments: [
      { name: 'backup', help: 'A file of POST /backup or --backup-every; its database <backup>.db is beside it' },
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
      await restoreBackup(backup, file);
      write(`${backup} was restored as ${file}. Requests since the backup are unknown to it: check recent payments.`);
    },
    stop: () => Promise.resolve(),
    finished: Promise.resolve(0),
  };
}
