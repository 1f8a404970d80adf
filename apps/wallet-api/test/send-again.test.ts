import { type FinishedSend, sealSend, walletError, type WalletOutput } from '@wrkz/wallet-core';
import type { Open } from '../src/open-wallet';
import { BLOCKS_TO_BE_FINAL, sendAgain } from '../src/send-again';

/* What is made of the traces of a send that the wallet does not list. */

const KEY = '0b'.repeat(32);
const HASH = 'ab'.repeat(32);
const output: WalletOutput = {
  ...{ amount: 5n, blockHeight: 1, transactionPublicKey: KEY, outputIndex: 0, globalIndex: 0, key: KEY },
  ...{ spendHeight: 0, unlockTime: 0n, parentTransactionHash: KEY },
  ...{ keyImage: KEY, privateEphemeral: undefined, spendingTransactionHash: undefined },
};
const send: FinishedSend = {
  ...{ bytes: Buffer.alloc(1), hash: HASH, fee: 1n, mixin: 1, defaultMixin: 1 },
  intent: {
    ...{ hash: HASH, ownOutputs: [], fee: 1n, paymentId: '', transactionSecretKey: KEY, transfers: [] },
    inputs: [{ output, publicSpendKey: KEY }],
  },
};

function openWith(spentBy: string | undefined, spendHeight: number, isAtTip: boolean): Open {
  const spent = [{ ...output, spendHeight, spendingTransactionHash: spentBy }];
  const snapshot = { content: { privateViewKey: KEY }, transaction: () => undefined, subWallets: [{ spent }] };
  const wallet = { snapshot, resend: () => Promise.reject(walletError.preparedTransactionExpired()) };
  const places = { inBlock: [], inPool: [], unknown: [HASH] };
  const nodes = { transactionPlaces: () => Promise.resolve(places) };
  return { wallet, nodes, syncStatus: () => ({ isAtTip, walletHeight: 100 }) } as unknown as Open;
}

const DEEP = 100 - BLOCKS_TO_BE_FINAL;

test.each([
  ['by another one, long ago', 'cd'.repeat(32), DEEP, true, []],
  ['by somebody, long ago', undefined, DEEP, true, []],
  ['by another one, lately', 'cd'.repeat(32), DEEP + 1, true, undefined],
  ['by another one, in a chain that is not read to its end', 'cd'.repeat(32), DEEP, false, undefined],
  ['by itself', HASH, DEEP, true, undefined],
])('a send whose input was spent %s', async (_, spentBy, height, isAtTip, found) => {
  const result = sendAgain(openWith(spentBy, height, isAtTip), [{ hash: HASH, sealed: sealSend(send, KEY) }]);
  if (found !== undefined) await expect(result).resolves.toEqual(found);
  else await expect(result).rejects.toMatchObject({ code: 1003 });
});
