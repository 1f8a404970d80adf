import { runInSlices } from '@wrkz/service-kit/base';
import { isUnlocked } from '@wrkz/consensus';
import { parseTransaction } from '@wrkz/core-types';
import { CHAIN_A_HEIGHT, chainA, fixturePath } from '@wrkz/testing';
import type { WalletContent, WalletOutput } from '../../../src';
import { decodeContent } from '../../../src/container/content';
import { readContainer } from '../../../src/container/encrypted-file';
import { RECORDED_AT } from '../../ledger/support/chain-a-wallets';

export interface RecordedFile {
  readonly file: string;
  readonly password: string;
}

/** The decrypted text of a recorded file. */
export async function textOf({ file, password }: RecordedFile): Promise<string> {
  return (await readContainer(fixturePath(`devnet/${file}`), password)).toString();
}

/** The content of a recorded file. */
export async function contentOf(recorded: RecordedFile): Promise<WalletContent> {
  return runInSlices(decodeContent(Buffer.from(await textOf(recorded))));
}

export interface Amounts {
  readonly balance: { readonly unlocked: bigint; readonly locked: bigint };
  /** Net amount of each transaction for each spend key: `hash key amount`, sorted. */
  readonly transfers: readonly string[];
}

let spenders: ReadonlyMap<string, string> | undefined;

/** Hash of the transaction of chain A that spends a key image. */
function spenderOf(keyImage: string | undefined): string | undefined {
  spenders ??= new Map(
    chainA().flatMap(({ transactions }) =>
      transactions.flatMap((bytes) => {
        const { transaction, hash } = parseTransaction(bytes);
        return transaction.inputs.flatMap((input) =>
          input.type === 'key' ? [[input.keyImage.toString('hex'), hash.toString('hex')] as const] : [],
        );
      }),
    ),
  );
  return spenders.get(keyImage ?? '');
}

/**
 * Balance and transfers of a wallet with these keys after a scan from a height on, computed from the outputs in the file of
 * the reference and the key images of the chain.
 * @param isIncomingOnly without spends, as in a view wallet
 */
export function amountsFrom(height: number, content: WalletContent, isIncomingOnly = false): Amounts {
  const transfers = new Map<string, bigint>();
  const balance = { unlocked: 0n, locked: 0n };
  const add = (hash: string, key: string, amount: bigint): void => {
    const name = `${hash} ${key}`;
    transfers.set(name, (transfers.get(name) ?? 0n) + amount);
  };
  for (const { publicSpendKey, unspent, spent } of content.subWallets) {
    for (const output of [...unspent, ...spent]) {
      if (output.blockHeight < height) continue;
      add(output.parentTransactionHash, publicSpendKey, output.amount);
      const spender = isIncomingOnly ? undefined : spenderOf(output.keyImage);
      if (spender === undefined) balance[lockOf(output)] += output.amount;
      else add(spender, publicSpendKey, -output.amount);
    }
  }
  return { balance, transfers: [...transfers].map(([name, amount]) => `${name} ${String(amount)}`).sort() };
}

function lockOf({ unlockTime }: WalletOutput): 'unlocked' | 'locked' {
  return isUnlocked(unlockTime, { height: CHAIN_A_HEIGHT, timestamp: RECORDED_AT }) ? 'unlocked' : 'locked';
}

/** Balance and transfers of a wallet. */
export function amountsOf(content: WalletContent, balance: Amounts['balance']): Amounts {
  const transfers = content.transactions.flatMap(({ hash, transfers: list }) =>
    list.map(({ publicSpendKey, amount }) => `${hash} ${publicSpendKey} ${String(amount)}`),
  );
  return { balance: { unlocked: balance.unlocked, locked: balance.locked }, transfers: transfers.sort() };
}
