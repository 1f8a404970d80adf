import { scanFrom, Wallet, walletFromKeys, walletFromSeed, walletFromViewKey } from '../../src';

type Way = Parameters<typeof Wallet.create>;

interface Scan {
  readonly scanHeight: number;
}

export const importKeys = (
  parts: Way[0],
  settings: Way[1],
  { privateViewKey, privateSpendKey, scanHeight }: Scan & { privateViewKey: string; privateSpendKey: string },
): Promise<Wallet> =>
  Wallet.create(parts, settings, () => walletFromKeys(privateViewKey, privateSpendKey, scanFrom(scanHeight)));

export const importSeed = (
  parts: Way[0],
  settings: Way[1],
  { words, scanHeight }: Scan & { words: string },
): Promise<Wallet> => Wallet.create(parts, settings, () => walletFromSeed(words, scanFrom(scanHeight)));

export const importView = (
  parts: Way[0],
  settings: Way[1],
  { privateViewKey, address, scanHeight }: Scan & { privateViewKey: string; address: string },
): Promise<Wallet> =>
  Wallet.create(parts, settings, () => walletFromViewKey(privateViewKey, address, scanFrom(scanHeight)));
