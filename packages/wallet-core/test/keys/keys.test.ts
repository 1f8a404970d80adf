import { readJson } from '@wrkz/testing/fixtures';
import { checkAddress, checkPaymentId, integratedAddress } from '../../src/keys/addresses';
import * as wallets from '../../src/keys/wallet-keys';
import { seedOf } from '../../src/keys/wallet-keys';
import type { WalletContent } from '../../src/ledger/model';
import { exportOf2026 } from '../support/exports-of-2026';
import { errorNameOf } from '../support/rejection';

interface ExpectedKeys {
  readonly privateViewKey: string;
  readonly addresses: readonly {
    readonly address: string;
    readonly privateSpendKey: string;
    readonly publicSpendKey: string;
    readonly mnemonic: string | null;
  }[];
}

const expected = readJson<{ wallets: Record<string, { keys?: ExpectedKeys }> }>('devnet/chain-a-expected.json').wallets;
const recorded = Object.entries(expected).flatMap(([name, { keys }]) => (keys === undefined ? [] : [{ name, keys }]));
const START = { height: 5, timestamp: 0 };
const ZERO = '0'.repeat(64);
const TOO_LARGE = 'f'.repeat(64);

test.each(recorded)('$name has the keys, address and seed of the C++ wallets', ({ keys }) => {
  const { privateViewKey, addresses } = keys;
  const [first, ...others] = addresses;
  const { address, privateSpendKey, publicSpendKey, mnemonic } = first!;
  const content = wallets.walletFromKeys(privateViewKey, privateSpendKey, START);
  expect(content).toMatchObject({ privateViewKey, isViewWallet: false, startHeight: 5, startTimestamp: 0 });
  expect(content.subWallets).toMatchObject([
    { address, privateSpendKey, publicSpendKey, isPrimary: true, walletIndex: 0 },
  ]);
  if (mnemonic === null) expect(() => seedOf(privateSpendKey, privateViewKey)).toThrow('cannot get a mnemonic seed');
  else {
    expect(seedOf(privateSpendKey, privateViewKey)).toBe(mnemonic);
    expect(wallets.walletFromSeed(mnemonic, START)).toEqual(content);
  }
  for (const other of others) {
    const { subWallet } = wallets.importedSubWallet(content, other.privateSpendKey, START);
    expect(subWallet).toMatchObject({ address: other.address, isPrimary: false, walletIndex: 0, syncStartHeight: 5 });
    expect(() => seedOf(other.privateSpendKey, privateViewKey)).toThrow('cannot get a mnemonic seed');
  }
  const view = wallets.walletFromViewKey(privateViewKey, address, START);
  expect(view).toMatchObject({ isViewWallet: true, privateViewKey });
  expect(view.subWallets).toMatchObject([{ address, publicSpendKey, privateSpendKey: undefined }]);
});

const words =
  'eluded ceiling theatrics orange mixture epoxy viewpoint oatmeal aggravate tell different dating intended richly slower inundate ridges slug inundate ridges slug were rotate rudely viewpoint';

function withSub(content: WalletContent, { subWallet, subWalletIndexCounter }: wallets.NewSubWallet): WalletContent {
  return { ...content, subWallets: [...content.subWallets, subWallet], subWalletIndexCounter };
}

test('deterministic sub-wallets equal those of the C++ wallets, and the counter continues from the highest index', async () => {
  const written = JSON.parse(exportOf2026('subwallets')) as {
    subWallets: { subWallet: { address: string; privateSpendKey: string }[] };
  };
  let content = wallets.walletFromSeed(words, START);
  for (const index of [1, 2]) {
    const next = await wallets.nextSubWallet(content, START);
    expect(next).toMatchObject({ subWalletIndexCounter: index, subWallet: { walletIndex: index } });
    expect(next.subWallet).toMatchObject({
      address: written.subWallets.subWallet[index]!.address,
      privateSpendKey: written.subWallets.subWallet[index]!.privateSpendKey,
    });
    content = withSub(content, next);
  }
  const seventh = await wallets.deterministicSubWallet(content, 7n, START);
  expect(seventh).toMatchObject({ subWalletIndexCounter: 7, subWallet: { walletIndex: 0 } });
  content = withSub(content, seventh);
  expect((await wallets.deterministicSubWallet(content, 5n, START)).subWalletIndexCounter).toBe(7);
  const afterDelete = { ...content, subWallets: content.subWallets.slice(0, 1) };
  expect((await wallets.nextSubWallet(afterDelete, START)).subWalletIndexCounter).toBe(8);
});

