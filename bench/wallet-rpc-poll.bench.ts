/**
 * wallet-rpc under clients that poll it: twenty clients alternate getStatus and getBalance, first while the wallet is idle,
 * then while it rescans devnet chain A repeatedly, then while it sends. Wallet and node run in their own processes, from the
 * built tree.
 *
 *   node -r ./scripts/source-loader.cjs bench/wallet-rpc-poll.bench.ts [--clients 20] [--pause 100] [--seconds 20]
 *                                                                      [--suite <folder>]
 *
 * Median, 99th percentile and maximum of the time to the whole response, and the number of scans and sends in this time. Each
 * client waits `--pause` milliseconds after a response.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { CHAIN_A_HEIGHT, chainAWallet } from '@wrkz/testing';
import { freePort } from '../packages/testing/src/free-port';
import { DaemonProcess } from './support/daemon-process';
import { milliseconds, quantile, row, runBench, since } from './support/figures';
import { KeepAliveClient, requestBytes } from './support/keep-alive-client';
import { machine } from './support/machine';
import { startWalletRpc } from './support/wallet-rpc-process';

const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '20' },
    pause: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '20' },
    suite: { type: 'string', default: join(__dirname, '..') },
  },
});

const PASSWORD = 'bench';
const METHODS = ['getStatus', 'getBalance'] as const;
/** Milliseconds between two reads of the height. */
const LOOK_EVERY = 50;

interface JsonRpcResponse {
  readonly result?: { readonly [name: string]: unknown };
  readonly error?: { readonly message: string };
}

const bodyOf = (method: string, params: object = {}): object => ({ method, params, password: PASSWORD });

async function call(port: number, method: string, params?: object): Promise<JsonRpcResponse> {
  const body = JSON.stringify(bodyOf(method, params));
  const response = await fetch(`http://127.0.0.1:${String(port)}/json_rpc`, { method: 'POST', body });
  return (await response.json()) as JsonRpcResponse;
}

async function untilRead(port: number): Promise<void> {
  for (;;) {
    const { result } = await call(port, 'getStatus');
    if (Number(result?.['blockCount']) > CHAIN_A_HEIGHT) return;
    await wait(LOOK_EVERY);
  }
}

async function poll(port: number, signal: AbortSignal, times: number[]): Promise<void> {
  const client = new KeepAliveClient(port);
  const requests = METHODS.map((method) => requestBytes('POST', '/json_rpc', bodyOf(method)));
  // Clients start at different times.
  await wait(Math.random() * Number(values.pause));
  for (let i = 0; !signal.aborted; i++) {
    const start = performance.now();
    await client.ask(requests[i % requests.length] as Buffer);
    times.push(since(start));
    await wait(Number(values.pause));
  }
  client.close();
}

/** Polls while the work repeats. */
async function phase(name: string, port: number, work: () => Promise<void>): Promise<void> {
  const ending = new AbortController();
  const times: number[] = [];
  const clients = Array.from({ length: Number(values.clients) }, () => poll(port, ending.signal, times));
  const until = performance.now() + Number(values.seconds) * 1000;
  let count = 0;
  for (; performance.now() < until; count++) await work();
  ending.abort();
  await Promise.all(clients);
  const columns = [0.5, 0.99, 1].map((share) => milliseconds(quantile(times, share)));
  console.log(row(name, [times.length, count, ...columns]));
}

/** Milliseconds after a scan until the wallet has requested the global indexes; an output without one cannot be spent. */
const UNTIL_SPENDABLE = 5_000;

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-wallet-rpc-'));
  const node = await DaemonProcess.start(values.suite);
  const port = await freePort();
  const { viewSecret, spendSecret } = chainAWallet('dave');
  try {
    const stop = await startWalletRpc({
      ...{ tree: values.suite, file: join(folder, 'a.container'), nodePort: node.port, port, password: PASSWORD },
      ...{ viewKey: viewSecret.toString('hex'), spendKey: spendSecret.toString('hex') },
    });
    try {
      console.log(machine());
      await untilRead(port);
      console.log(`\n${row(`${values.clients} clients`, ['responses', 'times', 'median', 'p99', 'longest'])}`);
      await phase('at rest', port, () => wait(1_000));
      await phase('while the chain is read again', port, async () => {
        await call(port, 'reset', { scanHeight: 0 });
        await untilRead(port);
      });
      const transfers = [{ address: chainAWallet('erin').address, amount: 1_000 }];
      const send = async (): Promise<string | undefined> =>
        (await call(port, 'sendTransaction', { transfers, anonymity: 1 })).error?.message;
      await wait(UNTIL_SPENDABLE);
      await phase('while it sends', port, async () => {
        const refusal = await send();
        if (refusal !== undefined) throw new Error(refusal);
      });
    } finally {
      await stop();
    }
  } finally {
    await node.stop();
    rmSync(folder, { recursive: true });
  }
}

runBench(main);
