import { WalletError } from '../../src/errors';

/** The number of the wallet error that a promise, or a call, ends with. */
export async function codeOf(work: Promise<unknown> | (() => unknown)): Promise<number> {
  try {
    await (typeof work === 'function' ? work() : work);
  } catch (error) {
    if (error instanceof WalletError) return error.code;
    throw error;
  }
  throw new Error('nothing was refused');
}
