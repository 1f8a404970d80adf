import fc from 'fast-check';
import { encodeBlock, encodeTransaction, networkOf, parseBlock, parseExtra, powNonceOffset } from '@wrkz/core-types';
import { generateKeyPair, searchNonce } from '@wrkz/crypto';
import {
  BranchView,
  VerifiedBlock,
  buildTemplate,
  checkBlock,
  coinbaseAmounts,
  constructCoinbase,
  genesisView,
  sealParent,
  type Template,
  type TemplateInput,
} from '@wrkz/consensus';
import { NOW, blockAt, branchTo, chainA, contextOn, devnet } from './chain-a';
import { walletKeys } from './wallet';

const receiver = { spendPublic: walletKeys('alice').spendPublic, viewPublic: generateKeyPair().publicKey };

const template = (view: BranchView, change: Partial<TemplateInput> = {}): Promise<Template> =>
  buildTemplate({
    network: devnet,
    view,
    now: NOW,
    receiver,
    transactionKeys: generateKeyPair(),
    extraNonce: Buffer.alloc(0),
    candidates: [],
    ...change,
  });

async function mine({ block, difficulty, height }: Template): Promise<Buffer> {
  const sealed = sealParent(block);
  const { powInput } = parseBlock(encodeBlock(sealed));
  const found = await searchNonce({
    algorithm: devnet.rulesAt(height).powAlgorithm,
    data: powInput,
    nonceOffset: powNonceOffset(sealed),
    nonceSize: 4,
    difficulty,
  });
  return encodeBlock({ ...sealed, nonce: Number(found!.nonce) });
}

test.each([0, 1, 2, 3, 30, 60, 100, 149, 720])('a mined template extends a chain of height %i', async (height) => {
  const view = branchTo(height);
  const made = await template(view, { extraNonce: Buffer.from('abcd', 'hex') });
  expect(made.height).toBe(height + 1);
  const verified = await checkBlock(parseBlock(await mine(made)), [], contextOn(view));
  expect(verified).toBeInstanceOf(VerifiedBlock);
});

test('a template contains the valid transactions, in order, and reports invalid ones', async () => {
  // Block 706 has more transactions than fit a template.
  const height = chainA()
    .slice(0, 700)
    .findLastIndex(({ transactions }) => transactions.length > 2);
  const view = branchTo(height - 1);
  const candidates = blockAt(height).transactions;
  const stale = blockAt(300).transactions.concat(blockAt(150).transactions)[0]!;
  const made = await template(view, { candidates: [stale, candidates[0]!, ...candidates] });
  expect(made.refused.map(({ transaction }) => transaction.hash)).toEqual([stale.hash]);
  // The first candidate is repeated: the second time its key images are spent.
  expect(made.transactions.map(({ hash }) => hash)).toEqual(candidates.map(({ hash }) => hash));
  const verified = await checkBlock(parseBlock(await mine(made)), made.transactions, contextOn(view));
  expect(verified).toBeInstanceOf(VerifiedBlock);
});

test('transactions of the chain are left out, and not reported as invalid', async () => {
  // Below the height of the unlock rule, which would refuse them one block later.
  const height = chainA()
    .slice(0, 110)
    .findLastIndex(({ transactions }) => transactions.length > 2);
  const candidates = blockAt(height).transactions;
  const made = await template(branchTo(height), { candidates });
  expect(made.refused).toEqual([]);
  expect(made.transactions).toEqual([]);
});

test('a template has the same shape as those of the reference', async () => {
  const { block } = await template(branchTo(720), { extraNonce: Buffer.alloc(4, 7) });
  expect(encodeBlock(block).toString('hex')).toContain(`00000000${'23032100'}${'00'.repeat(32)}`);
  expect(block.parentBlock).toMatchObject({ majorVersion: 0, minorVersion: 0, transactionCount: 1 });
  expect(block.coinbase.outputs.map((output) => output.amount)).toEqual([1_000_000n]);
  expect(parseExtra(block.coinbase.extra)).toMatchObject({ nonce: Buffer.alloc(4, 7), parseOk: true });
  expect(block.timestamp).toBe(BigInt(NOW));
});

