import { type ChildProcess, fork } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import type { TestWallet } from '../../src';

interface Status {
  /** Scanned height, and height of the network. */
  readonly height: number;
  readonly networkHeight: number;
  readonly unlocked: number;
  readonly locked: number;
}

interface ListedTransaction {
  readonly hash: string;
  /** Height of its block, 0 while unconfirmed. */
  readonly height: number;
  /** Net amount; negative for a send, fee included. */
  readonly amount: number;
  readonly fee: number;
  readonly paymentId: string;
  readonly isCoinbase: boolean;
}

type Message = { readonly event: string } | { readonly id: number; readonly result?: unknown; readonly error?: string };

/** The wallet of npm `turtlecoin-wallet-backend` in a separate process, which synchronizes with our node. */
export class ForeignWallet {
  private readonly events = new EventEmitter();
  private calls = 0;

  private constructor(private readonly child: ChildProcess) {
    child.on('message', (message: Message) => {
      if ('event' in message) this.events.emit('change');
      else this.events.emit(String(message.id), message);
    });
  }

  /** @param wallet with the keys to use; default new keys */
  static async open(port: number, wallet?: TestWallet): Promise<ForeignWallet> {
    const keys = wallet === undefined ? [] : [wallet.viewSecret.toString('hex'), wallet.spendSecret.toString('hex')];
    const child = fork(join(__dirname, 'wallet-backend.cjs'), [String(port), ...keys], { execArgv: [] });
    await once(child, 'message');
    return new ForeignWallet(child);
  }

  start(): Promise<void> {
    return this.call('start');
  }

  address(): Promise<string> {
    return this.call('address');
  }

  status(): Promise<Status> {
    return this.call('status');
  }

  transactions(): Promise<readonly ListedTransaction[]> {
    return this.call('transactions');
  }

  send(address: string, amount: number, paymentId?: string): Promise<{ hash: string; fee: number; error?: string }> {
    return this.call('send', address, amount, ...(paymentId === undefined ? [] : [paymentId]));
  }

  /** Waits until a condition holds; checked after each event of the wallet. */
  async until(holds: () => Promise<boolean>): Promise<void> {
    for (;;) {
      const next = once(this.events, 'change');
      if (await holds()) return;
      await next;
    }
  }

  /** Waits until the wallet has scanned every block up to this height. */
  untilHeight(height: number): Promise<void> {
    return this.until(async () => (await this.status()).height >= height);
  }

  async close(): Promise<void> {
    const exited = once(this.child, 'exit');
    this.child.disconnect();
    await exited;
  }

  private async call<T>(call: string, ...args: unknown[]): Promise<T> {
    const id = ++this.calls;
    const answered = once(this.events, String(id)) as Promise<[{ readonly result?: T; readonly error?: string }]>;
    this.child.send({ id, call, args });
    const [{ result, error }] = await answered;
    if (error !== undefined) throw new Error(error);
    return result as T;
  }
}
