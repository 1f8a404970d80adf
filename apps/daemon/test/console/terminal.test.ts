import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { commandFor } from '../support/process';
import { temporaryDirectory } from '../support/temporary';

/* The console on a terminal. `script` of util-linux provides a pseudo-terminal and forwards the input. The shell is replaced by the
 * program (exec): some shells exit with 130 after Ctrl-C, regardless of the program's exit code. */

const hasScript = spawnSync('script', ['--version']).stdout?.toString().includes('util-linux') === true;
const onTerminal = hasScript ? describe : describe.skip;

const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(' ');

class Terminal {
  private readonly child: ChildProcess;
  text = '';
  private seen = 0;
  readonly ended: Promise<number | null>;

  constructor(args: readonly string[], cwd: string) {
    const command = quoted([process.execPath, ...commandFor('src/main.ts'), ...args]);
    this.child = spawn('script', ['-qefc', `stty cols 100 rows 30; exec ${command}`, '/dev/null'], {
      cwd,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (this.text += chunk));
    this.ended = once(this.child, 'close').then(([code]) => code as number | null);
  }

  type(keys: string): void {
    this.child.stdin?.write(keys);
  }

  /** Waits for output after the output of the previous call. @throws Error when the program ends before */
  async prints(pattern: RegExp): Promise<string> {
    let over = false;
    void this.ended.then(() => (over = true));
    for (;;) {
      const match = pattern.exec(this.text.slice(this.seen));
      if (match !== null) {
        const before = this.seen;
        this.seen += match.index + match[0].length;
        return this.text.slice(before, this.seen);
      }
      if (over) throw new Error(`it ended without ${String(pattern)}:\n${this.text.slice(this.seen)}`);
      await Promise.race([this.ended, once(this.child.stdout!, 'data')]);
    }
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }
}

function quiet(cwd: string, ...more: string[]): string[] {
  const ports = ['--rpc-bind-port', '0', '--p2p-bind-ip', '127.0.0.1', '--p2p-bind-port', '0'];
  const noPeer = ['--add-exclusive-node', '127.0.0.1:1'];
  return ['--network', 'devnet', '--data-dir', join(cwd, 'data'), ...ports, ...noPeer, ...more];
}

onTerminal('at a terminal', () => {
  const open: Terminal[] = [];
  const start = (args: readonly string[], cwd: string): Terminal => {
    const terminal = new Terminal(args, cwd);
    open.push(terminal);
    return terminal;
  };
  afterEach(() => open.splice(0).forEach((terminal) => terminal.kill()));

  test('lines have completion and history, the log is above the prompt, exit stops the daemon', async () => {
    const cwd = temporaryDirectory();
    const daemon = start(quiet(cwd), cwd);
    await daemon.prints(/wrkz-daemon> /);
    daemon.type('heig\t');
    await daemon.prints(/height /);
    daemon.type('\r');
    await daemon.prints(/Height: 1 \/ 1 \(100\.00%\)\r\n/);
    daemon.type('set_log 5\r');
    await daemon.prints(/log level set to TRACE \(5\)\r\n/);
    daemon.type('\u001b[A\u001b[A'); // the line before the last
    await daemon.prints(/wrkz-daemon> height /);
    daemon.type('\r');
    await daemon.prints(/Height: 1 \/ 1/);
    daemon.type('exit\r');
    await daemon.prints(/== PLEASE WAIT, THIS MAY TAKE A LONG TIME ==/);
    expect(await daemon.ended).toBe(0);
  });

  test('after Ctrl-D the daemon continues without a console and logs it once; Ctrl-C stops it', async () => {
    const cwd = temporaryDirectory();
    const socket = join(cwd, 'node.sock');
    const daemon = start(quiet(cwd, '--rpc-ipc-path', socket), cwd);
    await daemon.prints(/wrkz-daemon> /);
    daemon.type('\u0004');
    await daemon.prints(/continues without a console\r\n/);

    const attached = start(['attach', socket], cwd);
    await attached.prints(/Attached to socket .*node\.sock\r\n[^]*stop shuts the daemon down\.\r\n[^]*> /);
    attached.type('status\r');
    await attached.prints(/\| Local Height +\| 1 +\|/);
    attached.type('exit\r');
    expect(await attached.ended).toBe(0);

    daemon.type('\u0003');
    expect(await daemon.ended).toBe(0);
    expect(daemon.text.match(/continues without a console/g)).toHaveLength(1);
    expect(existsSync(socket)).toBe(false);
  });

  test('Ctrl-C at the prompt stops the daemon; --no-console starts none', async () => {
    const cwd = temporaryDirectory();
    const daemon = start(quiet(cwd), cwd);
    await daemon.prints(/wrkz-daemon> /);
    daemon.type('half a li\u0003');
    expect(await daemon.ended).toBe(0);
    const silent = start(quiet(cwd, '--no-console'), cwd);
    await silent.prints(/RPC at http/);
    silent.type('status\r\u0003');
    expect(await silent.ended).toBe(0);
    expect(silent.text).not.toMatch(/wrkz-daemon> |Local Height/);
  });
});
