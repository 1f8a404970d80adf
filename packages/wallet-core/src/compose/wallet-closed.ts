/** The wallet was closed before what was asked of it could be done. */
export class WalletClosed extends Error {
  override readonly name = 'WalletClosed';

  constructor() {
    super('the wallet is closed');
  }
}
