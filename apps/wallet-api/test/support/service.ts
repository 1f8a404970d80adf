import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@wrkz/service-kit';
import { fixturePath } from '@wrkz/testing';
import { readWalletApiConfig, WalletApi, type WalletApiOverrides } from '../../src';
import { QUICK_CLOCK } from './quick-clock';

export const PASSWORD = 'the key of the tests';

export interface ServiceResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export interface ServiceRequest {
  readonly method: string;
  readonly path: string;
  readonly key?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** A wallet service on a free port with a new folder. */
export class TestService {
  private constructor(
    readonly api: WalletApi,
    readonly folder: string,
  ) {}

  static async start(args: readonly string[] = [], overrides: WalletApiOverrides = {}): Promise<TestService> {
    const folder = mkdtempSync(join(tmpdir(), 'wrkz-wallet-api-'));
    const console = overrides.input === undefined ? ['--no-console'] : [];
    const basics = ['-r', PASSWORD, '--network', 'devnet', '--threads', '1', '--wallet-dir', folder, ...console];
    const config = readWalletApiConfig([...basics, ...args]);
    const api = new WalletApi(config, { logger: silentLogger(), port: 0, syncClock: QUICK_CLOCK, ...overrides });
    await api.start();
    return new TestService(api, folder);
  }

  async stop(): Promise<void> {
    await this.api.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Copies a recorded wallet into the folder. */
  copyWallet(name: string, as = name): void {
    copyFileSync(fixturePath(`devnet/wallets/${name}`), join(this.folder, as));
  }

  file(name: string, content?: Uint8Array | string): Buffer {
    if (content !== undefined) writeFileSync(join(this.folder, name), content);
    return readFileSync(join(this.folder, name));
  }

  remove(name: string): void {
    rmSync(join(this.folder, name), { force: true });
  }

  request({ method, path, key = PASSWORD, headers = {}, body }: ServiceRequest): Promise<ServiceResponse> {
    return new Promise((resolve, reject) => {
      // Node.js sends the body of a DELETE without a length by default.
      const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
      const sent = { ...(key === '' ? {} : { 'X-API-KEY': key }), ...length, ...headers };
      const outgoing = request(
        { agent: false, port: this.api.port, host: '127.0.0.1', method, path, headers: sent },
        (response) => {
          const parts: Buffer[] = [];
          response.on('data', (part: Buffer) => parts.push(part));
          response.on('end', () => {
            const text = Buffer.concat(parts).toString('utf8');
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  json(method: string, path: string, body?: unknown): Promise<ServiceResponse> {
    return this.request({ method, path, body: body === undefined ? undefined : JSON.stringify(body) });
  }

  /** Waits until `/status` reports this height of the wallet. */
  async synced(height: number): Promise<void> {
    for (;;) {
      const { status, text } = await this.request({ method: 'GET', path: '/status' });
      if (status !== 200) throw new Error(`no wallet is open: ${String(status)}`);
      if ((JSON.parse(text) as { walletBlockCount: number }).walletBlockCount >= height) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
