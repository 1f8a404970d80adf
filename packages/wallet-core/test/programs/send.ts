/**
 * `send.ts <file> <password> <port> <address>`: opens a wallet at a devnet node of this machine, says so, and sends small
 * amounts to the address for ever, with a save in between now and then. Each hash is printed once the send was answered
 * with success, each refusal with its number. Whoever starts it kills it.
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
      // Nothing can be spent before the next block.
      if (error.code === 11) await once(wallet, 'changed');
    }
    if (Math.random() < 0.2) await wallet.save();
  }
}

const [file = '', password = '', port = '', address = ''] = process.argv.slice(2);
void sendForEver(file, password, Number(port), address);
