import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pin } from './daemon-process';

/** A reader process (`serve-rpc`) of a built tree for a devnet node on this machine, on loopback only. */
export class ReaderProcess {
  private constructor(
    readonly port: number,
    private readonly pid: number,
    readonly stop: () => Promise<void>,
  ) {}

  /**
   * @param nice niceness of the process, see nice(1)
   * @throws Error with the output of the program
   */
  static async start(tree: string, dataDirectory: string, socket: string, nice = 0): Promise<ReaderProcess> {
    const args = [
      ...[
        '-n',
        String(nice),
        process.execPath,
        join(tree, 'apps/daemon/dist/main.js'),
        'serve-rpc',
        '--network',
        'devnet',
        '--data-dir',
        dataDirectory,
      ],
      ...['--node-socket', socket, '--rpc-bind-port', '0', '--rpc-max-rpm', '0', '--log-level', '0'],
    ];
    const child = spawn('nice', args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const exited = once(child, 'exit');
    const stop = async (): Promise<void> => {
      child.kill();
      await exited;
    };
    let output = '';
    const port = await new Promise<number>((resolve, reject) => {
      void exited.then(() => reject(new Error(`the reader does not serve: ${output}`)));
      child.stdout.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        const found = /RPC at http:\/\/127\.0\.0\.1:(\d+)/.exec(output);
        if (found !== null) resolve(Number(found[1]));
      });
    });
    return new ReaderProcess(port, child.pid ?? 0, stop);
  }

  pinTo(processor: number): void {
    pin(this.pid, processor);
  }
}
