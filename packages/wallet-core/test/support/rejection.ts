import { type WalletErrorName } from '../../src/error-table';
import { WalletError, walletErrorRows } from '../../src/errors';

const names = Object.keys(walletErrorRows) as WalletErrorName[];

/** The name of the wallet error that a promise or a call fails with. @throws any other error */
export async function errorNameOf(work: Promise<unknown> | (() => unknown)): Promise<WalletErrorName> {
  try {
    await (typeof work === 'function' ? work() : work);
  } catch (error) {
    const name =
      error instanceof WalletError ? names.find((each) => walletErrorRows[each].code === error.code) : undefined;
    if (name === undefined) throw error;
    return name;
  }
  throw new Error('no error was thrown');
}
