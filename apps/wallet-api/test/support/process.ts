import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CHAIN_A_HEIGHT, fixturePath } from '@wrkz/testing';
import { sourceArguments } from '@wrkz/testing/source';
import { type ChainAStage, parsed, requireStatus } from './chain-a-service';
import type { ServiceResponse } from './service';

const app = join(__dirname, '..', '..');

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface RequestOptions {
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly key?: string;
}

/** The wallet service on devnet in a separate process. */
export class ApiProcess {
  readonly password = 'main-key-of-the-process';
  readonly ended: Promise<Ended>;
  private readonly output = { stdout: '', stderr: '' };
  private isOver = false;

  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
    private readonly port: number,
  ) {
    for (const name of ['stdout', 'stderr'] as const) {
      child[name]?.on('data', (text: Buffer) => (this.output[name] += text.toString()));
    }
    this.ended = once(child, 'close').then(([code, signal]) => {
      this.isOver = true;
      return { code: code as number | null, signal: signal as NodeJS.Signals | null, ...this.output };
    });
  }

  static start(options: { folder: string; port: number; more?: readonly string[] }): Promise<ApiProcess> {
    const { folder, port, more = [] } = options;
    const basics = ['-r', 'main-key-of-the-process', '--network', 'devnet', '--threads', '1', '--no-console'];
    const level = more.includes('--log-level') ? [] : ['--log-level', '3'];
    const args = [...basics, '--wallet-dir', folder, '-p', String(port), ...level, ...more];
    const child = spawn(process.execPath, [...sourceArguments(join(app, 'src', 'main.ts')), ...args], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return Promise.resolve(new ApiProcess(child, folder, port));
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Kills the process if it is still running. */
  async end(): Promise<void> {
    if (!this.isOver) this.child.kill('SIGKILL');
    await this.ended;
  }

  read(file: string): string {
    return readFileSync(file, 'utf8');
  }

  /** Waits until the output matches. @throws Error if the process ends before */
  async prints(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.output.stdout + this.output.stderr)) {
      if (this.isOver) throw new Error(`the process ended without ${String(pattern)}: ${JSON.stringify(this.output)}`);
      const { stdout, stderr } = this.child;
      await Promise.race([this.ended, ...[stdout, stderr].map((stream) => stream && once(stream, 'data'))]);
    }
  }

  /** Waits until the service listens. */
  ready(): Promise<void> {
    return this.prints(/listens on/);
  }

  async request(
    method: string,
    path: string,
    { body, headers = {}, key = this.password }: RequestOptions = {},
  ): Promise<ServiceResponse> {
    const response = await fetch(`http://127.0.0.1:${String(this.port)}${path}`, {
      method,
      headers: { ...(key === '' ? {} : { 'X-API-KEY': key }), Connection: 'close', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: {}, text: await response.text() };
  }

  /** Opens alice's wallet of chain A, and waits until it is synchronized. */
  async openAlice({ standIn, node }: ChainAStage, isThere = false): Promise<void> {
    if (!isThere) copyFileSync(fixturePath('devnet/wallets/alice.restored.wallet'), join(this.folder, 'alice.wallet'));
    const place = { daemonHost: '127.0.0.1', daemonPort: standIn.port };
    const body = { filename: 'alice.wallet', password: 'secret_alice', ...place };
    requireStatus(await this.request('POST', '/wallet/open', { body }), 200);
    const reached = async (): Promise<number> =>
      parsed<{ walletBlockCount: number }>(await this.request('GET', '/status')).walletBlockCount;
    while ((await reached()) < Math.max(CHAIN_A_HEIGHT, node.height)) await pause(50);
  }
}
