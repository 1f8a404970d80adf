import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Daemon, readConfig } from '@wrkz/daemon';
import { silentLogger } from '@wrkz/service-kit';
import { canMount, ChainSum, pollUntil, TestWallet, SeededRandom, SmallDisk, Suite, type NodeProcess } from '../../src';
import { type Fault, FAULTS, FaultyNode } from './faulty-node';
import { Copier } from './copier';
import { RivalNodes } from './nodes';
import { describe, type Payment, Payments } from './payments';
import { ApiServiceProcess, RpcServiceProcess, type WalletServiceProcess } from './services';

export interface CampaignOptions {
  readonly seed: number;
  readonly operations: number;
  /** Receives a line about each operation. */
  readonly report: (line: string) => void;
}

const CHECK_EVERY = 40;
/** Atomic units. */
const MAX_AMOUNT = 300_000;
const MAX_SWEEP = 3_000_000;
const FUNDING_BLOCKS = 120;
/** Blocks until the coinbases of the funding blocks are unlocked. */
const UNLOCK_BLOCKS = 45;
const MAX_ADDRESSES = 6;
const DISK_BYTES = 64 * 1024 * 1024;
/** Milliseconds from a request to the latest kill. */
const LATEST_KILL_MS = 1_000;
/** Blocks after which the wallets have settled or given up every send. */
const SETTLING_BLOCKS = 65;
/** Errors 57 and 58: the wallet has deleted the prepared transaction. */
const EXPIRED = /"errorCode":5[78]\b/;

/** Random operations over both wallet services, their node and its faults, compared with a sum over raw blocks. */
export class MoneyCampaign {
  readonly counts: Record<string, number> = {};
  private readonly random: SeededRandom;
  private readonly suite = new Suite((args) => Daemon.create(readConfig(args), { logger: silentLogger() }));
  private readonly payments = new Payments();
  private readonly outsider: TestWallet;
  private readonly wallets: TestWallet[];
  private readonly sum: ChainSum;
  private readonly disks: SmallDisk[] = [];
  private nodes!: RivalNodes;
  private front!: FaultyNode;
  private copier!: Copier;
  private api!: ApiServiceProcess;
  private rpc!: RpcServiceProcess;
  /** Current periods of a faulty node or a full disk: remaining operations, and a function that ends the period. */
  private readonly periods = new Map<'fault' | 'disk', { left: number; end: () => Promise<void> | void }>();

  /** An operation is drawn with a probability proportional to its weight. */
  private readonly operations: readonly (readonly [weight: number, name: string, run: () => Promise<unknown>])[] = [
    [24, 'mine', () => this.mine(1 + this.random.below(4))],
    [22, 'pay', () => this.attempt(this.newPayment(this.anyService()))],
    [8, 'pay in parallel', () => this.payInParallel()],
    [10, 'retry', () => this.retry('open')],
    [3, 'repeat', () => this.retry('accepted')],
    [7, 'prepare or delay', () => this.attempt(this.newPayment(this.anyService(), true))],
    [6, 'send or delete', () => this.finishWaiting()],
    [3, 'create address', () => this.createAddress()],
    [2, 'save', () => this.anyService().save()],
    [4, 'kill wallet', () => this.killService()],
    [1, 'restart wallet', () => this.restartService()],
    [2, 'kill node', () => this.nodes.restart(() => this.payInParallel())],
    [3, 'reorganise', () => this.reorganise()],
    [4, 'faulty node', () => this.beginFault()],
    [2, 'full disk', () => this.fillDisk()],
    [14, 'copy', () => this.copy(this.random.of([this.nodes.node, this.nodes.node, this.nodes.rival]))],
  ];

  constructor(private readonly options: CampaignOptions) {
    this.random = new SeededRandom(options.seed);
    this.outsider = new TestWallet(`campaign outsider ${String(options.seed)}`);
    this.wallets = [this.outsider];
    this.sum = new ChainSum(this.wallets);
  }

