import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixturePath, type SuiteNode, TestWallet } from '../src';
import { NETWORK, readChain } from './support/released-files/chain';
import { changeProposals } from './support/released-files/proposals';
import {
  copyFolder,
  readFolder,
  readManifest,
  type ReleasedFolder,
  schemasIn,
  writeRelease,
} from './support/released-files/release';
import { sendFromWallet } from './support/released-files/wallet';
import { nodeSuite } from './support/released-files/work-folder';

/* The files of every release (fixtures/released), opened with the present code. */

const released = fixturePath('released');
const work = mkdtempSync(join(tmpdir(), 'wrkz-released-test-'));
const suite = nodeSuite();
afterAll(async () => {
  await suite.stopAll();
  rmSync(work, { recursive: true });
});

/** Files of the present code. Migrations must lead to their schema. */
const present = join(work, 'present');
beforeAll(() => writeRelease(present));

interface Journal {
  readonly entries: readonly { readonly topic: string; readonly body: Record<string, unknown> }[];
}

const versions = readdirSync(released, { withFileTypes: true }).filter((entry) => entry.isDirectory());

describe.each(versions.map(({ name }) => name))('version %s', (version) => {
  const folder = join(released, version);
  const manifest = readManifest(folder);
  const copyOf = (name: string): string => copyFolder(join(folder, name), join(work, `${version}-read`, name));
  const changed = join(work, `${version}-changed`);

  test.each(Object.keys(manifest) as ReleasedFolder[])('%s: the content is that of the manifest', async (name) => {
    expect(await readFolder(name, copyOf(name))).toMatchObject(manifest[name]);
  });

  describe('opened for writing; the pool has its transactions again', () => {
    const dataDir = join(changed, 'node');
    const directory = join(dataDir, NETWORK);
    const wallet = join(changed, 'wallet');
    const proposals = join(changed, 'proposals');
    const height = Number(manifest.chain['height']) + 2;
    let node: SuiteNode;
    let blocks: string[];
    let sent: string;

    beforeAll(async () => {
      for (const name of ['chain', 'journal']) copyFolder(join(folder, name), directory);
      copyFolder(join(folder, 'wallet'), wallet);
      copyFolder(join(folder, 'proposals'), proposals);
      node = await suite.node({ from: dataDir, args: ['--events-keep', '0'] });
      // Before the wallet can submit its pending send again.
      const pending = manifest.wallet['sends'] as readonly { readonly hash: string }[];
      await node.untilPool(pending.map(({ hash }) => hash));
      blocks = await node.generate(new TestWallet('a miner').address, 2);
      sent = await sendFromWallet(wallet, node.daemon.ports.rpc);
      await node.untilPool([sent]);
      await node.stop();
      changeProposals(proposals, (writer) => void writer.change(2, { headline: 'Changed' }, 'edit'));
    });

    test('chain: a daemon appends blocks', async () => {
      const content = await readChain(join(node.dataDir, NETWORK));
      expect(content).toMatchObject({ problems: [], height, tipHash: blocks.at(-1), heightOfTipHash: height });
    });

    test('journal: a daemon retains the entries and appends new ones', async () => {
      const before = (manifest.journal as unknown as Journal).entries;
      const { entries } = (await readFolder('journal', join(node.dataDir, NETWORK))) as Journal;
      expect(entries.slice(0, before.length)).toEqual(before);
      const added = entries.slice(before.length);
      expect(added.filter(({ topic }) => topic === 'block').map(({ body }) => body['hash'])).toEqual(
        expect.arrayContaining(blocks),
      );
      expect(added).toContainEqual(expect.objectContaining({ topic: 'tx', body: { hash: sent } }));
    });

    test('wallet: a wallet synchronizes, sends and saves', async () => {
      const { container, sends } = (await readFolder('wallet', wallet)) as Record<string, unknown>;
      expect(container).toMatchObject({ height, unconfirmed: expect.arrayContaining([sent]) });
      const before = manifest.wallet['sends'] as { readonly hash: string }[];
      const hashes = (sends as typeof before).map(({ hash }) => hash);
      expect(hashes).toEqual([...before.map(({ hash }) => hash), sent]);
    });

    test('proposals: a proposal is changed, and the change is in the audit', async () => {
      const before = manifest.proposals as { readonly audit: object[] };
      const after = (await readFolder('proposals', proposals)) as typeof before;
      expect(after.audit.slice(0, -1)).toEqual(before.audit);
      expect(after.audit.at(-1)).toMatchObject({ action: 'edit', proposal: 2 });
    });

    test('each database has the schema of a new one', () => {
      const schemas = {
        ...schemasIn(join(node.dataDir, NETWORK)),
        ...schemasIn(wallet),
        ...schemasIn(proposals),
      };
      const expected = ['chain', 'journal', 'wallet', 'proposals'].map((name) => schemasIn(join(present, name)));
      expect(schemas).toEqual(Object.assign({}, ...expected));
      expect(Object.keys(schemas)).toHaveLength(5);
    });
  });
});
