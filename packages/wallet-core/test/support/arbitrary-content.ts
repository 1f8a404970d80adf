import fc from 'fast-check';
import { MAX_UINT64 } from '@wrkz/core-types';
import type { MinedOutput, SubWallet, WalletContent, WalletOutput, WalletTransaction } from '../../src/ledger/model';

const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex'));
const amount = fc.bigInt({ min: 0n, max: MAX_UINT64 });
const count = fc.maxSafeNat();
const hashes = fc.uniqueArray(key, { maxLength: 4 });

const mined: fc.Arbitrary<MinedOutput> = fc.record({
  keyImage: fc.option(key, { nil: undefined }),
  amount,
  blockHeight: count,
  transactionPublicKey: key,
  outputIndex: count,
  globalIndex: fc.option(fc.integer({ min: 1, max: 2 ** 32 - 1 }), { nil: undefined }),
  key,
  spendHeight: count,
  unlockTime: amount,
  parentTransactionHash: key,
  privateEphemeral: fc.option(key, { nil: undefined }),
  spendingTransactionHash: fc.option(key, { nil: undefined }),
});
const output: fc.Arbitrary<WalletOutput> = fc.oneof(
  mined,
  fc.tuple(mined, fc.array(mined, { minLength: 1, maxLength: 2 })).map(([last, replaced]) => ({ ...last, replaced })),
);
const outputs = fc.array(output, { maxLength: 3 });

const transaction: fc.Arbitrary<WalletTransaction> = fc.record({
  transfers: fc.array(
    fc.record({ publicSpendKey: key, amount: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }) }),
    {
      maxLength: 3,
    },
  ),
  hash: key,
  fee: amount,
  blockHeight: count,
  timestamp: count,
  paymentId: fc.oneof(fc.constant(''), key, fc.string({ unit: 'binary' })),
  unlockTime: amount,
  isCoinbase: fc.boolean(),
});
const transactions = fc.array(transaction, { maxLength: 3 });

const subWallet: fc.Arbitrary<SubWallet> = fc.record({
  walletIndex: count,
  publicSpendKey: key,
  privateSpendKey: fc.option(key, { nil: undefined }),
  address: fc.string({ unit: 'binary' }),
  isPrimary: fc.boolean(),
  syncStartTimestamp: count,
  syncStartHeight: count,
  unspent: outputs,
  locked: outputs,
  spent: outputs,
  unconfirmedIncoming: fc.array(fc.record({ amount, key, parentTransactionHash: key }), { maxLength: 2 }),
});

/** Sub-wallets with and without `retiredKeys`, which only this program writes. */
const withRetiredKeys = fc
  .tuple(subWallet, fc.uniqueArray(key, { minLength: 1, maxLength: 3 }), fc.boolean())
  .map(([made, retiredKeys, isOurs]) => (isOurs ? { ...made, retiredKeys } : made));

/** Any content of a wallet that can spend, without unknown fields. */
export const arbitraryContent: fc.Arbitrary<WalletContent> = fc.record({
  privateViewKey: key,
  isViewWallet: fc.constant(false),
  subWallets: fc.uniqueArray(withRetiredKeys, { maxLength: 3, selector: ({ publicSpendKey }) => publicSpendKey }),
  subWalletIndexCounter: count,
  transactions,
  unconfirmed: transactions,
  transactionKeys: fc.array(fc.record({ transactionHash: key, secretKey: key }), { maxLength: 3 }),
  progress: fc.record({ height: count, recentHashes: hashes, checkpointHashes: hashes }),
  startTimestamp: count,
  startHeight: count,
  unknownFields: fc.constant(new Map()),
});
