import { Daemon, readConfig } from '@wrkz/daemon';
import { type JsonObject, silentLogger } from '@wrkz/service-kit';
import { fixturePath, Suite, type SuiteNode } from '@wrkz/testing';
import { once } from 'node:events';
import { readContainer } from '../../src/container/encrypted-file';
import { WalletFile } from '../../src/container/wallet-file';
import { importedSubWallet, walletFromKeys, walletFromViewKey } from '../../src/keys/wallet-keys';
import type { WalletContent } from '../../src/ledger/model';
import { Wallet } from '../../src/wallet/wallet';
import { recorded } from '../ledger/support/chain-a-wallets';
import { fresh, removeFolders } from '../support/folder';
import { comparable, listAt } from '../support/plain';
import { served, untilAtTip } from '../support/served';

/* Wallets that scanned chain A, compared with the containers that the C++ wallets saved after the same scan. */

jest.setTimeout(60_000);

const suite = new Suite((args) => Daemon.create(readConfig(args), { logger: silentLogger() }));
let node: SuiteNode;

beforeAll(async () => {
  node = await suite.node({ from: await suite.chainA() });
}, 300_000);

afterEach(removeFolders);
afterAll(() => suite.stopAll());

const FROM_GENESIS = { height: 0, timestamp: 0 };

function keysOf(name: string): WalletContent {
  const { of: source = name, address } = recorded.wallets[name]!;
  const { privateViewKey, addresses } = recorded.wallets[source]!.keys!;
  if (name === 'bob-view') return walletFromViewKey(privateViewKey, address ?? '', FROM_GENESIS);
  const [first, ...others] = addresses.map(({ privateSpendKey }) => privateSpendKey);
  let content = walletFromKeys(privateViewKey, first ?? '', FROM_GENESIS);
  for (const key of others) {
    const { subWallet } = importedSubWallet(content, key, FROM_GENESIS);
    content = { ...content, subWallets: [...content.subWallets, subWallet] };
  }
  return content;
}

/** The JSON of a container whose wallet has scanned the chain of the daemon. */
async function synced(name: string): Promise<string> {
  const { walletFile } = await WalletFile.create(fresh('a.wallet'), 'secret', () => keysOf(name));
  await walletFile.close();
  const { file } = walletFile;
  const open = await served((parts, settings) => Wallet.open(parts, settings), {
    ...{ file, password: 'secret', port: node.daemon.ports.rpc, skipCoinbases: name === 'carol-nocoinbase' },
  });
  await untilAtTip(open);
  const isUnindexed = (): boolean =>
    open.snapshot.subWallets.some(({ unspent, spent }) =>
      [...unspent, ...spent].some(({ globalIndex }) => globalIndex === undefined),
    );
  while (name !== 'bob-view' && isUnindexed()) await once(open, 'changed');
  await open.close();
  return (await readContainer(file, 'secret')).toString();
}

const sortBy = (list: JsonObject[], field: string): void =>
  void list.sort((a, b) => ((a[field] as string) < (b[field] as string) ? -1 : 1));

/** Sorts lists without a defined order, and removes hash lists and the fields of only one of the programs. */
function normalized(text: string): JsonObject {
  const document = comparable(text);
  const subWallets = document['subWallets'] as JsonObject;
  delete subWallets['subWalletIndexCounter'];
  delete document['walletDb'];
  delete document['walletDbPosition'];
  const status = ['walletSynchronizer', 'transactionSynchronizerStatus'];
  for (const name of ['lastKnownBlockHashes', 'blockHashCheckpoints']) listAt(document, ...status, name).length = 0;
  for (const subWallet of listAt(document, 'subWallets', 'subWallet')) {
    delete subWallet['walletIndex'];
    for (const name of ['unspentInputs', 'lockedInputs', 'spentInputs']) sortBy(listAt(subWallet, name), 'key');
    for (const input of listAt(subWallet, 'spentInputs')) delete input['spendingTransactionHash'];
  }
  for (const transaction of listAt(document, 'subWallets', 'transactions'))
    sortBy(listAt(transaction, 'transfers'), 'publicKey');
  return document;
}

test.each(Object.keys(recorded.wallets))('%s has the container of the C++ wallets', async (name) => {
  const wallet = recorded.wallets[name]!;
  const { file, password } = (wallet.restoredWalletFile ?? wallet.walletFile)!;
  const recordedJson = (await readContainer(fixturePath(`devnet/${file}`), password)).toString();
  expect(normalized(await synced(name))).toEqual(normalized(recordedJson));
});