test('a timestamp below the median of the chain is raised to the median', async () => {
  const view = branchTo(720);
  const made = await template(view, { now: 1 });
  const times = view.window(720, 11).map((one) => one.timestamp);
  expect(Number(made.block.timestamp)).toBe(times.sort((a, b) => a - b)[5]);
});

/** The coinbase of block 1 of mainnet for a block with this many bytes of transactions. */
const beside = (transactionsSize: number, fees: bigint, nonce: number) =>
  constructCoinbase({
    height: 1,
    rules: networkOf('mainnet').rulesAt(1),
    medianSize: 100,
    generatedCoins: 1_500_000_000_000n,
    transactionsSize,
    fees,
    receiver,
    transactionKeys: generateKeyPair(),
    extraNonce: Buffer.alloc(nonce, 1),
  });

test('the coinbase pays exactly the allowed reward, for any size', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 19_000 }),
      fc.bigInt({ min: 0n, max: 10n ** 9n }),
      fc.integer({ min: 0, max: 200 }),
      (transactionsSize, fees, nonce) => {
        const coinbase = beside(transactionsSize, fees, nonce);
        const size = transactionsSize + encodeTransaction(coinbase).length;
        const paid = coinbase.outputs.reduce((sum, output) => sum + output.amount, 0n);
        const base = 11_563_301n;
        const s = BigInt(size);
        const penalized = s <= 10_000n ? base : (base * s * (20_000n - s)) / 100_000_000n;
        expect(paid).toBe(penalized + fees);
        expect(coinbase.outputs.length).toBeLessThanOrEqual(11);
      },
    ),
    { numRuns: 60 },
  );
});

test.each([
  ['with the missing number of zeros', 11_007, 0n, 88, 124, 379],
  ['with one zero less if the length field grows', 11_000, 999_999n, 88, 156, 413],
  ['with an assumed size of one more byte if neither fits, twice', 11_021, 0n, 92, 128, 419],
  ['with an assumed size of one more byte, three times', 13_100, 0n, 92, 163, 383],
])('a coinbase below its expected size is padded: %s', (_, transactionsSize, fees, nonce, extra, bytes) => {
  const coinbase = beside(transactionsSize, fees, nonce);
  expect([coinbase.extra.length, encodeTransaction(coinbase).length]).toEqual([extra, bytes]);
  expect(coinbase.extra.subarray(35 + nonce)).toEqual(Buffer.alloc(extra - 35 - nonce));
});

test('a block that is too large for any reward has no coinbase', () => {
  expect(() => beside(20_000, 0n, 0)).toThrow(/^a block of 20\d{3} bytes is too large for a median of 100$/);
});

test('a coinbase has one empty list of signatures, and no nonce unless one is reserved', () => {
  const { extra, signatures } = beside(0, 0n, 0);
  expect(signatures).toEqual([Buffer.alloc(0)]);
  expect(extra).toHaveLength(33);
  expect(parseExtra(extra).nonce).toBeUndefined();
  expect(parseExtra(beside(0, 0n, 255).extra).nonce).toHaveLength(255);
});

test('more than eleven digits are merged from the largest down', () => {
  expect(coinbaseAmounts(1_234_567_891_234n, 0n)).toEqual([
    4n,
    30n,
    200n,
    1000n,
    90_000n,
    800_000n,
    7_000_000n,
    60_000_000n,
    500_000_000n,
    4_000_000_000n,
    1_230_000_000_000n,
  ]);
});

test('an address with invalid points is refused', async () => {
  const noPoint = Buffer.alloc(32, 0xff);
  const view = new BranchView(genesisView(devnet));
  await expect(template(view, { receiver: { ...receiver, viewPublic: noPoint } })).rejects.toThrow(
    /not a point of the curve/,
  );
  await expect(template(view, { receiver: { ...receiver, spendPublic: noPoint } })).rejects.toThrow(
    /not a point of the curve/,
  );
  await expect(template(view, { extraNonce: Buffer.alloc(256) })).rejects.toThrow(/longer than 255/);
});
