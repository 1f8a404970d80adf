import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { formatAmount } from '@wrkz/core-types';
import {
  type Control,
  defineOptions,
  EarlyExit,
  ensureDirectory,
  errorText,
  type OptionValues,
  parseOptions,
  type Service,
  UsageError,
} from '@wrkz/service-kit';
import { curlCommands, type DevnetAddresses } from './curl-commands';
import { Devnet, type DevnetStatus } from './devnet';
import { showFork } from './fork';
import { connections } from './node-process';
import { runSmoke } from './smoke';
import type { WalletBalance } from './wallets';

/** Milliseconds between blocks of the miner, normally and in a smoke run. */
const BLOCK_MS = 10_000;
const SMOKE_BLOCK_MS = 1_000;
/** Milliseconds between status lines, on a terminal and otherwise. */
const TERMINAL_STATUS_MS = 2_000;
const STATUS_MS = 30_000;
/** Milliseconds between payments of --traffic. */
const TRAFFIC_MS = 5_000;
/** The logs, databases and wallets of an hour take about 100 MB. Nodes wait silently for free space below their own limit. */
const MIN_FREE_MB = 200;
/** Max milliseconds from a failed request to the report that its service has ended. */
const END_REPORT_MS = 1_000;

const group = 'Devnet';
const flag = { default: false, oneShot: true, group } as const;
export const DEVNET_OPTIONS = defineOptions([
  { ...flag, name: 'smoke', help: 'Send a payment through every service and exit with 0, or with 1 if a step fails' },
  { ...flag, name: 'fork', help: 'Split the network and join it again, to show a reorganisation' },
  { ...flag, name: 'traffic', help: 'Send a payment every 5 seconds' },
  {
    name: 'data-dir',
    type: 'string',
    default: undefined,
    group,
    help: 'Directory of the network, which is retained; by default a temporary one that is removed at the end',
  },
]);

type DevnetFlags = OptionValues<typeof DEVNET_OPTIONS>;

/** @throws EarlyExit; for an invalid option with exit code 2 */
export function readDevnetOptions(argv: readonly string[]): DevnetFlags {
  const description = 'Runs a network of every service on this machine: three nodes, a miner and two funded wallets.';
  try {
    const { values } = parseOptions(DEVNET_OPTIONS, argv, { name: 'npm run devnet --', description });
    if (values.smoke && values.traffic) throw new UsageError('--smoke and --traffic exclude each other');
    const dataDir = values['data-dir'];
    if (dataDir === '') throw new UsageError('--data-dir: name a directory');
    if (dataDir !== undefined && isFile(resolve(dataDir)))
      throw new UsageError(`--data-dir: ${dataDir} is not a directory`);
    if (dataDir !== undefined && isForeign(resolve(dataDir))) {
      throw new UsageError(`--data-dir: ${dataDir} has other files; name a new directory, or one of an earlier devnet`);
    }
    return values;
  } catch (error) {
    throw error instanceof UsageError ? new EarlyExit(error.message, 2) : error;
  }
}

/** Whether a path is a file or inside of one. */
function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === false;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return true;
    throw error;
  }
}

function temporaryDirectory(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'wrkz-devnet-'));
  } catch (error) {
    throw new EarlyExit(`no directory can be created in ${tmpdir()} (TMPDIR): ${errorText(error)}`, 2);
  }
}

/** Creates a directory unless it exists. @throws EarlyExit */
function usableDirectory(path: string): string {
  try {
    return ensureDirectory(path);
  } catch (error) {
    throw new EarlyExit(`--data-dir: ${errorText(error)}`, 2);
  }
}

/** A message for the operator if the disk is nearly full. */
function spaceWarning(dataDir: string): string | undefined {
  const { bavail, bsize } = statfsSync(dataDir);
  const megabytes = Math.floor((bavail * bsize) / 1e6);
  return megabytes < MIN_FREE_MB
    ? `${dataDir} has ${megabytes} MB of free space; the devnet needs ${MIN_FREE_MB} MB`
    : undefined;
}

