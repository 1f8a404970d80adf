import { setTimeout as wait } from 'node:timers/promises';
import { CHAIN_A_HEIGHT, type SuiteNode } from '@wrkz/testing';
import { type Payment, PaymentBook } from './payment-book';
import { endServicePrograms, ServiceProgram } from './service-program';
import { addressOf, World } from './world';

/** Milliseconds from the synced wallet to the latest kill. */
const LATEST_KILL = 2_500;
/** One of this many kills happens during the opening. */
const EARLY_KILL = 8;
/** Max delayed transactions at a time, so that sends have a balance. */
const MAX_WAITING = 4;
/** Too low an unlocked balance, and a request with an unknown outcome: the next blocks end both. */
const FOR_NOW = new Set([6n, 9n, 1003n]);
const PAYEE = 'bob';
const BLOCKS_PER_REQUEST = 20;

/**
 * A service that is killed while clients send, delay, delete and save. The responses are checked at each start, and the received
 * payments are counted at the end.
 */
export class KillCampaign {
  readonly book = new PaymentBook();
  readonly complaints: string[] = [];
  /** Kills during a request. */
  inWork = 0;
  private readonly world = new World('wallet-rpc-kill');
  private node!: SuiteNode;
  private file = '';
  private port = 0;
  private program!: ServiceProgram;
  private underWay = 0;

  async start(): Promise<void> {
    this.node = await this.world.node();
    this.file = await this.world.read('dave', this.node.daemon.ports.rpc);
    this.port = await this.world.freePort();
  }

  async end(): Promise<void> {
    await endServicePrograms();
    await this.world.stopAll();
  }

  /** One run of the service, killed at a random time. */
  async round(): Promise<void> {
    await this.run(async () => {
      if (Math.random() * EARLY_KILL < 1) {
        await wait(Math.random() * LATEST_KILL);
        return;
      }
      await this.program.synced(this.node.height);
      await this.checkWaiting();
      const ending = new AbortController();
      const clients = [this.sends(ending.signal), this.delays(ending.signal), this.saves(ending.signal)];
      await wait(Math.random() * LATEST_KILL);
      if (this.underWay > 0) this.inWork++;
      ending.abort();
      await this.program.kill();
      await Promise.all(clients);
    });
  }

  /**
   * A last run without a kill: every request is repeated until it gets a response.
   * @param isPatient whether to wait some minutes until the wallet gives up sends that were never submitted
   */
  async settle(isPatient: boolean): Promise<void> {
    await this.run(async () => {
      await this.program.synced(this.node.height);
      await this.checkWaiting();
      for (const payment of this.book.payments) {
        if (payment.kind === 'sent')
          await this.until(
            () => payment.hash !== undefined,
            () => this.send(payment),
          );
        else if (payment.then === 'send' && !payment.isDone) await this.sendWaiting(payment);
      }
      while (this.node.pool().length > 0) await this.mine();
      await this.program.synced(this.node.height);
      if (isPatient) await this.untilClear();
    });
  }

  /**
   * Waits until each interrupted transaction is in a block, or waits again and is sent. The wallet gives up a send after two
   * queries of the node, a minute apart.
   */
  private async untilClear(): Promise<void> {
    const isOpen = ({ then, isDone }: Payment): boolean => then === 'send' && !isDone;
    for (;;) {
      const open = this.book.payments.filter(isOpen);
      if (open.length === 0) return;
      for (const payment of open) {
        await this.sendWaiting(payment);
        if (payment.isDone || (await this.isGivenUp(payment))) continue;
        const { transaction } = await this.program.result<{ transaction: { blockIndex: bigint } }>('getTransaction', {
          transactionHash: payment.hash,
        });
        payment.isDone = transaction.blockIndex <= BigInt(this.node.height);
      }
      while (this.node.pool().length > 0) await this.mine();
      await this.program.synced(this.node.height);
      await wait(1_000);
    }
  }

  /** Deletes a delayed transaction that no node accepts any more, because its unlock time has passed. */
  private async isGivenUp(payment: Payment): Promise<boolean> {
    const params = { transactionHash: payment.hash };
    const { error } = await this.program.call('sendDelayedTransaction', params);
    if (error?.message !== 'Internal node error') return false;
    payment.isDone = (await this.request('deleteDelayedTransaction', params)) !== undefined;
    if (payment.isDone) payment.then = 'delete';
    return payment.isDone;
  }

  /** How often the wallet of the payee received each amount. */
  async arrived(): Promise<ReadonlyMap<bigint, number>> {
    const service = await this.world.synced(PAYEE, this.node.daemon.ports.rpc);
    await service.synced(this.node.height);
    const counts = new Map<bigint, number>();
    // In parts: the client limits the values of a response.
    for (let first = CHAIN_A_HEIGHT + 1; first <= this.node.height; first += BLOCKS_PER_REQUEST) {
      const params = { firstBlockIndex: first, blockCount: BLOCKS_PER_REQUEST };
      const { items } = await service.result<{ items: { transactions: { amount: bigint }[] }[] }>(
        'getTransactions',
        params,
      );
      for (const { amount } of items.flatMap(({ transactions }) => transactions)) {
        counts.set(amount, (counts.get(amount) ?? 0) + 1);
      }
    }
    return counts;
  }

