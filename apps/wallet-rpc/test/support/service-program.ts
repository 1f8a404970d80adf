import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { sourceArguments } from '@wrkz/testing/source';
import { PASSWORD, RpcClient } from './rpc-client';
import { CONTAINER_PASSWORD } from './world';

const running = new Set<ChildProcess>();

/** The whole program in a separate process, from its sources, so that a test can kill it. */
export class ServiceProgram extends RpcClient {
  readonly ended: Promise<unknown>;

  private constructor(
    private readonly child: ChildProcess,
    port: number,
    /** Lines of the log, for the message of a failure. */
    readonly log: string[],
    /** Resolves when the service responds. */
    readonly listening: Promise<void>,
  ) {
    super(() => port);
    this.ended = once(child, 'exit');
  }

  /** @param node the port of a node's RPC */
  static start(file: string, port: number, node: number): ServiceProgram {
    const args = [
      ...['--container-file', file, '--container-password', CONTAINER_PASSWORD, '--network', 'devnet'],
      ...['--log-file', '', '--rpc-password', PASSWORD, '--threads', '1'],
      ...['--daemon-port', String(node), '--bind-port', String(port)],
    ];
    const main = join(__dirname, '../../src/main.ts');
    const child = spawn(process.execPath, [...sourceArguments(main), ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    child.once('exit', () => running.delete(child));
    const log: string[] = [];
    const listening = new Promise<void>((resolve, reject) => {
      for (const output of [child.stdout, child.stderr]) {
        createInterface(output).on('line', (line) => {
          log.push(line);
          if (line.includes('listens on')) resolve();
        });
      }
      child.once('close', () => reject(new Error(`the service ended: ${log.slice(-5).join('\n')}`)));
    });
    listening.catch(() => undefined);
    return new ServiceProgram(child, port, log, listening);
  }

  /** Resolves when the service has exited. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }

  /** Waits until the wallet is at the tip of its node and at least at this height. @throws Error if the service has exited */
  async synced(height: number): Promise<void> {
    await this.listening;
    for (;;) {
      const status = await this.result<{ blockCount: bigint; knownBlockCount: bigint }>('getStatus');
      if (status.blockCount > height && status.blockCount >= status.knownBlockCount) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** For `afterAll`. */
export async function endServicePrograms(): Promise<void> {
  for (const child of [...running]) {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }
}
