import { fixturePath, readJson } from '@wrkz/testing/fixtures';

interface RecordedFile {
  readonly file: string;
  readonly password: string;
}

interface Expected {
  readonly wallets: Record<string, { readonly walletFile?: RecordedFile; readonly restoredWalletFile?: RecordedFile }>;
}

/** The containers of chain A that the C++ wallets wrote. */
export function recordedWallets(): { name: string; path: string; password: string }[] {
  const { wallets } = readJson<Expected>('devnet/chain-a-expected.json');
  return Object.values(wallets)
    .flatMap(({ walletFile, restoredWalletFile }) => [walletFile, restoredWalletFile])
    .filter((recorded) => recorded !== undefined)
    .map(({ file, password }) => ({
      name: file.replace('wallets/', ''),
      path: fixturePath(`devnet/${file}`),
      password,
    }));
}
