/** `fill.ts <file> <password>`: saves a version above the file size limit and a small one, and prints the error codes. */
import { WalletFile } from '../../src/container/wallet-file';
import { WalletError } from '../../src/errors';
import { grown } from '../support/contents';

async function fill(file: string, password: string): Promise<void> {
  const { walletFile, content } = await WalletFile.open(file, password);
  const codeOfSave = async (keys: number): Promise<number> => {
    try {
      await walletFile.save(grown(content, keys));
      return 0;
    } catch (error) {
      if (error instanceof WalletError) return error.code;
      throw error;
    }
  };
  console.log(await codeOfSave(20_000));
  console.log(await codeOfSave(3));
  await walletFile.close();
}

const [file = '', password = ''] = process.argv.slice(2);
void fill(file, password);