test('deterministic sub-wallets of recorded wallets have the recorded addresses', async () => {
  const [carol, alice] = ['carol', 'alice'].map((name) => {
    const { privateViewKey, addresses } = expected[name]!.keys!;
    return wallets.walletFromKeys(privateViewKey, addresses[0]!.privateSpendKey, START);
  });
  const first = await wallets.deterministicSubWallet(carol!, 1n, START);
  expect(first.subWallet.address).toBe(
    'WrkzYx2hMX74yvQHepCKAQFsbRBEGDevB2Ab4x1ayf1W3Ki5ZkWzi9AgyVbdjyQ5kQ1LmV5LbgXjQersuYHF2JkY41dWPPBoPe',
  );
  const seventh = await wallets.deterministicSubWallet(alice!, 7n, START);
  expect(seventh.subWallet.address).toBe(
    'WrkzTu2vkDKFJT1iivZifkdymL61qWaoUAQPqsoPPUGT1Lbej1LEdtyMFZQxAozudz9mDQ8yvigK6XAjSrSnYn377MLxp8HNrH',
  );
});

test('an index whose key was imported is skipped', async () => {
  const content = wallets.walletFromSeed(words, START);
  const first = await wallets.nextSubWallet(content, START);
  const imported = withSub(content, wallets.importedSubWallet(content, first.subWallet.privateSpendKey!, START));
  expect(imported.subWalletIndexCounter).toBe(0);
  expect((await wallets.nextSubWallet(imported, START)).subWalletIndexCounter).toBe(2);
});

test('an index above the maximum is refused, and a long derivation can be aborted', async () => {
  const content = wallets.walletFromSeed(words, START);
  for (const index of [2n ** 24n + 1n, 2n ** 64n - 1n]) {
    expect(await errorNameOf(wallets.deterministicSubWallet(content, index, START))).toBe('walletIndexTooLarge');
  }
  const abort = new AbortController();
  const derived = wallets.deterministicSubWallet(content, 2n ** 24n, START, abort.signal);
  abort.abort(new Error('closing'));
  await expect(derived).rejects.toThrow('closing');
});

test('invalid keys, existing keys and keys of the wrong kind are refused', async () => {
  const full = wallets.walletFromSeed(words, START);
  const { address, publicSpendKey, privateSpendKey } = full.subWallets[0]!;
  const view = wallets.walletFromViewKey(full.privateViewKey, address, START);
  const other = wallets.createdWallet(START).subWallets[0]!;
  for (const bad of [ZERO, TOO_LARGE, 'zz', '']) {
    expect(await errorNameOf(() => wallets.walletFromKeys(bad, TOO_LARGE, START))).toBe('invalidPrivateKey');
    expect(await errorNameOf(() => wallets.walletFromKeys(full.privateViewKey, bad, START))).toBe('invalidPrivateKey');
    expect(await errorNameOf(() => wallets.walletFromViewKey(bad, 'no address', START))).toBe('invalidPrivateKey');
    expect(await errorNameOf(() => wallets.importedSubWallet(full, bad, START))).toBe('invalidPrivateKey');
    expect(await errorNameOf(() => wallets.viewSubWallet(full, bad, START))).toBe('invalidPublicKey');
  }
  expect(await errorNameOf(() => wallets.viewSubWallet(view, `01${'0'.repeat(62)}`, START))).toBe('invalidPublicKey');
  expect(await errorNameOf(() => wallets.importedSubWallet(full, privateSpendKey!, START))).toBe(
    'subwalletAlreadyExists',
  );
  expect(await errorNameOf(wallets.deterministicSubWallet(full, 0n, START))).toBe('subwalletAlreadyExists');
  expect(await errorNameOf(() => wallets.viewSubWallet(view, publicSpendKey, START))).toBe('subwalletAlreadyExists');
  expect(await errorNameOf(() => wallets.viewSubWallet(full, publicSpendKey, START))).toBe(
    'illegalNonViewWalletOperation',
  );
  expect(await errorNameOf(() => wallets.importedSubWallet(view, other.privateSpendKey!, START))).toBe(
    'illegalViewWalletOperation',
  );
  expect(await errorNameOf(wallets.nextSubWallet(view, START))).toBe('illegalViewWalletOperation');
  expect(await errorNameOf(wallets.deterministicSubWallet(view, 1n, START))).toBe('illegalViewWalletOperation');
  expect(await errorNameOf(() => seedOf(undefined, full.privateViewKey))).toBe('illegalViewWalletOperation');
  const watched = wallets.viewSubWallet(view, other.publicSpendKey.toUpperCase(), START).subWallet;
  expect(watched.publicSpendKey).toBe(other.publicSpendKey);
  expect(checkAddress(watched.address, { allowIntegrated: false }).spendPublic.toString('hex')).toBe(
    other.publicSpendKey,
  );
});

