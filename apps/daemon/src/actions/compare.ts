import { setTimeout as pause } from 'node:timers/promises';
import { networkOf } from '@wrkz/core-types';
import {
  apiKeyOption,
  errorText,
  isJsonObject,
  type JsonValue,
  parseJson,
  TimeoutError,
  withTimeout,
} from '@wrkz/service-kit';
import { type CommandContext, COMMAND_NETWORK, daemonCommand, shortText } from './command';

const TOO_MANY_REQUESTS = 429;
/** Public nodes limit the requests per minute, so one wait is enough. */
const MAX_RETRIES = 3;
/** Responses are received as text and parsed here, because `JSON.parse` rounds integers. */
const HTTP_OPTIONS = {
  transformResponse: (text: string) => text,
  proxy: false,
  maxRedirects: 0,
  maxContentLength: 128 * 1024 * 1024,
  validateStatus: (status: number) => status === 200 || status === TOO_MANY_REQUESTS,
} as const;
const TIMEOUT_MS = 60_000;
/** Both nodes may reorganise the newest blocks while they are compared. */
const NEWEST_BLOCKS = 10;
/** Max JSON values of a response, which may have thousands of outputs. */
const MAX_VALUES = 10_000_000;

/** RPC client of a node, of this suite or in C++. */
class Node {
  constructor(
    readonly url: string,
    private readonly token: string,
    private readonly signal: AbortSignal,
  ) {}

  get(path: string): Promise<JsonValue> {
    return this.request('GET', path);
  }

  post(path: string, body: unknown): Promise<JsonValue> {
    return this.request('POST', path, body);
  }

  /** The number of blocks. */
  async height(): Promise<number> {
    const { height } = object(await this.get('/height'));
    const count = Number(height);
    // `parseJson` returns integers as bigints.
    if (typeof height !== 'bigint' || count < 0 || !Number.isSafeInteger(count)) {
      throw new Error(`${this.url}/height: the height is ${text(height)}`);
    }
    return count;
  }

  /** @returns the header of a block by index, without the fields that depend on the tip */
  async header(height: number): Promise<JsonValue> {
    const { result, reason } = await this.method('getblockheaderbyheight', { height });
    const found = result['block_header'];
    if (!isJsonObject(found)) {
      throw new Error(`${this.url}: block ${String(height)}: the response has no block header: ${reason}`);
    }
    const { depth: _depth, ...header } = found;
    return header;
  }

  /** @returns the rules digest at a height, or why the node has none: a C++ node does not have the method */
  async rulesDigest(height: number): Promise<{ readonly digest?: JsonValue | undefined; readonly reason: string }> {
    const { result, reason } = await this.method('getrulesdigest', { height });
    return { digest: result['digest'], reason: `${this.url}: ${reason}` };
  }

  /** @returns the result, empty after an error, and the message of the error */
  private async method(
    method: string,
    params: unknown,
  ): Promise<{ readonly result: Readonly<Record<string, JsonValue>>; readonly reason: string }> {
    const { result, error } = object(await this.post('/json_rpc', { jsonrpc: '2.0', id: 1, method, params }));
    return { result: object(result), reason: text(object(error)['message']) };
  }

  private async request(method: 'GET' | 'POST', path: string, data?: unknown): Promise<JsonValue> {
    const { url, token, signal } = this;
    const headers = token === '' ? {} : { 'X-API-Key': token };
    try {
      // eslint-disable-next-line no-restricted-syntax -- a node needs no HTTP client: it is loaded only here
      const { default: axios } = await import('axios');
      const options = { method, url: url + path, data, headers, ...HTTP_OPTIONS };
      for (let retries = 0; ; retries++) {
        const response = await withTimeout(TIMEOUT_MS, [signal], (limited) =>
          axios.request<string>({ ...options, signal: limited }),
        );
        if (response.status !== TOO_MANY_REQUESTS) return parseJson(response.data, MAX_VALUES);
        if (retries === MAX_RETRIES) throw new Error('the rate limit of the node refuses the request');
        await pause(retryAfterMs(response.headers['retry-after']), undefined, { signal });
      }
    } catch (error) {
      const isLate = error instanceof TimeoutError;
      const reason = isLate ? `no complete response within ${String(TIMEOUT_MS / 1000)} s` : errorText(error);
      throw new Error(`${url}${path}: ${shortText(reason)}`, { cause: error });
    }
  }
}

/** Milliseconds of a Retry-After header in seconds, at most a minute; a second without a valid one. */
function retryAfterMs(header: unknown): number {
  const seconds = /^\d{1,5}$/.test(String(header)) ? Number(header) : 1;
  return Math.min(seconds, 60) * 1000;
}

function object(value: JsonValue | undefined): Readonly<Record<string, JsonValue>> {
  return isJsonObject(value) ? value : {};
}

/** `wrkz-daemon compare <url>`: exit code 1 if the nodes differ. */
export const compareCommand = daemonCommand({
  name: 'compare',
  help: 'Compare another node, also a C++ one, with this one over their RPC: height, block ids, headers, wallet data, pool.',
  arguments: [{ name: 'url', help: 'RPC address of the other node, such as http://192.0.2.1:17856' }],
  options: [
    ...COMMAND_NETWORK,
    {
      name: 'with',
      default: '',
      defaultText: 'the RPC port of the network on loopback',
      group: 'Compare',
      help: 'RPC address of the node to compare with',
    },
    {
      name: 'samples',
      default: 50,
      min: 1,
      max: 100_000,
      group: 'Compare',
      help: 'Number of heights that are compared, evenly spaced over the common chain',
    },
    apiKeyOption({
      name: 'rpc-access-token',
      default: '',
      group: 'Compare',
      help: 'The access token of the node to compare with',
    }),
  ],
  run: async (values, [url = ''], context) => {
    const own = values.with === '' ? `http://127.0.0.1:${String(networkOf(values.network).ports.rpc)}` : values.with;
    const node = (address: string, token: string): Node => new Node(baseUrl(address), token, context.signal);
    return compareNodes(node(url, ''), node(own, values['rpc-access-token']), values.samples, context);
  },
});

function baseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new Error(`${JSON.stringify(text)} is not an address such as http://127.0.0.1:17856`);
  }
  return url.origin;
}

async function compareNodes(other: Node, own: Node, samples: number, { write }: CommandContext): Promise<number> {
  const heights = await both(other, own, (node) => node.height());
  write(`${other.url} has ${String(heights[0])} blocks, ${own.url} has ${String(heights[1])}`);
  const top = Math.max(0, Math.min(...heights) - 1 - NEWEST_BLOCKS);
  const chosen = sampleHeights(top, samples);
  let differences = 0;
  const report = (what: string, count: number, found: readonly string[]): void => {
    differences += found.length;
    write(
      `${what.padEnd(16)}${found.length === 0 ? `${String(count)} equal` : `${String(found.length)} of ${String(count)} differ`}`,
    );
    for (const line of found.slice(0, 5)) write(`  ${line}`);
  };
  report('headers', chosen.length, await differencesOf(chosen, other, own, (node, height) => node.header(height)));
  report('wallet data', chosen.length, await differencesOf(chosen, other, own, walletData));
  report('output indexes', chosen.length, await differencesOf(chosen, other, own, outputIndexes));
  const [theirs, ours] = await both(other, own, (node) => node.rulesDigest(top));
  if (theirs.digest === undefined || ours.digest === undefined) {
    write(`rules digest    not compared: ${theirs.digest === undefined ? theirs.reason : ours.reason}`);
  } else {
    report(
      'rules digest',
      1,
      theirs.digest === ours.digest ? [] : [`block ${String(top)}: ${text(theirs.digest)} and ${text(ours.digest)}`],
    );
  }
  const pools = await both(other, own, poolHashes);
  const common = [...pools[0]].filter((hash) => pools[1].has(hash)).length;
  write(
    `pool            ${String(pools[0].size)} and ${String(pools[1].size)} transactions, ${String(common)} in both`,
  );
  write(differences === 0 ? `no difference up to block ${String(top)}` : `${String(differences)} differences`);
  return differences === 0 ? 0 : 1;
}

function both<T>(other: Node, own: Node, read: (node: Node) => Promise<T>): Promise<[T, T]> {
  return Promise.all([read(other), read(own)]);
}

/** Evenly spaced block indexes, first and last included, without repetitions. */
function sampleHeights(top: number, count: number): number[] {
  const heights = Array.from({ length: count }, (_, i) => (count === 1 ? top : Math.round((i * top) / (count - 1))));
  return [...new Set(heights)];
}

async function differencesOf(
  heights: readonly number[],
  other: Node,
  own: Node,
  read: (node: Node, height: number) => Promise<JsonValue>,
): Promise<string[]> {
  const found: string[] = [];
  for (const height of heights) {
    const [theirs, ours] = await both(other, own, (node) => read(node, height));
    const difference = firstDifference(theirs, ours);
    if (difference !== undefined) found.push(`block ${String(height)}: ${difference}`);
  }
  return found;
}

async function walletData(node: Node, height: number): Promise<JsonValue> {
  const body = { blockHashCheckpoints: [], startHeight: height, startTimestamp: 0, blockCount: 1 };
  return object(await node.post('/getwalletsyncdata', body))['items'] ?? null;
}

/** Global indexes by transaction; the nodes list transactions in different orders. */
async function outputIndexes(node: Node, height: number): Promise<JsonValue> {
  const { indexes = [] } = object(
    await node.post('/get_global_indexes_for_range', { startHeight: height, endHeight: height + 1 }),
  );
  if (!Array.isArray(indexes)) return indexes;
  return Object.fromEntries(indexes.map((entry) => [text(object(entry)['key']), object(entry)['value'] ?? null]));
}

async function poolHashes(node: Node): Promise<Set<string>> {
  const changes = object(await node.post('/get_pool_changes_lite', { tailBlockId: '00'.repeat(32), knownTxsIds: [] }));
  const { addedTxs = [] } = changes;
  return new Set(
    (Array.isArray(addedTxs) ? addedTxs : []).map((entry) => text(object(entry)['transactionPrefixInfo.txHash'])),
  );
}

/** The path and the values of the first difference; undefined if the values are equal. */
export function firstDifference(
  theirs: JsonValue | undefined,
  ours: JsonValue | undefined,
  path = '',
): string | undefined {
  if (Array.isArray(theirs) && Array.isArray(ours)) {
    if (theirs.length !== ours.length)
      return `${shortText(path)}: ${String(theirs.length)} and ${String(ours.length)} entries`;
    return first(theirs.keys(), (i) => firstDifference(theirs[i], ours[i], `${path}[${String(i)}]`));
  }
  if (isJsonObject(theirs) && isJsonObject(ours)) {
    const names = new Set([...Object.keys(theirs), ...Object.keys(ours)]);
    return first(names, (name) => firstDifference(theirs[name], ours[name], path === '' ? name : `${path}.${name}`));
  }
  return theirs === ours ? undefined : `${shortText(path)}: ${text(theirs)} and ${text(ours)}`;
}

function first<T>(items: Iterable<T>, find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A value for a message. */
function text(value: JsonValue | undefined): string {
  if (value === undefined) return 'no value';
  return typeof value === 'object' && value !== null ? 'another type' : shortText(String(value));
}
