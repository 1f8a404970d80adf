import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseJson, silentLogger, stringifyJson } from '@wrkz/service-kit';
import { readWalletRpcConfig, WalletRpc, type WalletRpcOverrides } from '../../src';
import { generateContainer } from '../../src/generate';

export const PASSWORD = 'devnet-rpc';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export interface Result {
  readonly [name: string]: unknown;
}

/** What a method answered: its result, or its error. */
export interface Outcome {
  readonly result?: Result;
  readonly error?: { readonly code: bigint; readonly message: string; readonly data?: { application_code: bigint } };
}

/** A folder that is gone at the end. */
export class Folder {
  readonly path = mkdtempSync(join(tmpdir(), 'wrkz-wallet-rpc-'));

  file(name: string): string {
    return join(this.path, name);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

const basics = (file: string, password: string): string[] => [
  ...['--container-file', file, '--container-password', password, '--network', 'devnet', '--log-file', ''],
];

/** Makes a container as `--generate-container` does. */
export function generate(file: string, password: string, args: readonly string[] = []): Promise<string> {
  return generateContainer(readWalletRpcConfig([...basics(file, password), '--generate-container', ...args]));
}

/** A service on a free port. */
export class TestService {
  private constructor(readonly rpc: WalletRpc) {}

  /** @param node the port of a node's RPC */
  static async start(
    {
      file,
      password = '',
      node,
      args = [],
    }: { file: string; password?: string; node: number; args?: readonly string[] },
    overrides: WalletRpcOverrides = {},
  ): Promise<TestService> {
    const security = args.includes('--rpc-legacy-security') ? [] : ['--rpc-password', PASSWORD];
    const rest = ['--daemon-port', String(node), '--threads', '1', ...security, ...args];
    const config = readWalletRpcConfig([...basics(file, password), ...rest]);
    const rpc = WalletRpc.create(config, { logger: silentLogger(), port: 0, poolMs: 50, ...overrides });
    await rpc.start();
    return new TestService(rpc);
  }

  stop(): Promise<void> {
    return this.rpc.stop();
  }

  ask(text: string, { method = 'POST', path = '/json_rpc', headers = {} } = {}): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const sent = { 'Content-Length': String(Buffer.byteLength(text)), ...headers };
      const asked = request(
        { agent: false, port: this.rpc.port, host: '127.0.0.1', method, path, headers: sent },
        (response) => {
          const parts: Buffer[] = [];
          response.on('data', (part: Buffer) => parts.push(part));
          response.on('end', () => {
            const body = Buffer.concat(parts).toString('utf8');
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text: body });
          });
        },
      );
      asked.on('error', reject);
      asked.end(text);
    });
  }

  async call(method: string, params?: object): Promise<Outcome> {
    const { text } = await this.ask(stringifyJson({ id: 1, method, params: params ?? {}, password: PASSWORD }));
    return parseJson(text) as Outcome;
  }

  /** The result of a method. @throws Error with what it was refused with */
  async result<T = Result>(method: string, params?: object): Promise<T> {
    const { result, error } = await this.call(method, params);
    if (result === undefined) throw new Error(`${method}: ${stringifyJson(error)}`);
    return result as T;
  }

  /** Until the wallet stands at the node's tip, at this height at least, and has all that sends need. */
  async synced(height: number): Promise<void> {
    const { wallet, syncStatus } = this.rpc.context;
    const isReady = (): boolean =>
      syncStatus().walletHeight >= height &&
      syncStatus().isAtTip &&
      (wallet.snapshot.content.isViewWallet ||
        wallet.snapshot.subWallets.every(({ unspent }) =>
          unspent.every(({ globalIndex }) => globalIndex !== undefined),
        ));
    while (!isReady()) {
      await new Promise<void>((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          wallet.off('changed', done);
          resolve();
        };
        const timer = setTimeout(done, 20);
        wallet.once('changed', done);
      });
    }
  }
}
