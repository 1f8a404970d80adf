/**
 * Whether the built daemon runs: it imports chain A's dump on devnet, starts, answers /height over loopback and ends
 * with code 0 on SIGTERM. `node scripts/smoke.mjs` tries the build of this workspace with the Node.js that runs it.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure, main } from './lib/run.mjs';
import { top } from './lib/workspace.mjs';

const LISTENING = /RPC at (http:\/\/127\.0\.0\.1:\d+)/;
/** Longest wait for the import, the start and the end, milliseconds. */
const PATIENCE = 120_000;

await main(async () => {
  const { CHAIN_A_HEIGHT, writeChainADump } = createRequire(import.meta.url)(join(top, 'packages/testing/dist'));
  const folder = mkdtempSync(join(tmpdir(), 'wrkz-smoke-'));
  try {
    const dump = join(folder, 'chain-a.dump');
    writeChainADump(dump);
    const options = ['--network=devnet', `--data-dir=${folder}`, '--no-console', '--log-level=3', '--log-file='];
    const importing = start([...options, '--import-blockchain', `--dump-file=${dump}`]);
    expectCode(await importing.ended, 'the import', importing);

    // port 1 of this machine is the only peer it may call
    const quiet = [
      '--p2p-bind-ip=127.0.0.1',
      '--p2p-bind-port=0',
      '--rpc-bind-port=0',
      '--add-exclusive-node=127.0.0.1:1',
    ];
    const daemon = start([...options, ...quiet]);
    const [, address] = await daemon.prints(LISTENING);
    const { height } = await (await fetch(`${address}/height`)).json();
    daemon.child.kill('SIGTERM');
    expectCode(await daemon.ended, 'the daemon', daemon);
    if (height !== CHAIN_A_HEIGHT + 1) throw new Failure(`/height said ${height} in place of ${CHAIN_A_HEIGHT + 1}`);
    process.stdout.write(
      `smoke test with Node.js ${process.version}: height ${height}, ended by SIGTERM with code 0\n`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

function start(args) {
  const child = spawn(process.execPath, [join(top, 'apps/daemon/dist/main.js'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const overdue = setTimeout(() => child.kill('SIGKILL'), PATIENCE);
  const started = { child, text: '' };
  started.ended = new Promise((resolve) => {
    child.on('close', (code, signal) => {
      clearTimeout(overdue);
      resolve(code ?? signal);
    });
  });
  started.prints = (pattern) =>
    new Promise((resolve, reject) => {
      const look = () => {
        const match = pattern.exec(started.text);
        if (match) resolve(match);
      };
      child.stdout.on('data', look);
      child.stderr.on('data', look);
      void started.ended.then(() => reject(new Failure(`it ended without ${pattern}:\n${started.text}`)));
      look();
    });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (started.text += bytes));
  return started;
}

function expectCode(code, what, { text }) {
  if (code !== 0) throw new Failure(`${what} ended with ${code}:\n${text}`);
}
