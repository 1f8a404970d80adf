/** `hold.ts <file> <password>`: opens a container, prints `open` or the error code, and closes it when standard input ends. */
import { WalletFile } from '../../src/container/wallet-file';
import { WalletError } from '../../src/errors';

const [file = '', password = ''] = process.argv.slice(2);
WalletFile.open(file, password).then(
  ({ walletFile }) => {
    console.log('open');
    process.stdin.resume().once('end', () => void walletFile.close());
  },
  (error: unknown) => {
    console.log(error instanceof WalletError ? error.code : String(error));
    process.exitCode = 1;
  },
);