test('seeds are checked for length, words and checksum, and accept any white space', async () => {
  const list = words.split(' ');
  const code = (text: string) => errorNameOf(() => wallets.walletFromSeed(text, START));
  expect(await code(list.slice(1).join(' '))).toBe('mnemonicWrongLength');
  expect(await code('')).toBe('mnemonicWrongLength');
  expect(await code(words.replace('orange', 'oranges'))).toBe('mnemonicInvalidWord');
  expect(await code(words.replace('orange', 'mixture'))).toBe('mnemonicInvalidChecksum');
  expect(await code(words.toUpperCase())).toBe('mnemonicInvalidChecksum');
  expect(wallets.walletFromSeed(`\t${words.replaceAll(' ', ' \n ')}\n`, START)).toEqual(
    wallets.walletFromSeed(words, START),
  );
});

test('a sub-wallet is found by its address, and the primary one cannot be removed', async () => {
  const content = wallets.walletFromSeed(words, START);
  const other = await wallets.nextSubWallet(content, START);
  const both = withSub(content, other);
  const primary = content.subWallets[0]!.address;
  expect(wallets.subWalletOf(both, other.subWallet.address)).toBe(other.subWallet);
  expect(wallets.removableSubWallet(both, other.subWallet.address)).toBe(other.subWallet);
  expect(await errorNameOf(() => wallets.removableSubWallet(both, primary))).toBe('cannotDeletePrimaryAddress');
  expect(await errorNameOf(() => wallets.subWalletOf(content, other.subWallet.address))).toBe('addressNotInWallet');
  expect(await errorNameOf(() => wallets.subWalletOf(content, `${primary.slice(0, -1)}x`))).toBe('addressNotValid');
});

test('integrated addresses have short or long payment ids, and each defect of an address is reported with its error', async () => {
  const { address } = wallets.walletFromSeed(words, START).subWallets[0]!;
  for (const [paymentId, length] of [
    ['1122334455667788', 120],
    ['AB'.repeat(32), 186],
  ] as const) {
    const integrated = integratedAddress(address, paymentId);
    expect(integrated).toHaveLength(length);
    expect(checkAddress(integrated, { allowIntegrated: true })).toMatchObject({ paymentId, plain: address });
    expect(await errorNameOf(() => checkAddress(integrated, { allowIntegrated: false }))).toBe('addressIsIntegrated');
    expect(await errorNameOf(() => integratedAddress(integrated, paymentId))).toBe('addressIsIntegrated');
    expect(await errorNameOf(() => checkAddress(`${integrated.slice(0, -1)}0`, { allowIntegrated: true }))).toBe(
      'addressNotBase58',
    );
  }
  expect(await errorNameOf(() => checkAddress(`${address}x`, { allowIntegrated: true }))).toBe('addressWrongLength');
  expect(await errorNameOf(() => checkAddress(address.replace('Wrkz', 'wrkz'), { allowIntegrated: true }))).toBe(
    'addressWrongPrefix',
  );
  expect(await errorNameOf(() => checkAddress(`${address.slice(0, -1)}0`, { allowIntegrated: true }))).toBe(
    'addressNotValid',
  );
  expect(await errorNameOf(() => checkPaymentId('12'))).toBe('paymentIdWrongLength');
  expect(await errorNameOf(() => checkPaymentId('g'.repeat(64)))).toBe('paymentIdInvalid');
});

test('a created wallet has new keys and a seed', () => {
  const [a, b] = [wallets.createdWallet(START), wallets.createdWallet(START)];
  expect(a.privateViewKey).not.toBe(b.privateViewKey);
  expect(wallets.walletFromSeed(seedOf(a.subWallets[0]!.privateSpendKey, a.privateViewKey), START)).toEqual(a);
});