  async begin(): Promise<void> {
    this.nodes = await RivalNodes.start(this.suite);
    this.front = this.suite.closeAtEnd(await FaultyNode.start(this.nodes.node));
    this.api = await ApiServiceProcess.create(await this.place());
    this.rpc = await RpcServiceProcess.create(await this.place());
    const nodePort = Number(new URL(this.nodes.node.url).port);
    this.copier = await Copier.start(this.outsider, this.suite.folder(), nodePort, this.random);
    this.wallets.push(this.api.primary, this.rpc.primary);
    const { node } = this.nodes;
    for (let i = 0; i < FUNDING_BLOCKS; i++) await node.generate(this.services[i % 2]!.primary.address);
    await node.generate(this.outsider.address, UNLOCK_BLOCKS);
    await node.generate(this.services[0]!.primary.address, 60);
    await this.check();
  }

  async run(): Promise<void> {
    for (let i = 1; i <= this.options.operations; i++) {
      await this.operation(i);
      if (i % CHECK_EVERY === 0) await this.check();
    }
    await this.finish();
  }

  async end(): Promise<void> {
    await Promise.allSettled([...this.services, this.copier, this.nodes].map((one) => one.stop()));
    await this.suite.stopAll();
    for (const disk of this.disks) await disk.unmount();
  }

  /** The newest log lines of the services, for the report of a failure. */
  logs(): string {
    return this.services.map(({ name, log }) => `--- ${name}\n${log.slice(-40).join('\n')}`).join('\n');
  }

  private get services(): WalletServiceProcess[] {
    return [this.api, this.rpc].filter((service) => service !== undefined);
  }

  private async place() {
    const nodePort = this.front.port;
    if (!canMount()) return { folder: this.suite.folder(), nodePort };
    const disk = await SmallDisk.mount(DISK_BYTES);
    this.disks.push(disk);
    return { folder: disk.path, nodePort, disk };
  }

  private anyService(): WalletServiceProcess {
    return this.random.of(this.services);
  }

  private anyAddress(): string {
    return this.random.of([...this.anyService().wallets.keys()]);
  }

  private count(name: string): void {
    this.counts[name] = (this.counts[name] ?? 0) + 1;
  }

  private async operation(number: number): Promise<void> {
    let drawn = this.random.below(this.operations.reduce((sum, [weight]) => sum + weight, 0));
    const [, name, run] = this.operations.find(([weight]) => (drawn -= weight) < 0)!;
    const started = performance.now();
    this.options.report(`${String(number)} ${name}`);
    await run();
    this.count(name);
    this.options.report(`${String(number)} ${name} done in ${String(Math.round(performance.now() - started))} ms`);
    for (const [kind, period] of this.periods) if (--period.left <= 0) await this.endPeriod(kind);
  }

  private async mine(count: number): Promise<void> {
    for (let i = 0; i < count; i++)
      await this.nodes.node.generate(this.random.oneIn(5) ? this.outsider.address : this.anyAddress());
  }

  /** @param isHeld whether the payment is prepared or delayed first, and sent later */
  private newPayment(service: WalletServiceProcess, isHeld = false): Payment {
    const { random } = this;
    const id = createHash('sha256')
      .update(`${String(this.options.seed)} ${String(this.payments.all.length)}`)
      .digest('hex');
    const isSweep = random.oneIn(12) && service === this.api && !isHeld;
    const others = this.services.filter((one) => one !== service).flatMap(({ wallets }) => [...wallets.values()]);
    const payee = random.of([this.outsider, ...others]);
    const amount = Number(random.amount(isSweep ? MAX_SWEEP : MAX_AMOUNT));
    const source = random.oneIn(3) ? random.of([...service.wallets.keys()]) : undefined;
    const hasKey = !random.oneIn(4) || isHeld;
    const kind = isHeld ? (service === this.api ? 'prepared' : 'delayed') : isSweep ? 'sweep' : 'send';
    const request = service.paymentRequest(kind, { address: payee.address, amount, paymentId: id }, source);
    const key = hasKey ? id : undefined;
    const payment: Payment = { id, service, payee, amount, kind, request, key, state: 'open', hashes: new Set() };
    this.payments.all.push(payment);
    return payment;
  }

