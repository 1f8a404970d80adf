import { join } from 'node:path';
import { Program } from '../../packages/testing/src';
import { pin, startedPorts } from './daemon-process';

const READY = /RPC at http:\/\/127\.0\.0\.1:(\d+)/;

/** A reader process (`serve-rpc`) of a built tree for a devnet node on this machine, on loopback only. */
export class ReaderProcess {
  private constructor(
    readonly port: number,
    private readonly program: Program,
  ) {}

  /**
   * @param nice niceness of the process, see nice(1)
   * @throws Error with the output of the program
   */
  static async start(tree: string, dataDirectory: string, socket: string, nice = 0): Promise<ReaderProcess> {
    const command = [
      ...['nice', '-n', String(nice), process.execPath, join(tree, 'apps/daemon/dist/main.js'), 'serve-rpc'],
      ...['--network', 'devnet', '--data-dir', dataDirectory, '--node-socket', socket],
      ...['--rpc-bind-port', '0', '--rpc-max-rpm', '0', '--log-level', '0'],
    ];
    const program = new Program('the reader', () => command, { ready: READY });
    const [port = 0] = await startedPorts(program, READY);
    return new ReaderProcess(port, program);
  }

  stop(): Promise<void> {
    return this.program.stop('SIGTERM');
  }

  pinTo(processor: number): void {
    pin(this.program.pid ?? 0, processor);
  }
}
