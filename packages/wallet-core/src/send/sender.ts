import { LedgerFault } from '../ledger/model';
import type { Ledger } from '../ledger/ledger';
import type { FinishedSend, SendRecords, Spender, SpendingView, SpendShapes, WalletRefusals } from '../wallet/ports';

export interface SendDeskOptions {
  readonly ledger: Ledger;
  readonly refusals: WalletRefusals;
  readonly view: () => SpendingView;
  /** The ledger has changed. */
  readonly changed: () => void;
  readonly save: () => Promise<void>;
  /** Told of what failed without harm. */
  readonly warn: (error: unknown) => void;
  readonly now: () => number;
  /** Ends whatever is being built. */
  readonly signal: AbortSignal;
}

/**
 * Brings a wallet's sends out: each is in the ledger and on the disk before it leaves
 * (docs/protocol/wallet.md#own-sends). Its caller sees to it that one is on its way at a time.
 */
export class SendDesk<Shapes extends SpendShapes> {
  constructor(
    private readonly spender: Spender<Shapes>,
    private readonly options: SendDeskOptions,
  ) {}

  view(): SpendingView {
    return this.options.view();
  }

  async send(request: Shapes['send']): Promise<FinishedSend> {
    const built = await this.spender.build(request, this.view(), this.options.signal);
    await this.dispatch(built);
    return built;
  }

  build(request: Shapes['send']): Promise<FinishedSend> {
    return this.spender.build(request, this.view(), this.options.signal);
  }

  async prepare(request: Shapes['send']): Promise<FinishedSend> {
    const built = await this.spender.build(request, this.view(), this.options.signal);
    this.spender.prepared.add(built);
    return built;
  }

  /** A preparation goes once it was sent; after a failure it may be tried again, and what was in doubt may be in a block by then. */
  async sendPrepared(hash: string): Promise<FinishedSend> {
    const { prepared } = this.spender;
    let built = prepared.find(hash);
    if (built === undefined || !this.options.ledger.isInBlock(built.hash)) {
      built = prepared.take(hash, this.view(), this.options.now());
      await this.dispatch(built);
    }
    prepared.forget(hash);
    return built;
  }

  /** Of another run of the program too: it is recorded where it is not any more. */
  resend(built: FinishedSend): Promise<void> {
    return this.dispatch(built);
  }

  deletePrepared(hash: string): boolean {
    return this.spender.prepared.forget(hash);
  }

  forgetPrepared(): void {
    this.spender.prepared.clear();
  }

  estimate(request: Shapes['send']): Promise<Shapes['estimate']> {
    return this.spender.estimate(request, this.view(), this.options.signal);
  }

  sweep(request: Shapes['sweep']): Promise<Shapes['swept']> {
    const { signal } = this.options;
    return this.spender.sweep(
      request,
      () => this.view(),
      (built) => this.dispatch(built),
      signal,
    );
  }

  estimateSweep(request: Shapes['sweep']): Promise<Shapes['sweepEstimate']> {
    return this.spender.estimateSweep(request, () => this.view(), this.options.signal);
  }

  dispatch(built: FinishedSend): Promise<void> {
    return this.options.ledger.whileLeaving(built.hash, () => this.spender.dispatch(built, this.records));
  }

  private readonly records: SendRecords = {
    record: async (built) => {
      const { ledger, signal, refusals, changed, save } = this.options;
      signal.throwIfAborted();
      if (ledger.hasSend(built.hash)) return false;
      try {
        ledger.recordSend(built.intent);
      } catch (error) {
        // A block came while it was built, and took an input or the output itself away.
        if (error instanceof LedgerFault) throw refusals.inputsGone();
        throw error;
      }
      changed();
      try {
        await save();
      } catch (error) {
        ledger.forgetSend(built.hash);
        changed();
        throw error;
      }
      return true;
    },
    cancel: async (hash) => {
      this.options.ledger.forgetSend(hash);
      this.options.changed();
      // On the disk it may stay: a send that no node knows is given up once the wallet has read the chain.
      await this.options.save().catch(this.options.warn);
    },
  };
}