  /** Sends the request of a payment once. */
  private async attempt(payment: Payment, isRepetition = false): Promise<void> {
    const { service, request, key, kind } = payment;
    const isHolding = /prepare\/|createDelayed/.test(request.name);
    const outcome = await service.perform(request, isHolding && kind === 'prepared' ? undefined : key);
    const text = 'text' in outcome ? outcome.text.slice(0, 150) : '';
    this.options.report(`  ${describe(payment)} ${request.name}: ${outcome.kind} ${text}`);
    this.count(`outcome ${outcome.kind}`);
    if (!isHolding) {
      this.payments.record(payment, withHashes(payment, outcome));
      // Without a key a client repeats a refused payment at once: the wallet must spend an input of the refused transaction.
      const isRefusedByNode = outcome.kind === 'refused' && outcome.isByNode;
      if (isRefusedByNode && key === undefined && !isRepetition) await this.attempt(payment, true);
      const isExpired = outcome.kind === 'refused' && EXPIRED.test(outcome.text);
      if ((key === undefined || isExpired) && payment.state === 'open') payment.state = 'closed';
      return;
    }
    if (outcome.kind === 'accepted') this.hold(payment, outcome.hashes[0]!);
    else if (outcome.kind === 'refused' || kind === 'prepared') payment.state = 'closed';
  }

  /** Records a prepared or delayed transaction, which the client sends by its hash later. */
  private hold(payment: Payment, transactionHash: string): void {
    const name = payment.kind === 'prepared' ? 'POST /transactions/send/prepared' : 'sendDelayedTransaction';
    payment.request = { name, body: { transactionHash } };
    payment.key = `${payment.id}-send`;
    payment.hashes.add(transactionHash);
    payment.state = 'waiting';
  }

  private async payInParallel(): Promise<void> {
    const payments = [this.api, this.rpc, this.anyService()].map((service) => this.newPayment(service));
    await Promise.all(payments.map((payment) => this.attempt(payment)));
  }

  private async retry(state: 'open' | 'accepted'): Promise<void> {
    const some = this.payments.inState(state).filter(({ key }) => state === 'open' || key !== undefined);
    if (some.length > 0) await this.attempt(this.random.of(some));
  }

  private async finishWaiting(): Promise<void> {
    const waiting = this.payments.inState('waiting');
    if (waiting.length === 0) return;
    const payment = this.random.of(waiting);
    if (payment.kind === 'delayed' && this.random.oneIn(4)) await this.deleteDelayed(payment);
    else await this.sendHeld(payment);
  }

  private sendHeld(payment: Payment): Promise<void> {
    payment.state = 'open';
    return this.attempt(payment);
  }

  private async deleteDelayed(payment: Payment): Promise<void> {
    const [transactionHash] = payment.hashes;
    const outcome = await this.rpc.perform({ name: 'deleteDelayedTransaction', body: { transactionHash } }, undefined);
    if (outcome.kind === 'accepted') payment.state = 'deleted';
  }

  private async createAddress(): Promise<void> {
    const service = this.anyService();
    if (service.wallets.size >= MAX_ADDRESSES) return;
    const address = await service.createAddress();
    if (address === undefined) return;
    await this.learnAddresses(service);
    if (!service.wallets.has(address)) throw new Error(`${service.name} does not have its new address ${address}`);
  }

  private async learnAddresses(service: WalletServiceProcess): Promise<void> {
    const known = service.wallets.size;
    const listed = await service.addresses();
    const missing = [...service.wallets.keys()].filter((address) => !listed.includes(address));
    if (missing.length > 0) throw new Error(`${service.name} lost the addresses ${missing.join(', ')}`);
    this.wallets.push(...(await service.learnAddresses()));
    const unexplained = service.wallets.size - known - 1 - service.unansweredAddresses;
    if (unexplained > 0)
      throw new Error(`${service.name} has ${String(unexplained)} addresses that no request created`);
  }

