import {
  scanFrom,
  Wallet,
  type WalletDependencies,
  walletFromKeys,
  walletFromSeed,
  walletFromViewKey,
  type WalletOptions,
} from '../../src';

export const importKeys = (
  dependencies: WalletDependencies,
  options: WalletOptions,
  keys: { readonly privateViewKey: string; readonly privateSpendKey: string; readonly scanHeight: number },
): Promise<Wallet> =>
  Wallet.create(dependencies, options, () =>
    walletFromKeys(keys.privateViewKey, keys.privateSpendKey, scanFrom(keys.scanHeight)),
  );

export const importSeed = (
  dependencies: WalletDependencies,
  options: WalletOptions,
  { words, scanHeight }: { readonly words: string; readonly scanHeight: number },
): Promise<Wallet> => Wallet.create(dependencies, options, () => walletFromSeed(words, scanFrom(scanHeight)));

export const importView = (
  dependencies: WalletDependencies,
  options: WalletOptions,
  keys: { readonly privateViewKey: string; readonly address: string; readonly scanHeight: number },
): Promise<Wallet> =>
  Wallet.create(dependencies, options, () =>
    walletFromViewKey(keys.privateViewKey, keys.address, scanFrom(keys.scanHeight)),
  );