  mine(): Promise<unknown> {
    return this.node.generate(addressOf('frank'));
  }

  private async run(work: () => Promise<void>): Promise<void> {
    this.program = ServiceProgram.start(this.file, this.port, this.node.daemon.ports.rpc);
    try {
      await work();
    } finally {
      await this.program.kill();
    }
  }

  private async until(holds: () => boolean, step: () => Promise<void>): Promise<void> {
    while (!holds()) {
      await step();
      if (!holds()) {
        await this.mine();
        await this.program.synced(this.node.height);
      }
    }
  }

  /** Checks that every waiting delayed transaction is listed. */
  private async checkWaiting(): Promise<void> {
    const { transactionHashes } = await this.program.result<{ transactionHashes: string[] }>(
      'getDelayedTransactionHashes',
    );
    const there = new Set(transactionHashes);
    for (const { hash = '' } of this.book.waiting) if (!there.has(hash)) this.complaints.push(`${hash} is lost`);
    for (const { hash = '', isDone } of this.book.payments) {
      if (isDone && there.has(hash)) this.complaints.push(`${hash} waits again`);
      if (hash === '') continue;
      const { error } = await this.program.call('getTransaction', { transactionHash: hash });
      if (error !== undefined) this.complaints.push(`${hash} is not known: ${error.message}`);
    }
    if (this.complaints.length > 0) this.complaints.push(...this.program.log);
  }

  private sends(signal: AbortSignal): Promise<void> {
    return this.client(signal, async () => {
      const payment = this.book.take('sent', ({ hash }) => hash === undefined);
      await this.send(payment).finally(() => this.book.release(payment));
    });
  }

  private async send(payment: Payment): Promise<void> {
    const hash = await this.request('sendTransaction', { ...transferOf(payment), idempotencyKey: payment.key });
    if (hash !== undefined) this.answered(payment, hash['transactionHash']);
  }

  private delays(signal: AbortSignal): Promise<void> {
    return this.client(signal, async () => {
      const { waiting } = this.book;
      if (waiting.length < MAX_WAITING) {
        const payment = this.book.take('delayed', ({ hash }) => hash === undefined);
        const made = { ...transferOf(payment), idempotencyKey: payment.key };
        const result = await this.request('createDelayedTransaction', made).finally(() => this.book.release(payment));
        if (result !== undefined) this.answered(payment, result['transactionHash']);
        return;
      }
      const payment = waiting[Math.floor(Math.random() * waiting.length)]!;
      if (Math.random() < 0.7) await this.sendWaiting(payment);
      else {
        payment.then = 'delete';
        const result = await this.request('deleteDelayedTransaction', { transactionHash: payment.hash });
        payment.isDone = result !== undefined;
      }
    });
  }

  /** A repetition after a kill: refused without a key; with a key it returns the first response. */
  private async sendWaiting(payment: Payment): Promise<void> {
    payment.then = 'send';
    const { key, amount, hash: transactionHash } = payment;
    const params = amount % 2n === 0n ? { transactionHash, idempotencyKey: `${key}-send` } : { transactionHash };
    const result = await this.request('sendDelayedTransaction', params, new Set([5n, 15n]));
    if (result !== undefined) payment.isDone = true;
  }

  private saves(signal: AbortSignal): Promise<void> {
    return this.client(signal, async () => {
      await wait(Math.random() * 200);
      await this.request('save', {});
    });
  }

  /** Runs until the service is killed. */
  private async client(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    try {
      while (!signal.aborted) await work();
    } catch (error) {
      // The connection may break only when the service is killed.
      if (!signal.aborted) this.complaints.push(String(error));
    }
  }

  /** Undefined for a temporary refusal. */
  private async request(method: string, params: object, fine = FOR_NOW): Promise<Record<string, unknown> | undefined> {
    this.underWay++;
    try {
      const { result, error } = await this.program.call(method, params);
      const code = error?.data?.application_code;
      if (error !== undefined && !(code !== undefined && (fine.has(code) || FOR_NOW.has(code)))) {
        this.complaints.push(`${method}: ${error.message}, ${String(code)}`);
      }
      // No balance before the next block.
      if (code === 9n) await this.mine();
      return result;
    } finally {
      this.underWay--;
    }
  }

  private answered(payment: Payment, hash: unknown): void {
    if (typeof hash !== 'string' || this.book.payments.some((other) => other.hash === hash)) {
      this.complaints.push(`${String(hash)} was returned for two payments`);
      return;
    }
    payment.hash = hash;
  }
}

const transferOf = ({ amount }: Payment): object => ({
  transfers: [{ address: addressOf(PAYEE), amount }],
  anonymity: 1,
});
