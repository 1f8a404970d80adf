import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Devnet } from '../../packages/testing/src/devnet/devnet';
import { repositoryFiles, TOP } from './repository';

/*
 * Runs the curl commands of the pages against a devnet and compares the JSON below a command with its response: same keys and
 * types, other values. A command is a line of a `sh` block; the `json` block after it has the response to its last command.
 */

/** Pages with commands, in the order in which they run: commands of the last one open another wallet. */
const PAGES = [
  'quick-start',
  ...['rpc', 'events', 'daemon', 'proposals', 'pow-helper', 'wallet-rpc', 'wallet-api'].map(
    (page) => `operations/${page}`,
  ),
];

/** Commands that are not run: a part of the command, and the reason. */
const NOT_RUN: Readonly<Record<string, string>> = {
  '--unix-socket': 'the nodes of the devnet have no local socket; the tests of the console send this request',
};

interface Example {
  readonly command: string;
  /** JSON on the page. */
  readonly shown: string | undefined;
}

/** The examples of a page. Continued lines of a command are joined. */
function examplesOf(text: string): Example[] {
  const blocks = text.matchAll(/^```sh\n([^]*?)^```\n(?:\n```json\n([^]*?)^```\n)?/gm);
  return [...blocks].flatMap(([, shell = '', shown]) => {
    const lines = shell.replaceAll(/\\\n\s*/g, '').split('\n');
    const commands = lines.filter((line) => line.startsWith('curl '));
    return commands.map((command, i) => ({ command, shown: i === commands.length - 1 ? shown : undefined }));
  });
}

const isRun = ({ command }: Example): boolean => !Object.keys(NOT_RUN).some((part) => command.includes(part));
const pages = PAGES.map((page) => ({
  page,
  examples: examplesOf(readFileSync(join(TOP, `docs/${page}.md`), 'utf8')).filter(isRun),
}));

const folder = mkdtempSync(join(tmpdir(), 'wrkz-examples-'));
const end = new AbortController();
let devnet: Devnet;
/** The values of the devnet for addresses, keys and placeholders of the pages. */
let values: Map<string, string>;

beforeAll(async () => {
  const blockMs = 3_600_000;
  const onFailure = (message: string): void => console.error(message);
  devnet = await Devnet.create({ dataDir: folder, blockMs, signal: end.signal, report: () => undefined, onFailure });
  await devnet.start();
  const { nodes, walletApi, walletRpc, helper, proposals, apiKey, rpcPassword, alice, bob } = devnet.addresses;
  const [node = ''] = nodes;
  const host = (url: string): string => new URL(url).host;
  values = new Map([
    ['http://127.0.0.1:21101', node],
    ['http://127.0.0.1:21105', walletApi],
    ['http://127.0.0.1:21106/json_rpc', walletRpc],
    ['5c07...', apiKey],
    ['91d2...', rpcPassword],
    ['Wrkz...alice', alice],
    ['Wrkz...bob', bob],
    ['http://127.0.0.1:7856/json_rpc', walletRpc],
    ['127.0.0.1:7856', host(walletApi)],
    ['127.0.0.1:17856', host(node)],
    ['127.0.0.1:37856', host(node)],
    ['"daemonPort":37856', `"daemonPort":${new URL(node).port}`],
    ['127.0.0.1:17870', host(helper)],
    ['127.0.0.1:17880', host(proposals)],
    ['<key>', apiKey],
    ['<password>', rpcPassword],
    ['<address>', bob],
  ]);
});

afterAll(async () => {
  end.abort();
  await devnet.stop();
  rmSync(folder, { recursive: true, force: true });
});

test.each(pages)('the commands of $page have the responses that it shows', async ({ page, examples }) => {
  if (page === 'operations/wallet-api') await devnet.wallets.api('DELETE', '/wallet');
  const wrong: string[] = [];
  for (const { command, shown } of examples) {
    const { status, body } = await run(command);
    const response: unknown = body === '' ? undefined : JSON.parse(body);
    const isRefused = Number(status) >= 400 || /^\{"error"/.test(body);
    if (shown !== undefined)
      wrong.push(...differences(JSON.parse(shown), response).map((text) => `${command}: ${text}`));
    else if (isRefused) wrong.push(`${command}: ${status} ${body}`);
    // Later commands use values of this response.
    const { address, transactionHash, result } = (response ?? {}) as Record<string, unknown>;
    if (typeof address === 'string' && address !== '') values.set('<address>', address);
    const hash = transactionHash ?? (result as Record<string, unknown> | undefined)?.['transactionHash'];
    if (typeof hash === 'string') values.set('<hash>', hash);
    if (command.includes('generateblocks')) await devnet.untilSynchronized();
  }
  expect(wrong).toEqual([]);
  expect(examples.length).toBeGreaterThan(0);
});

test('no other page has commands, and every command is in a `sh` block', () => {
  const all = repositoryFiles().filter(({ path }) => path.endsWith('.md') && !path.startsWith('docs/api/'));
  const wrong = all.flatMap(({ path, text }) => {
    const examples = examplesOf(text);
    const isKnown = PAGES.some((page) => path === `docs/${page}.md`) || !examples.some(isRun);
    return isKnown && text.match(/^\s*(\$ )?curl /gm)?.length === (examples.length || undefined) ? [] : [path];
  });
  expect(wrong).toEqual([]);
});

async function run(command: string): Promise<{ status: string; body: string }> {
  const known = [...values].reduce((text, [name, value]) => text.replaceAll(name, value), command);
  const { stdout } = await promisify(execFile)('sh', ['-c', `${known} -s -w '\\n%{http_code}'`]);
  const lines = stdout.split('\n');
  return { status: lines.at(-1) ?? '', body: lines.slice(0, -1).join('\n').trim() };
}

/** Differences of keys or types between a response and the page. Only the first entries of arrays are compared. */
function differences(shown: unknown, real: unknown, at = 'response'): string[] {
  if (kindOf(shown) !== kindOf(real)) return [`${at} is ${kindOf(real)}, not ${kindOf(shown)}`];
  if (Array.isArray(shown) && Array.isArray(real)) {
    return shown.length === 0 || real.length === 0
      ? shown.length === real.length
        ? []
        : [`${at} has ${real.length} entries, not ${shown.length}`]
      : differences(shown[0], real[0], `${at}[0]`);
  }
  if (typeof shown !== 'object' || shown === null) return [];
  const [a, b] = [shown as Record<string, unknown>, real as Record<string, unknown>];
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((key) =>
    differences(a[key], b[key], `${at}.${key}`),
  );
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : typeof value;
}
