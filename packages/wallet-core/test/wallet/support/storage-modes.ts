import { NodeRefusal, readJson, type SuiteNode } from '@wrkz/testing';
import { fresh } from '../../support/folder';
import { WholeWallet } from './whole-wallet';
import { importKeys } from '../../support/imports';

interface Recorded {
  readonly wallets: Record<
    string,
    { keys?: { privateViewKey: string; addresses: readonly { privateSpendKey: string }[] } }
  >;
}
const { wallets } = readJson<Recorded>('devnet/chain-a-expected.json');
/** A wallet with the keys and all addresses of a wallet of chain A, which scans from a height on. */
export async function readByKeys({ daemon }: SuiteNode, name: string, scanHeight: number): Promise<WholeWallet> {
  const { privateViewKey = '', addresses = [] } = wallets[name]?.keys ?? {};
  const [privateSpendKey = '', ...others] = addresses.map((one) => one.privateSpendKey);
  const whole = await WholeWallet.begin(
    (parts, settings) => importKeys(parts, settings, { privateViewKey, privateSpendKey, scanHeight }),
    { ports: [daemon.ports.rpc], file: fresh(`${name}.wallet`) },
  );
  for (const key of others) await whole.wallet.importSubWallet(key, scanHeight);
  return whole;
}

/** Waits until the node refuses the last block below this floor, so that the pruning pass has ended. */
export async function untilPruned(node: SuiteNode, floor: number): Promise<void> {
  for (;;) {
    const header = node.rpc('getblockheaderbyheight', { height: floor - 1 });
    const refused = await header.catch((error: unknown) => error);
    if (refused instanceof NodeRefusal) return expect(refused.message).toContain('pruned node');
  }
}
