import { statfsSync, writeFileSync, rmSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openFunding } from '../../src/store/database';
import { FundingStore } from '../../src/store/funding';
import { admin, proposalFile, stopAll } from '../support/service';

/* `full-disk.ts <folder>`: fills the small disk of the folder, and prints the results of reads and writes as JSON. */

const folder = process.argv[2] ?? '';
const outcome = (act: () => unknown): string => {
  try {
    return String(act());
  } catch (error) {
    return `refused: ${(error as Error).message}`;
  }
};
const add = (): string => outcome(() => admin(folder, 'admin', 'add', proposalFile({}, 'x'.repeat(30_000))));
const list = (): number => admin(folder, 'admin', 'list').split('\n').length - 1;

const place = { directory: folder, network: 'mainnet' };
const database = openFunding(place);
const store = new FundingStore(database.connection);
const put = (count: number): string =>
  outcome(() => {
    const hashes = Array.from({ length: count }, (_, i) => String(i).padStart(64, '0'));
    const donations = hashes.map((hash) => ({ hash, amount: 1n, height: 1, time: 1, unlocked: true }));
    store.replace(new Map([['a', donations]]), { checked: count, height: count });
    return 'kept';
  });
const known = (): unknown => [
  Number(store.find('a')?.received),
  store.find('a')?.checked,
  store.contributions('a').length,
];

const first = [add(), put(5)];
const { bavail, bsize } = statfsSync(folder);
const ballast = join(folder, 'ballast');
writeFileSync(ballast, Buffer.alloc(bavail * bsize - 80 * 1024));
const full = { added: add(), listed: list(), put: put(5_000), known: known(), exported: '' };
full.exported = outcome(() => admin(folder, 'admin', 'export', join(folder, 'out')));
rmSync(join(folder, 'out'), { recursive: true, force: true });
const halves = readdirSync(folder).filter((name) => name.endsWith('.tmp'));
rmSync(ballast);
const after = { added: add(), listed: list(), put: put(50), known: known() };
database.close();
process.stdout.write(JSON.stringify({ first, full, halves, after }));
void stopAll();