  /** Kills a service, in most cases during a request. */
  private async killService(): Promise<void> {
    const service = this.anyService();
    const isPaying = !this.random.oneIn(3);
    const payment = isPaying ? this.newPayment(service, this.random.oneIn(4)) : undefined;
    const delay = this.random.below(LATEST_KILL_MS);
    const running = payment && this.attempt(payment);
    await pause(delay);
    await service.stop();
    await running;
    await this.endPeriod('disk');
    await service.start();
  }

  private async restartService(): Promise<void> {
    const service = this.anyService();
    await this.endPeriod('disk');
    await service.stop('SIGTERM');
    await service.start();
  }

  private async reorganise(): Promise<void> {
    const depth = 1 + this.random.below(5);
    const addresses = (count: number): string[] => Array.from({ length: count }, () => this.anyAddress());
    const mine = { node: addresses(depth), rival: addresses(depth + 1) };
    await this.nodes.reorganise(mine, async () => {
      await this.payInParallel();
      for (let i = this.random.below(4); i > 0; i--)
        await this.copy(this.random.oneIn(3) ? this.nodes.node : this.nodes.rival);
    });
  }

  /** A stranger copies the output keys of a recent submission. */
  private async copy(node: NodeProcess): Promise<void> {
    const recent = [...this.front.submitted.values()].slice(-8);
    if (recent.length === 0) return;
    const copied = await this.copier.copyOf(node, this.random.of(recent));
    if (copied === undefined) return this.count('copies without money');
    const outcome = await node.send(copied).then(
      () => 'accepted',
      (error: unknown) => String(error),
    );
    this.options.report(`  copy: ${outcome}`);
    this.count(outcome === 'accepted' ? 'copies' : `copies refused: ${outcome}`);
  }

  private async beginFault(): Promise<void> {
    await this.endPeriod('fault');
    const fault: Fault = this.random.of(FAULTS);
    const isSubmitting = this.random.oneIn(2);
    this.count(`fault: ${fault}`);
    this.options.report(`  ${fault}`);
    this.front.fault = fault;
    const end = async (): Promise<void> => {
      this.front.fault = undefined;
      // The stored transactions reach the network late.
      if (isSubmitting) await this.front.submitAll();
    };
    this.periods.set('fault', { left: 4 + this.random.below(10), end });
  }

  private async fillDisk(): Promise<void> {
    await this.endPeriod('disk');
    const end = this.anyService().fillDisk(this.random.of([0, 4_096, 65_536]));
    this.periods.set('disk', { left: 3 + this.random.below(6), end });
  }

  private async endPeriod(kind: 'fault' | 'disk'): Promise<void> {
    const period = this.periods.get(kind);
    this.periods.delete(kind);
    await period?.end();
  }

  /** Ends all faults, mines all pending transactions, and compares the balances. */
  private async check(): Promise<void> {
    await this.endPeriod('fault');
    await this.endPeriod('disk');
    for (const service of this.services) {
      await this.learnAddresses(service);
      const { paused } = await service.status();
      if (paused === undefined) continue;
      this.options.report(`  ${service.name} had paused its sends: ${paused}`);
      this.count('paused');
      await service.resumeSends();
    }
    await this.emptyDelayed();
    await this.settle();
    await this.compare();
    const complaints = this.payments.check(this.sum.mined);
    if (complaints.length > 0) throw new Error(complaints.join('\n'));
    this.count('checks');
  }

  /** Sends or deletes all delayed transactions, because a sum over blocks does not know that they lock inputs. */
  private async emptyDelayed(): Promise<void> {
    for (const transactionHash of await this.rpc.delayedHashes()) {
      const payment = this.payments.all.find(({ hashes }) => hashes.has(transactionHash));
      if (payment?.state === 'waiting') await this.sendHeld(payment);
      const outcome = await this.rpc.perform(
        { name: 'deleteDelayedTransaction', body: { transactionHash } },
        undefined,
      );
      if (outcome.kind === 'accepted' && payment !== undefined) payment.state = 'deleted';
    }
  }

