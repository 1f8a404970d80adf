import { defineCommands, parseCommand, type Service } from '@wrkz/service-kit';
import { restoreWallet } from '@wrkz/wallet-server';

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
    start: async () => write(await restoreWallet(backup, file, 'POST /sends/resume')),
    stop: () => Promise.resolve(),
    finished: Promise.resolve(0),
  };
}
