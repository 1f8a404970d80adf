import { request } from 'node:http';
import {
  apiKeyOption,
  checkSocketPath,
  defineCommands,
  errorText,
  hasLocalSockets,
  isSocketAddress,
  nodePath,
  type OptionSpec,
  parseCommand,
  socketPath,
  UsageError,
} from '@wrkz/service-kit';

const CONNECT_TIMEOUT_MS = 2_000;
/** A command may run for hours. */
const RESPONSE_TIMEOUT_MS = 24 * 3_600_000;
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

export interface AttachTarget {
  /** An absolute path, or `@name`. */
  readonly path: string;
  /** The access token; empty for none. */
  readonly token: string;
}

/** Runs a line in the daemon. @returns the output @throws Error with the reason */
export async function runRemotely({ path, token }: AttachTarget, line: string, signal: AbortSignal): Promise<string> {
  const { status, text } = await post(path, token, JSON.stringify({ command: line }), signal);
  if (status === 200) return outputOf(text);
  throw new Error(`HTTP ${status}: ${status === 404 ? OLD : refusalText(text)}`);
}

const OLD = 'this daemon does not serve console commands; it needs upgrading';

function outputOf(text: string): string {
  const output = stringField(text, 'output');
  if (output === undefined) throw new Error('invalid response: it has no output string');
  return output;
}

function refusalText(text: string): string {
  return stringField(text, 'error') ?? text.slice(0, 200);
}

function stringField(text: string, name: string): string | undefined {
  try {
    const value: unknown = (JSON.parse(text) as Record<string, unknown>)[name];
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

interface Response {
  readonly status: number;
  readonly text: string;
}

function post(path: string, token: string, body: string, signal: AbortSignal): Promise<Response> {
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
    ...(token === '' ? {} : { 'X-API-Key': token }),
  };
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => reject(new Error(errorText(error), { cause: error }));
    const sent = request(
      { socketPath: nodePath(path), path: '/console', method: 'POST', headers, agent: false, signal },
      (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > MAX_RESPONSE_BYTES) response.destroy(new Error('the response is too large'));
          else chunks.push(chunk);
        });
        response.on('error', fail);
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
      },
    );
    const timer = setTimeout(
      () => sent.destroy(new Error(`no connection within ${CONNECT_TIMEOUT_MS / 1000} s`)),
      CONNECT_TIMEOUT_MS,
    );
    sent.on('socket', (socket) => socket.once('connect', () => clearTimeout(timer)));
    sent.on('close', () => clearTimeout(timer));
    sent.on('error', fail);
    sent.setTimeout(RESPONSE_TIMEOUT_MS, () => sent.destroy(new Error('no response')));
    sent.end(body);
  });
}

const NO_SOCKET =
  "attach takes the daemon's RPC IPC socket: an absolute path, an @name or ipc://path (the daemon's --rpc-ipc-path). " +
  'Console commands are not served over TCP.';

/** `wrkz-daemon attach`. */
export const ATTACH_COMMANDS = defineCommands([
  {
    name: 'attach',
    help: "Open a console of a running daemon, over its local socket (that daemon's --rpc-ipc-path).",
    arguments: [{ name: 'socket', help: 'An absolute path, @name or ipc://path' }],
    options: [
      apiKeyOption({
        name: 'rpc-access-token',
        default: '',
        group: 'Attach',
        help: 'The access token, for a daemon that requires it on its socket too (--rpc-ipc-require-token)',
      }),
    ],
  },
]);

/**
 * Parses `attach <socket>` and `--attach <socket>`; undefined for any other command line.
 * @param others the options of a node, which a configuration file may contain
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
  const problem = checkSocketPath(path);
  if (problem !== undefined) throw new UsageError(problem);
  return { path, token: values['rpc-access-token'] };
}

/** The command line with `attach` as its first word, from either form. */
function attachWords(argv: readonly string[]): readonly string[] | undefined {
  if (argv[0] === 'attach') return argv;
  const at = argv.findIndex((word) => word === '--attach' || word.startsWith('--attach='));
  const word = argv[at];
  if (word === undefined) return undefined;
  const [value, count] = word === '--attach' ? [argv[at + 1], 2] : [word.slice('--attach='.length), 1];
  const rest = [...argv.slice(0, at), ...argv.slice(at + count)];
  return ['attach', ...(value === undefined || value === '' ? [] : [value]), ...rest];
}
