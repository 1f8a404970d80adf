import { readJson } from './fixtures';
import { TestWallet } from './test-wallet';

interface ExpectedWallet {
  readonly keys?: {
    readonly privateViewKey: string;
    readonly addresses: readonly { readonly privateSpendKey: string }[];
  };
}

/** The wallets of chain A whose keys are recorded, the primary address of each, by name. */
export function chainAWallet(name: string): TestWallet {
  const { wallets } = readJson<{ wallets: Record<string, ExpectedWallet> }>('devnet/chain-a-expected.json');
  const keys = wallets[name]?.keys;
  const [first] = keys?.addresses ?? [];
  if (keys === undefined || first === undefined) throw new RangeError(`chain A has no keys of ${name}`);
  return new TestWallet({
    spendSecret: Buffer.from(first.privateSpendKey, 'hex'),
    viewSecret: Buffer.from(keys.privateViewKey, 'hex'),
  });
}
