import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeAddress } from '@wrkz/core-types';
import { freePort } from '../free-port';
import { TestWallet } from '../test-wallet';
import type { DevnetAddresses } from './curl-commands';

const PORTS = ['rpc1', 'p2p1', 'rpc2', 'p2p2', 'rpc3', 'p2p3', 'stratum', 'api', 'rpc', 'helper', 'proposals'] as const;

type Ports = Readonly<Record<(typeof PORTS)[number], number>>;

/** Ports, keys and wallets of a network. */
export interface DevnetSettings {
  readonly ports: Ports;
  readonly alice: TestWallet;
  readonly bob: TestWallet;
  /** A key or password of the network. */
  readonly key: (name: string) => string;
  /** Stores the ports. Call it when the network holds its data directory. */
  readonly save: () => void;
}

/**
 * Reads the settings of a network from its data directory, or creates them. A restarted network has the same keys,
 * and the same ports if they are free. Does not change existing settings: the directory may belong to a running network.
 *
 * @throws Error if the file is damaged
 */
export async function readSettings(dataDir: string): Promise<DevnetSettings> {
  const file = join(dataDir, 'devnet.json');
  const stored = existsSync(file) ? parseSettings(file) : undefined;
  const taken = new Map<string, number>();
  for (const name of PORTS) {
    let port = await freePort(stored?.ports[name]);
    while ([...taken.values()].includes(port)) port = await freePort();
    taken.set(name, port);
  }
  const ports = Object.fromEntries(taken) as Ports;
  // All keys and wallets derive from the seed.
  const seed = stored?.seed ?? randomBytes(16).toString('hex');
  const save = (): void => writeFileSync(file, JSON.stringify({ seed, ports }), { mode: 0o600 });
  if (stored === undefined) save();
  const key = (name: string): string => createHash('sha256').update(`${seed} ${name}`).digest('hex').slice(0, 32);
  return { ports, key, save, alice: new TestWallet(`${seed} alice`), bob: new TestWallet(`${seed} bob`) };
}

function parseSettings(file: string): { readonly seed: string; readonly ports: Ports } {
  try {
    const { seed, ports } = JSON.parse(readFileSync(file, 'utf8')) as { seed: unknown; ports: Ports };
    if (typeof seed === 'string' && PORTS.every((name) => Number.isInteger(ports[name]))) return { seed, ports };
  } catch {
    // Not JSON, or not an object.
  }
  throw new Error(`${file} is damaged: delete its directory, or name another one`);
}

export function addressesOf({ ports, key, alice, bob }: DevnetSettings): DevnetAddresses {
  const host = (port: number): string => `127.0.0.1:${String(port)}`;
  const url = (port: number): string => `http://${host(port)}`;
  const { spendPublic, viewPublic } = alice;
  const paymentId = createHash('sha256').update('the first proposal').digest('hex');
  return {
    nodes: [ports.rpc1, ports.rpc2, ports.rpc3].map(url),
    peers: [ports.p2p1, ports.p2p2, ports.p2p3].map(host),
    stratum: host(ports.stratum),
    helper: url(ports.helper),
    walletApi: url(ports.api),
    walletRpc: `${url(ports.rpc)}/json_rpc`,
    proposals: url(ports.proposals),
    apiKey: key('api'),
    rpcPassword: key('rpc'),
    alice: alice.address,
    bob: bob.address,
    donation: encodeAddress({ spendPublic, viewPublic, paymentId }),
  };
}
