import { type FinishedSend, type KeptSend, sealSend, walletError, type WalletOutput } from '@wrkz/wallet-core';
import { FINAL_CONFIRMATIONS, resubmitSends } from '../src';

const VIEW_KEY = '0b'.repeat(32);
const INPUT = 'aa'.repeat(32);
const HEIGHT = 1_000;

const output = (key: string, spendHeight: number, spendingTransactionHash?: string): WalletOutput => ({
  ...{ keyImage: undefined, amount: 1n, blockHeight: 1, transactionPublicKey: '', outputIndex: 0, globalIndex: 0 },
  ...{ key, spendHeight, unlockTime: 0n, parentTransactionHash: '', privateEphemeral: undefined },
  spendingTransactionHash,
});

function finished(hash: string): FinishedSend {
  return {
    ...{ hash, bytes: Buffer.of(1), fee: 1n, mixin: 1, defaultMixin: 1 },
    intent: {
      ...{ hash, fee: 1n, paymentId: '', transactionSecretKey: '', transfers: [], ownOutputs: [] },
      inputs: [{ output: output(INPUT, 0), publicSpendKey: 'k' }],
    },
  };
}

const kept = (hash: string): KeptSend => ({ hash, sealed: sealSend(finished(hash), VIEW_KEY) });

interface Scenario {
  /** Hashes of mined transactions. */
  readonly mined?: readonly string[];
  readonly spent?: readonly WalletOutput[];
  readonly isAtTip?: boolean;
  /** Hashes in the node's pool. */
  readonly pool?: readonly string[];
  readonly resend?: (send: FinishedSend) => Promise<void>;
}

function wallet({ mined = [], spent = [], isAtTip = true, pool = [], resend = async () => undefined }: Scenario) {
  const submitted: string[] = [];
  const open = {
    wallet: {
      snapshot: {
        content: { privateViewKey: VIEW_KEY },
        transaction: (hash: string) => (mined.includes(hash) ? {} : undefined),
        subWallets: [{ spent }],
      },
      resend: (send: FinishedSend) => {
        submitted.push(send.hash);
        return resend(send);
      },
    },
    syncStatus: () => ({ isAtTip, walletHeight: HEIGHT }),
    nodes: {
      transactionPlaces: async (hashes: string[]) => ({
        ...{ inBlock: [], inPool: pool },
        unknown: hashes.filter((hash) => !pool.includes(hash)),
      }),
    },
  };
  return { submitted, again: (...hashes: string[]) => resubmitSends(open as never, hashes.map(kept)) };
}

const expired = async (): Promise<never> => {
  throw walletError.preparedTransactionExpired();
};

test('submits the recorded transactions again, except mined ones', async () => {
  const { submitted, again } = wallet({ mined: ['b'] });
  expect(await again('a', 'b', 'c')).toEqual(['a', 'b', 'c'].map(finished));
  expect(submitted).toEqual(['a', 'c']);
});

test('drops a transaction whose input was spent elsewhere with final confirmations', async () => {
  const { again } = wallet({ spent: [output(INPUT, HEIGHT - FINAL_CONFIRMATIONS)], resend: expired });
  expect(await again('a')).toEqual([]);
});

test.each<[string, Scenario]>([
  ['the other spend is one confirmation short', { spent: [output(INPUT, HEIGHT - FINAL_CONFIRMATIONS + 1)] }],
  ['the wallet is not at the tip', { spent: [output(INPUT, 1)], isAtTip: false }],
  ['the input was spent by the transaction itself', { spent: [output(INPUT, 1, 'a')] }],
  ['another output was spent', { spent: [output('bb'.repeat(32), 1)] }],
  ['no output was spent', {}],
])('reports idempotencyKeyUnderWay while the outcome is unknown: %s', async (_, scenario) => {
  const { again } = wallet({ ...scenario, resend: expired });
  await expect(again('a')).rejects.toMatchObject({ code: 1003 });
});

test('accepts a transaction that only the pool of the node knows', async () => {
  const { again } = wallet({ spent: [output(INPUT, 1)], pool: ['a'], resend: expired });
  expect(await again('a')).toEqual([finished('a')]);
});

test('accepts a transaction that is mined during the resubmission', async () => {
  const mined: string[] = [];
  const { again } = wallet({
    mined,
    resend: async ({ hash }) => {
      mined.push(hash);
      return expired();
    },
  });
  expect(await again('a')).toEqual([finished('a')]);
});

test('passes on an error of the node', async () => {
  const { again } = wallet({
    spent: [output(INPUT, 1)],
    resend: async () => {
      throw walletError.daemonOffline();
    },
  });
  await expect(again('a')).rejects.toMatchObject({ code: 30 });
});
