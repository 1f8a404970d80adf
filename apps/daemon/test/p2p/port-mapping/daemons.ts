/**
 * Starts whole daemons beside a fake gateway and prints what both saw, as lines of JSON. One of them is of the mainnet, so
 * this is run in a network namespace alone (`support/namespace`).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DaemonProcess } from '../../support/process';
import { FakeGateway, NODE } from './fake-gateway';
import { refuseRealNetwork } from './real-network';

const QUIET = ['--rpc-bind-port=0', '--no-default-seeds', '--no-console', '--no-zmq', '--log-level=3', '--log-file='];

const DAEMONS: Record<string, readonly string[]> = {
  mapped: ['--network=mainnet', `--p2p-bind-ip=${NODE}`],
  'told another port': ['--network=mainnet', `--p2p-bind-ip=${NODE}`, '--p2p-external-port=20001'],
  'no-upnp': ['--network=mainnet', `--p2p-bind-ip=${NODE}`, '--no-upnp'],
  devnet: ['--network=devnet', `--p2p-bind-ip=${NODE}`],
};

async function play(): Promise<void> {
  refuseRealNetwork();
  for (const [name, args] of Object.entries(DAEMONS)) {
    const gateway = await FakeGateway.start();
    const folder = mkdtempSync(join(tmpdir(), 'wrkz-upnp-'));
    const daemon = new DaemonProcess([...args, ...QUIET, `--data-dir=${folder}`], folder);
    await daemon.prints(/RPC at http/);
    if (args.includes('--network=mainnet') && !args.includes('--no-upnp'))
      await daemon.prints(/Added IGD port mapping.*/);
    const mappings = [...gateway.mappings.values()];
    daemon.kill('SIGTERM');
    const { code, stdout, stderr } = await daemon.ended;
    const lines = (stdout + stderr).split('\n').filter((line) => line.includes('IGD'));
    const port = /peers at [^ ]*:(\d+)/.exec(stdout + stderr)?.[1];
    await gateway.close();
    rmSync(folder, { recursive: true });
    const left = gateway.mappings.size;
    process.stdout.write(
      `${JSON.stringify({ name, code, lines, port, mappings, left, searches: gateway.searches.length })}\n`,
    );
  }
}

void play();
