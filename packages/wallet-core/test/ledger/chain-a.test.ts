import { isUnlocked } from '@wrkz/consensus';
import { parseBlock, parseTransaction } from '@wrkz/core-types';
import { generateKeyImage } from '@wrkz/crypto';
import { CHAIN_A_HEIGHT, chainA, TestWallet } from '@wrkz/testing';
import { Ledger } from '../../src/ledger/ledger';
import { indexedChainA } from './support/chain-a-scan';
import { balanceOf } from './support/contents';
import { applyAll, readWallet, type ReadWallet, recorded, RECORDED_AT } from './support/chain-a-wallets';

/* Every wallet of chain A, compared with the recorded reports and with sums that are computed without a ledger. */

const names = Object.keys(recorded.wallets);

function asRecorded(wallet: ReadWallet, ledger: Ledger): unknown[] {
  const { subWallets } = wallet.empty;
  const addressOf = new Map(subWallets.map(({ publicSpendKey, address }) => [publicSpendKey, address]));
  return ledger.content().transactions.map((transaction) => ({
    blockHeight: transaction.blockHeight,
    fee: Number(transaction.fee),
    hash: transaction.hash,
    isCoinbaseTransaction: transaction.isCoinbase,
    paymentID: transaction.paymentId,
    timestamp: transaction.timestamp,
    transfers: byAddress(
      transaction.transfers.map(({ publicSpendKey, amount }) => ({
        address: addressOf.get(publicSpendKey) ?? '',
        amount: Number(amount),
      })),
    ),
    unlockTime: Number(transaction.unlockTime),
  }));
}

const byAddress = <T extends { readonly address: string }>(list: readonly T[]): T[] =>
  list.toSorted((a, b) => a.address.localeCompare(b.address));

describe.each(names)('%s', (name) => {
  let wallet: ReadWallet;
  let ledger: Ledger;
  beforeAll(async () => {
    wallet = await readWallet(name);
    ledger = new Ledger(wallet.empty);
    applyAll(ledger, wallet.chain);
  });

  test('has every transaction as reported by the C++ wallet', () => {
    expect(asRecorded(wallet, ledger)).toEqual(
      wallet.report.transactions.map((transaction) => ({
        ...transaction,
        transfers: byAddress(transaction.transfers),
      })),
    );
  });

  test('has every balance as reported by the C++ wallet', () => {
    const balance = (keys?: readonly string[]): unknown => {
      const { locked, unlocked } = balanceOf(ledger, CHAIN_A_HEIGHT, RECORDED_AT, keys);
      return { locked: Number(locked), unlocked: Number(unlocked) };
    };
    expect(balance()).toEqual(wallet.report.balance);
    expect(
      byAddress(
        wallet.empty.subWallets.map(({ address, publicSpendKey }) => ({
          address,
          ...(balance([publicSpendKey]) as object),
        })),
      ),
    ).toEqual(byAddress(wallet.report.balances));
  });

  test('has the global index of every output', () => {
    expect(ledger.unindexedOutputs()).toEqual([]);
  });
});

/** The balances after each block, computed from the bytes of the chain by independent code. */
function* sums(
  testWallets: readonly TestWallet[],
): Generator<(height: number, now: number) => { unlocked: bigint; locked: bigint }> {
  const held = new Map<string, { amount: bigint; unlockTime: bigint }>();
  for (const [height, raw] of chainA().entries()) {
    const all = [parseBlock(raw.block).coinbase, ...raw.transactions.map((bytes) => parseTransaction(bytes))];
    for (const testWallet of testWallets) {
      for (const { amount, unlockTime, publicKey, secretKey } of testWallet.find(
        raw,
        height,
        all.map(({ transaction }) => transaction.outputs.map((_, i) => i)),
      )) {
        held.set(generateKeyImage(publicKey, secretKey).toString('hex'), { amount, unlockTime });
      }
    }
    for (const { transaction } of all) {
      for (const input of transaction.inputs) if (input.type === 'key') held.delete(input.keyImage.toString('hex'));
    }
    yield (at, timestamp) => {
      const total = { unlocked: 0n, locked: 0n };
      for (const { amount, unlockTime } of held.values()) {
        total[isUnlocked(unlockTime, { height: at, timestamp }) ? 'unlocked' : 'locked'] += amount;
      }
      return total;
    };
  }
}

test.each(['alice', 'dave', 'frank'])('the balance of %s at every height is the sum over the chain', async (name) => {
  const { keys, empty, chain } = await readWallet(name);
  const testWallets = keys.spendKeys.map(
    ({ secretKey }) => new TestWallet({ viewSecret: keys.viewSecret, spendSecret: secretKey ?? Buffer.alloc(32) }),
  );
  const ledger = new Ledger(empty);
  let height = 0;
  for (const sum of sums(testWallets)) {
    applyAll(ledger, chain.slice(height, height + 1));
    const now = indexedChainA()[height]?.block.timestamp ?? 0;
    expect({ height, ...balanceOf(ledger, height, now) }).toEqual({ height, ...sum(height, now) });
    const { transactions } = ledger.content();
    const total = transactions.flatMap(({ transfers }) => transfers).reduce((all, { amount }) => all + amount, 0n);
    const { unlocked, locked } = balanceOf(ledger, height, now);
    expect(total).toBe(unlocked + locked);
    height += 1;
  }
  expect(height).toBe(CHAIN_A_HEIGHT + 1);
});
