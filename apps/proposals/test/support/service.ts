import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeAddress } from '@wrkz/core-types';
import { generateKeyPair } from '@wrkz/crypto';
import { parseCommandLine, Proposals, readProposalsConfig, type ProposalsOverrides } from '../../src';
import { runAdmin } from '../../src/admin/run';

/** The keys of the wallet that receives all donations. */
const [spend, view] = [generateKeyPair(), generateKeyPair()];
const KEYS = { spendPublic: spend.publicKey, viewPublic: view.publicKey };

export const WALLET_ADDRESS = encodeAddress(KEYS);
export const paymentIdOf = (name: string): string => createHash('sha256').update(name).digest('hex');
/** The integrated address of that wallet with the payment id of a name. */
export const donationAddress = (name: string): string => encodeAddress({ ...KEYS, paymentId: paymentIdOf(name) });
/** An integrated address with a short payment id, of 120 characters. */
export const shortAddress = encodeAddress({ ...KEYS, paymentId: '0123456789abcdef' });

const folders: string[] = [];
const running = new Set<Proposals>();

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'wrkz-proposals-'));
  folders.push(folder);
  return folder;
}

/** For `afterEach`: stops all services and removes the folders, also after a failed test. */
export async function stopAll(): Promise<void> {
  const services = [...running];
  running.clear();
  await Promise.all(services.map((service) => service.stop()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

export interface RunningService {
  readonly service: Proposals;
  readonly url: string;
  readonly folder: string;
  /** Runs an operator command on the same data. */
  admin(...words: readonly string[]): string;
  /** Adds a proposal and returns its number. */
  add(fields?: Readonly<Record<string, string>>, content?: string): number;
  stop(): Promise<void>;
}

export async function startService(
  args: readonly string[] = [],
  overrides: ProposalsOverrides = {},
  folder = temporaryFolder(),
): Promise<RunningService> {
  const service = new Proposals(readProposalsConfig(['--log-level', 'disabled', '--data-dir', folder, ...args]), {
    port: 0,
    ...overrides,
  });
  await service.start();
  running.add(service);
  const onThis = (...words: readonly string[]): string => admin(folder, ...words);
  return {
    service,
    folder,
    url: `http://127.0.0.1:${service.port}`,
    admin: onThis,
    add: (fields, content) => addTo(folder, fields, content),
    async stop() {
      running.delete(service);
      await service.stop();
    },
  };
}

/** Runs an operator command. @returns its output @throws its errors */
export function admin(folder: string, ...words: readonly string[]): string {
  const [first = '', second = '', ...rest] = words;
  const parsed = parseCommandLine([first, second, '--data-dir', folder, ...rest]);
  if (parsed.command === undefined) throw new Error('no command');
  return runAdmin(parsed);
}

let count = 0;

/** Writes the file of a proposal. @returns its path */
export function proposalFile(
  fields: Readonly<Record<string, string | undefined>> = {},
  content = 'A text that is long enough to be one.\n',
): string {
  count += 1;
  const all = {
    headline: `Proposal number ${count}`,
    category: 'misc',
    user: 'alice',
    target: '1000',
    address: donationAddress(`proposal ${count}`),
    ...fields,
  };
  const lines = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  const path = join(temporaryFolder(), 'proposal.md');
  writeFileSync(path, `---\n${lines.join('\n')}\n---\n${content}`);
  return path;
}

function addTo(folder: string, fields?: Readonly<Record<string, string>>, content?: string): number {
  const said = admin(folder, 'admin', 'add', proposalFile(fields, content));
  return Number(/proposal (\d+)/.exec(said)?.[1]);
}