function isForeign(dataDir: string): boolean {
  return existsSync(dataDir) && !existsSync(join(dataDir, 'devnet.json')) && readdirSync(dataDir).length > 0;
}

/** `npm run devnet`: starts the network, prints addresses and commands, then a status line until it is stopped. */
export class DevnetCommand implements Service {
  private readonly begin = performance.now();
  private readonly dataDir: string;
  private devnet: Devnet | undefined;
  private hasFailed = false;
  private payments = { sent: 0, failed: 0, reason: '' };

  constructor(
    private readonly options: DevnetFlags,
    private readonly control: Control,
  ) {
    const { 'data-dir': dataDir } = options;
    this.dataDir = dataDir === undefined ? temporaryDirectory() : usableDirectory(dataDir);
    // After a second Ctrl-C or an uncaught error the process ends without `stop`.
    if (dataDir === undefined) process.once('exit', () => this.discard());
  }

  async start(): Promise<void> {
    try {
      await this.run();
    } catch (error) {
      // Waits for the report that a service has ended: it explains more than the failed request.
      await pause(END_REPORT_MS, undefined, { signal: this.control.signal }).catch(() => undefined);
      if (!this.control.signal.aborted) this.fail(errorText(error));
    }
  }

  async stop(): Promise<void> {
    if (process.stdout.isTTY) process.stdout.write('\n');
    await this.devnet?.stop();
  }

  /** Kills running programs and removes the temporary directory; after a failure the logs are retained. Idempotent. */
  private discard(): void {
    this.devnet?.kill();
    const left = this.hasFailed ? readdirSync(this.dataDir).filter((name) => name !== 'logs') : ['.'];
    // A killed process may still write for a short time.
    for (const name of left) rmSync(join(this.dataDir, name), { recursive: true, force: true, maxRetries: 20 });
  }

  private async run(): Promise<void> {
    const { smoke, fork, traffic } = this.options;
    const { signal } = this.control;
    const warning = spaceWarning(this.dataDir);
    if (warning !== undefined) throw new Error(warning);
    const devnet = await Devnet.create({
      dataDir: this.dataDir,
      blockMs: smoke ? SMOKE_BLOCK_MS : BLOCK_MS,
      signal,
      report: (line) => this.print(`${this.seconds()} ${line}`),
      onFailure: (message) => this.fail(message),
    });
    this.devnet = devnet;
    await devnet.start();
    if (!smoke) this.print(await this.overview(devnet));
    if (smoke) await runSmoke(devnet, signal, (name, run) => this.step(name, run));
    if (fork) await showFork(devnet, signal, (line) => this.print(line));
    if (smoke) {
      this.print(`${this.seconds()} smoke run passed`);
      return this.control.requestStop(0);
    }
    if (traffic) void this.pay(devnet);
    while (!signal.aborted) {
      await this.showStatus(devnet);
      await pause(process.stdout.isTTY ? TERMINAL_STATUS_MS : STATUS_MS, undefined, { signal });
    }
  }

  private async step<T>(name: string, run: () => Promise<T>): Promise<T> {
    try {
      const result = await run();
      this.print(`${this.seconds()} ok: ${name}`);
      return result;
    } catch (error) {
      throw new Error(`step failed: ${name}: ${errorText(error)}`);
    }
  }

  private fail(message: string): void {
    this.hasFailed = true;
    const logs = join(this.dataDir, 'logs');
    const hasLogs = existsSync(logs) && readdirSync(logs).length > 0;
    this.print(hasLogs ? `${message}\nThe logs are in ${logs}.` : message);
    this.control.requestStop(1);
  }