  /** Mines until no transaction is in the pool and no wallet waits for a block. */
  private async settle(): Promise<void> {
    for (let blocks = 1; ; blocks++) {
      await this.mine(1);
      await this.untilSynchronized();
      const { tx_pool_size: pool } = await this.nodes.node.info();
      const waiting = await Promise.all(this.services.map((service) => service.unconfirmed()));
      if (pool === 0 && waiting.flat().length === 0) return;
      if (blocks > 2 * SETTLING_BLOCKS) throw new Error(`still unconfirmed: ${JSON.stringify(waiting)}`);
      for (const [i, hashes] of waiting.entries()) {
        if (hashes.length > 0 && pool === 0 && blocks % 10 === 2) await this.services[i]!.refresh();
      }
    }
  }

  private async untilSynchronized(): Promise<void> {
    const { height } = await this.nodes.node.info();
    for (const service of this.services) {
      let at = 0;
      await pollUntil(
        async () => (at = (await service.status()).height) >= height,
        () => `${service.name} at ${String(at)} of ${String(height)}`,
      );
    }
  }

  /** Checks that every balance equals the sum over the blocks. */
  private async compare(): Promise<void> {
    await this.sum.follow(this.nodes.node, []);
    let differences: string[] = [];
    await pollUntil(
      async () => {
        differences = (await Promise.all(this.services.map((service) => this.differences(service)))).flat();
        return differences.length === 0;
      },
      () => `balances differ from the blocks: ${differences.join('; ')}`,
    );
  }

  private async differences(service: WalletServiceProcess): Promise<string[]> {
    const now = Math.floor(Date.now() / 1000);
    const differences: string[] = [];
    for (const [address, wallet] of service.wallets) {
      const { unlocked, locked } = await service.balance(address);
      const expected = this.sum.holding(wallet, now);
      if (BigInt(unlocked) === expected.unlocked && BigInt(locked) === expected.locked) continue;
      const [ours, blocks] = [`${String(unlocked)} + ${String(locked)}`, `${expected.unlocked} + ${expected.locked}`];
      differences.push(`${service.name} ${address.slice(-8)} has ${ours}, the blocks ${blocks}`);
    }
    return differences;
  }

  /** A scan from scratch finds the same balances and history. */
  private async rescan(): Promise<void> {
    const before = await Promise.all(this.services.map((service) => service.history()));
    for (const service of this.services) await service.reset();
    await this.untilSynchronized();
    await this.compare();
    expect(await Promise.all(this.services.map((service) => service.history()))).toEqual(before);
  }

  /** Repeats open payments, submits refused transactions again, and checks that every accepted payment is mined or given up. */
  private async finish(): Promise<void> {
    await this.check();
    for (let round = 0; round < 5; round++) {
      for (const payment of this.payments.inState('open')) await this.attempt(payment);
      await this.check();
    }
    this.counts['submitted at the end and accepted'] = await this.front.submitAll();
    await this.mine(SETTLING_BLOCKS);
    await this.check();
    // By now each request has an outcome: its transaction is in a block, or given up.
    for (const payment of this.payments.inState('open')) await this.attempt(payment);
    await this.check();
    const open = this.payments.inState('open').map(describe);
    if (open.length > 0) throw new Error(`without an outcome at the end: ${open.join('; ')}`);
    const mined = new Set(this.sum.mined.map(({ hash }) => hash));
    const complaints = this.payments.checkAnswered(mined);
    if (complaints.length > 0) throw new Error(complaints.join('\n'));
    await this.rescan();
    for (const { state } of this.payments.all) this.count(`payments ${state}`);
  }
}

/** Adds the hash of the payment, because the response to a send by hash may omit it. */
function withHashes(
  { hashes }: Payment,
  outcome: Awaited<ReturnType<WalletServiceProcess['perform']>>,
): typeof outcome {
  return outcome.kind === 'accepted' && outcome.hashes.length === 0 ? { ...outcome, hashes: [...hashes] } : outcome;
}
