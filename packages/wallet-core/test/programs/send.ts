/**
 * `send.ts <file> <password> <port> <address>`: opens a wallet at a local devnet node, prints `open`, and sends small amounts
 * to the address until it is killed, with a save after some of them. It prints the hash of each successful send, and the error
 * code of each refusal.
 */
import { once } from 'node:events';
import { Wallet } from '../../src/wallet/wallet';
import { WalletError } from '../../src/errors';
import { served, untilAtTip } from '../support/served';

const print = (line: string): void => void process.stdout.write(`${line}\n`);

async function sendForEver(file: string, password: string, port: number, address: string): Promise<never> {
  const open = await served((parts, settings) => Wallet.open(parts, settings), { file, password, port });
  print('open');
  await untilAtTip(open);
  const wallet = open;
  for (let amount = 1_000n; ; amount++) {
    try {
      const { hash } = await wallet.send({ destinations: [{ address, amount }] });
      print(`sent ${hash}`);
    } catch (error) {
      if (!(error instanceof WalletError)) throw error;
      print(`refused ${error.code}`);
      // No output is unlocked before the next block.
      if (error.code === 11) await once(wallet, 'changed');
    }
    if (Math.random() < 0.2) await wallet.save();
  }
}

const [file = '', password = '', port = '', address = ''] = process.argv.slice(2);
void sendForEver(file, password, Number(port), address);
