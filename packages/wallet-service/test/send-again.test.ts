import { type FinishedSend, type KeptSend, sealSend, walletError, type WalletOutput } from '@wrkz/wallet-core';
import { BLOCKS_TO_BE_FINAL, sendAgain } from '../src';

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

interface Scene {
  /** Hashes that stand in a block. */
  readonly mined?: readonly string[];
  readonly spent?: readonly WalletOutput[];
  readonly isAtTip?: boolean;
  /** Hashes that the node has in its pool. */
  readonly pool?: readonly string[];
  readonly resend?: (send: FinishedSend) => Promise<void>;
}

function wallet({ mined = [], spent = [], isAtTip = true, pool = [], resend = async () => undefined }: Scene) {
  const asked: string[] = [];
  const open = {
    wallet: {
      snapshot: {
        content: { privateViewKey: VIEW_KEY },
        transaction: (hash: string) => (mined.includes(hash) ? {} : undefined),
        subWallets: [{ spent }],
      },
      resend: (send: FinishedSend) => {
        asked.push(send.hash);
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
  return { asked, again: (...hashes: string[]) => sendAgain(open as never, hashes.map(kept)) };
}

const expired = async (): Promise<never> => {
  throw walletError.preparedTransactionExpired();
};

test('the very same transactions are brought out again, those in a block are not', async () => {
  const { asked, again } = wallet({ mined: ['b'] });
  expect(await again('a', 'b', 'c')).toEqual(['a', 'b', 'c'].map(finished));
  expect(asked).toEqual(['a', 'c']);
});

test('one whose input another has taken for good can never be there', async () => {
  const { again } = wallet({ spent: [output(INPUT, HEIGHT - BLOCKS_TO_BE_FINAL)], resend: expired });
  expect(await again('a')).toEqual([]);
});

test.each<[string, Scene]>([
  ['the input was taken a block too late', { spent: [output(INPUT, HEIGHT - BLOCKS_TO_BE_FINAL + 1)] }],
  ['the wallet is not at the tip', { spent: [output(INPUT, 1)], isAtTip: false }],
  ['the input was taken by itself', { spent: [output(INPUT, 1, 'a')] }],
  ['another output was taken', { spent: [output('bb'.repeat(32), 1)] }],
  ['nothing was taken', {}],
])('while nobody can tell, it is under way: %s', async (_, scene) => {
  const { again } = wallet({ ...scene, resend: expired });
  await expect(again('a')).rejects.toMatchObject({ code: 1003 });
});

test('one that the wallet does not list is there where the node has it', async () => {
  const { again } = wallet({ spent: [output(INPUT, 1)], pool: ['a'], resend: expired });
  expect(await again('a')).toEqual([finished('a')]);
});

test('one that a block takes in while the node is asked is there', async () => {
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

test('what a node says against it is passed on, and says nothing of the transaction', async () => {
  const { again } = wallet({
    spent: [output(INPUT, 1)],
    resend: async () => {
      throw walletError.daemonOffline();
    },
  });
  await expect(again('a')).rejects.toMatchObject({ code: 30 });
});
