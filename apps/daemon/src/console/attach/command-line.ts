import {
  apiKeyOption,
  checkSocketPath,
  defineCommands,
  hasLocalSockets,
  isSocketAddress,
  type OptionSpec,
  parseCommand,
  socketPath,
  UsageError,
} from '@wrkz/service-kit';
import type { AttachTarget } from './client';

const NO_SOCKET =
  "attach takes the daemon's RPC IPC socket: an absolute path, an @name or ipc://path (the daemon's --rpc-ipc-path). " +
  'Console commands are not served over TCP.';

/** `wrkz-daemon attach`. */
export const ATTACH_COMMANDS = defineCommands([
  {
    name: 'attach',
    help: "Open a console of a daemon that runs, over its local socket (that daemon's --rpc-ipc-path).",
    arguments: [{ name: 'socket', help: 'An absolute path, @name or ipc://path' }],
    options: [
      apiKeyOption({
        name: 'rpc-access-token',
        default: '',
        group: 'Attach',
        help: 'The access token, for a daemon that asks it on its socket too (--rpc-ipc-require-token)',
      }),
    ],
  },
]);

/**
 * What to attach to, when the command line asks for that: `attach <socket>` or `--attach <socket>`; else undefined.
 * @param others the options of a node, which may stand in a configuration file
 * @throws EarlyExit, UsageError
 */
export function readAttach(argv: readonly string[], others: readonly OptionSpec[]): AttachTarget | undefined {
  const words = attachWords(argv.filter((word) => word !== '--'));
  if (words === undefined) return undefined;
  if (words.length === 1) throw new UsageError('Usage: wrkz-daemon attach <socket>');
  const { values, words: addresses } = parseCommand(
    { name: 'wrkz-daemon', options: others, commands: ATTACH_COMMANDS },
    words,
  ) as { readonly values: { readonly 'rpc-access-token': string }; readonly words: readonly string[] };
  const [address = ''] = addresses;
  if (!hasLocalSockets()) throw new UsageError('Cannot attach: there are no local sockets on this system');
  if (!isSocketAddress(address)) throw new UsageError(NO_SOCKET);
  const path = socketPath(address);
  const wrong = checkSocketPath(path);
  if (wrong !== undefined) throw new UsageError(wrong);
  return { path, token: values['rpc-access-token'] };
}

/** The command line with `attach` at its head, however it was written. */
function attachWords(argv: readonly string[]): readonly string[] | undefined {
  if (argv[0] === 'attach') return argv;
  const at = argv.findIndex((word) => word === '--attach' || word.startsWith('--attach='));
  const word = argv[at];
  if (word === undefined) return undefined;
  const [value, taken] = word === '--attach' ? [argv[at + 1], 2] : [word.slice('--attach='.length), 1];
  const rest = [...argv.slice(0, at), ...argv.slice(at + taken)];
  return ['attach', ...(value === undefined || value === '' ? [] : [value]), ...rest];
}
