import { generateKeyPair } from '@wrkz/crypto';
import { WalletError, walletErrorRows } from '@wrkz/wallet-core';
import type { WalletRpcContext } from '../context';
import { applicationRefusal } from '../refusals';
import { hex64 } from './texts';

type Parts = Pick<WalletRpcContext, 'wallet' | 'pool'>;

/** An address of a new key. @throws JsonRpcError 22 in a container that tracks */
export async function addNewKey({ wallet }: Parts): Promise<string> {
  // Without a first address there is nothing that the next one could follow from.
  if (wallet.snapshot.primary === undefined) {
    const privateSpendKeys = [generateKeyPair().secretKey.toString('hex')];
    const [first] = await wallet.importKeyList({ kind: 'secret', privateSpendKeys }, undefined);
    return first?.address ?? '';
  }
  return (await fitting(wallet.createSubWallet())).address;
}

/** @param from undefined: from now on @throws JsonRpcError 5, 1, 18, 22, 20; the container is as before then */
export async function addSecretKeys(
  { wallet, pool }: Parts,
  texts: readonly string[],
  from: number | undefined,
): Promise<string[]> {
  const seen = new Set<string>();
  const privateSpendKeys = texts.map((text) => {
    if (seen.has(text)) throw applicationRefusal('duplicateKey');
    seen.add(text);
    const key = hex64(text);
    if (key === undefined) throw applicationRefusal('wrongKey');
    return key;
  });
  if (privateSpendKeys.length === 0) return [];
  const made = await fitting(wallet.importKeyList({ kind: 'secret', privateSpendKeys }, from));
  pool.forget();
  return made.map(({ address }) => address);
}

/** @throws JsonRpcError 1, 22, 20 */
export async function addPublicKey({ wallet, pool }: Parts, text: string, from: number | undefined): Promise<string> {
  const key = hex64(text);
  if (key === undefined) throw applicationRefusal('wrongKey');
  const [made] = await fitting(wallet.importKeyList({ kind: 'public', publicSpendKeys: [key] }, from));
  pool.forget();
  return made?.address ?? '';
}

/** A kind of key that the container does not take is a wrong parameter here. */
async function fitting<T>(result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    const { code } = walletErrorRows.illegalViewWalletOperation;
    throw error instanceof WalletError && error.code === code ? applicationRefusal('wrongParameters') : error;
  }
}