  /** Pays alternately from alice to bob and back. */
  private async pay(devnet: Devnet): Promise<void> {
    const { signal } = this.control;
    const { alice, bob } = devnet.addresses;
    for (let i = 0; !signal.aborted; i++) {
      const amount = 1_000 + i;
      const payment = i % 2 === 0 ? devnet.wallets.payFromAlice(bob, amount) : devnet.wallets.payFromBob(alice, amount);
      await payment.then(
        () => this.payments.sent++,
        (error: unknown) => {
          this.payments.failed++;
          this.payments.reason = `, the last one because: ${errorText(error)}`;
        },
      );
      await pause(TRAFFIC_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  private async overview(devnet: Devnet): Promise<string> {
    const [alice, bob] = await devnet.wallets.balances();
    const commands = curlCommands(devnet.addresses).flatMap(({ title, command }) => ['', `# ${title}`, command]);
    const wallets = [
      ['wallet', 'address', 'unlocked WRKZ'],
      ['alice', devnet.addresses.alice, coins(alice.unlocked)],
      ['bob', devnet.addresses.bob, coins(bob.unlocked)],
    ];
    const tables = [serviceTable(devnet.addresses), table(wallets)];
    const notes = `Data and logs: ${this.dataDir}. Ready after ${this.seconds()}. Ctrl-C stops everything.`;
    return ['', tables.join('\n\n'), ...commands, '', notes].join('\n');
  }

  private async showStatus(devnet: Devnet): Promise<void> {
    const status = await devnet.status().then(statusLine, (error: unknown) => `no status: ${errorText(error)}`);
    const { sent, failed, reason } = this.payments;
    const payments = this.options.traffic ? [`${String(sent)} payments sent, ${String(failed)} failed${reason}`] : [];
    const line = [spaceWarning(this.dataDir) ?? [], payments, status].flat().join('; ');
    if (process.stdout.isTTY) process.stdout.write(`\r\x1b[2K${line.slice(0, process.stdout.columns - 1)}`);
    else this.print(line);
  }

  private print(text: string): void {
    process.stdout.write(process.stdout.isTTY ? `\r\x1b[2K${text}\n` : `${text}\n`);
  }

  private seconds(): string {
    return `${((performance.now() - this.begin) / 1000).toFixed(1)} s`;
  }
}

/** The printed table of services. */
export function serviceTable(devnet: DevnetAddresses): string {
  const { nodes, peers, stratum, helper, walletApi, walletRpc, proposals, apiKey, rpcPassword } = devnet;
  return table([
    ['service', 'what', 'address', 'key'],
    ...nodes.map((url, i) => [`node ${String(i + 1)}`, `full node; peers at ${peers[i] ?? ''}`, url, '']),
    ['miner', `mines to alice at node 1, stratum ${stratum}`, '', ''],
    ['pow-helper', 'transaction proof of work', helper, ''],
    ['wallet-api', 'wallet of alice, at node 1', walletApi, `X-API-KEY: ${apiKey}`],
    ['wallet-rpc', 'wallet of bob, at node 2', walletRpc, `password: ${rpcPassword}`],
    ['proposals', 'donations to alice', proposals, ''],
  ]);
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => (row[i] ?? '').length)));
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** A value for each node, or one if all are the same. */
function statusLine({ nodes, alice, bob }: DevnetStatus): string {
  const each = (read: (node: DevnetStatus['nodes'][number]) => number): string => {
    const values = nodes.map(read);
    return new Set(values).size === 1 ? String(values[0]) : values.join('/');
  };
  const chain = `height ${each(({ height }) => height - 1)}, peers ${each(connections)}`;
  const pool = `pool ${each((node) => node.tx_pool_size)}, difficulty ${each(({ difficulty }) => difficulty)}`;
  return `${chain}, ${pool}; alice ${describeBalance(alice)}; bob ${describeBalance(bob)}`;
}

function describeBalance({ unlocked, locked }: WalletBalance): string {
  return `${coins(unlocked)} + ${coins(locked)} locked`;
}

function coins(amount: number): string {
  return formatAmount(BigInt(amount));
}
