import { isDeepStrictEqual } from 'node:util';
import { REASONS } from '@wrkz/consensus';
import { type Network, parseTransaction } from '@wrkz/core-types';
import { checkHash, powHash } from '@wrkz/crypto';
import type { ContestedSend, SignedSend, RingMember } from '../transaction/model';
import { stageForPool } from '../transaction/self-check';
import type { Ledger } from '../ledger/ledger';
import type { SubWallet, WalletOutput, WalletTransaction } from '../ledger/model';
import type { MoneyEvent } from '../wallet-db/logs';
import { utcDayOf } from '../wallet-db/records';
import type { StoredSend } from '../wallet-db/sends';
import type { WalletDb } from '../wallet-db/wallet-db';

/** Depth in blocks at which a transaction is final (docs/protocol/wallet.md#own-sends). */
export const CONFIRMATIONS = 60;

/** Refusals after which a ring is replaced. Two rings of one input reveal more to an observer than one. */
const MAX_RING_REFUSALS = 3;

/** Clears the fields that only a refused or given-up send has. */
const NOT_GIVEN_UP = { reason: undefined, replacedBy: undefined, refusedSince: undefined };

/** An event without its time, which the wallet adds. */
export type NewEvent = Omit<MoneyEvent, 'time'>;

export interface PendingSendsDependencies {
  readonly network: Network;
  readonly ledger: Ledger;
  readonly db: () => WalletDb;
  /** Stores the queued changes of the ledger and the writes of `work` in one transaction. @throws WalletError */
  readonly commit: (work: () => void) => void;
  /** Records an event in the database transaction of `commit`, and emits it after the commit. */
  readonly event: (event: NewEvent) => void;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/**
 * Own transactions from their recording until 60 confirmations. A pending transaction is resubmitted until it is mined. It is
 * given up only if another transaction with 60 confirmations spends one of its inputs, if the wallet's own rules have
 * rejected it for 60 blocks, or on the operator's command. A refused or given-up transaction may still be mined; until that
 * is impossible it is contested (`ContestedSend`).
 */
export class PendingSends {
  private readonly sends = new Map<string, StoredSend>();
  /** False until the stored sends could be read. */
  private isLoaded = false;
  /** Sends of another wallet program that the node does not have, with the tip height since which it lacks them. */
  private readonly absent = new Map<string, number | undefined>();
  /** The highest difficulty that a proof of work met. Each block checks all pending sends, and one hash takes milliseconds. */
  private readonly metDifficulties = new WeakMap<SignedSend, bigint>();

  constructor(private readonly dependencies: PendingSendsDependencies) {}

  /** Reads the stored sends and updates their states from the applied blocks. */
  load(): void {
    this.restore();
    this.compareWithBlocks();
  }

  /** Reads the stored sends. @throws DamagedSealedRow; nothing is then changed */
  restore(): void {
    const open = this.dependencies.db().sends.all(['pending', 'refused', 'givenUp', 'confirmed']);
    this.isLoaded = true;
    this.sends.clear();
    for (const send of open) this.sends.set(send.hash, send);
    const { ledger } = this.dependencies;
    for (const { state, signed } of this.sends.values()) {
      if (state === 'pending' && signed !== undefined && !ledger.hasSend(signed.hash)) tryRecord(ledger, signed);
    }
    this.restoreInLedger();
  }

  get(hash: string): StoredSend | undefined {
    return this.sends.get(hash) ?? this.dependencies.db().sends.get(hash);
  }

  /**
   * Inputs of pending sends that the ledger lost in a reset, with the hash of the send. They are in the balance, as in other
   * wallet programs after a reset, but a new send must not spend them.
   */
  reservedInputs(): ReadonlyMap<string, string> {
    const { ledger } = this.dependencies;
    const unlisted = this.pending().filter(({ hash }) => !ledger.hasSend(hash));
    return new Map(
      unlisted.flatMap(({ hash, signed }) =>
        (signed?.pending.inputs ?? []).map(({ output }): [string, string] => [output.key, hash]),
      ),
    );
  }

  /** Locks the inputs of unconfirmed sends and expects their outputs, also in added sub-wallets and after a rewind. */
  restoreInLedger(): void {
    const { ledger } = this.dependencies;
    const unconfirmed = [...this.sends.values()].filter(({ hash }) => ledger.hasSend(hash));
    ledger.restoreSends(unconfirmed.flatMap(({ signed }) => signed?.pending ?? []));
  }

  /** The min block height of the inputs of contested sends that these sub-wallets own; Infinity without such inputs. */
  minContestedHeight(subWallets: readonly SubWallet[]): number {
    return Math.min(Infinity, ...this.contestedInputs(subWallets).map(({ blockHeight }) => blockHeight));
  }

  /** The same of the inputs that the ledger does not have, after a reset or an import above them. */
  minMissingHeight(subWallets: readonly SubWallet[]): number {
    const { ledger } = this.dependencies;
    const missing = this.contestedInputs(subWallets).filter(({ key }) => ledger.findOutput(key) === undefined);
    return Math.min(Infinity, ...missing.map(({ blockHeight }) => blockHeight));
  }

  private contestedInputs(subWallets: readonly SubWallet[]): WalletOutput[] {
    const owners = new Set(subWallets.map(({ publicSpendKey }) => publicSpendKey));
    const contested = [...this.sends.values()].filter(({ state }) => state === 'refused' || state === 'givenUp');
    const inputs = contested.flatMap(({ signed }) => signed?.pending.inputs ?? []);
    return inputs.flatMap(({ output, publicSpendKey }) => (owners.has(publicSpendKey) ? [output] : []));
  }

  /** Sends that are resubmitted until they are mined. */
  pending(): StoredSend[] {
    return [...this.sends.values()].filter(({ state }) => state === 'pending');
  }

  /** Records a transaction before its submission. Called within `commit`. */
  add(signed: SignedSend): void {
    const { hash, fee, mixin, defaultMixin } = signed;
    const created = this.sends.get(hash)?.created ?? this.dependencies.now();
    this.put({ hash, state: 'pending', created, signed, summary: { hash, fee, mixin, defaultMixin } });
    const { rings } = this.dependencies.db();
    for (const [i, { keyImage, members }] of signed.rings.entries()) {
      const before = rings.get(keyImage);
      const refusals = before?.isReplaced === false ? before.refusals : 0;
      rings.put(keyImage, { members, amount: signed.pending.inputs[i]?.output.amount, refusals, isReplaced: false });
    }
  }

  /**
   * Undoes `add` for a submission that reached no node. Called within `commit`.
   * @param before the previously stored send, restored because a node may have the bytes of an earlier submission
   */
  undoAdd(hash: string, before: StoredSend | undefined): void {
    if (before !== undefined) return this.put(before);
    this.sends.delete(hash);
    this.dependencies.db().sends.delete(hash);
  }

  /** Marks a transaction as refused by a node. Called within `commit`. */
  refuse(signed: SignedSend, reason: string): void {
    const { hash, fee, mixin, defaultMixin } = signed;
    const created = this.sends.get(hash)?.created ?? this.dependencies.now();
    this.put({ hash, state: 'refused', created, signed, summary: { hash, fee, mixin, defaultMixin }, reason });
    this.dependencies.event({ kind: 'send-refused', transaction: hash, payload: { reason } });
  }

  /**
   * Counts a refusal of a transaction's rings although the own global indexes are correct: a node may have reported false
   * decoys. After several refusals the next send draws new rings, so that a false decoy cannot make an input unspendable.
   * Called within `commit`.
   */
  countRingRefusal({ hash, rings }: SignedSend): void {
    const { db, event } = this.dependencies;
    for (const { keyImage, members } of rings) {
      const { amount, refusals: before = 0 } = db().rings.get(keyImage) ?? {};
      const refusals = before + 1;
      db().rings.put(keyImage, { members, amount, refusals, isReplaced: refusals >= MAX_RING_REFUSALS });
      if (refusals === MAX_RING_REFUSALS) event({ kind: 'ring-replaced', transaction: hash, payload: { keyImage } });
    }
  }

  /** Whether the ring of an input was replaced, or will be by the next send. */
  hasReplacedRing({ rings }: SignedSend): boolean {
    return rings.some(({ keyImage, members }) => {
      const stored = this.dependencies.db().rings.get(keyImage);
      return stored !== undefined && (stored.isReplaced || !isDeepStrictEqual(stored.members, members));
    });
  }

  /** The ring that an earlier transaction used for an input of this amount; undefined if a new one must be drawn. */
  ringOf(keyImage: string, amount: bigint): readonly RingMember[] | undefined {
    const stored = this.dependencies.db().rings.get(keyImage);
    return stored?.isReplaced === false && (stored.amount ?? amount) === amount ? stored.members : undefined;
  }

  /** Refused and given-up transactions that can still be mined. */
  contested(): ContestedSend[] {
    return [...this.sends.values()].flatMap(({ hash, state, signed }) => {
      if ((state !== 'refused' && state !== 'givenUp') || signed === undefined) return [];
      const inputs = signed.pending.inputs.map(({ output: { key }, publicSpendKey }) => ({ key, publicSpendKey }));
      // wallet-rpc holds the inputs of a delayed transaction until it is deleted. wallet-api would pay again with other inputs.
      const delayed = this.dependencies.db().delayed.get(hash)?.state;
      const isOpen = delayed === 'delayed' || delayed === 'sending';
      const { ledger } = this.dependencies;
      if (isOpen && inputs.every(({ key }) => ledger.findOutput(key)?.list !== 'unspent')) return [];
      const isReplaced = inputs.some(({ key }) => this.spentOutput(key) !== undefined);
      return [{ hash, inputs, isReplaced }];
    });
  }

  /** Whether a transaction is contested and can be mined only after a reorganisation. */
  isReplaced(hash: string): boolean {
    return this.contested().some((one) => one.hash === hash && one.isReplaced);
  }

  /**
   * Gives up a pending or refused transaction on the operator's command: its inputs are unlocked, and it is contested.
   * @returns false for a transaction in another state
   */
  giveUp(hash: string, reason: string): boolean {
    const send = this.sends.get(hash);
    if (this.foreign().includes(hash)) {
      this.giveUpForeign(hash, reason);
      return true;
    }
    if (send === undefined || (send.state !== 'pending' && send.state !== 'refused')) return false;
    this.markGivenUp(send, reason);
    return true;
  }

  /** Hashes of unconfirmed sends recorded by another wallet program. This wallet does not have their bytes. */
  foreign(): string[] {
    if (!this.isLoaded) return [];
    return this.dependencies.ledger.unconfirmedHashes().filter((hash) => !this.sends.has(hash));
  }

  /** Records which foreign sends the node does not have. */
  noteForeign(unknown: readonly string[]): void {
    for (const hash of [...this.absent.keys()]) if (!unknown.includes(hash)) this.absent.delete(hash);
    for (const hash of unknown) if (!this.absent.has(hash)) this.absent.set(hash, undefined);
  }

  /** Whether this wallet has recorded a send with this hash, in any state. */
  isKnown(hash: string): boolean {
    return this.sends.has(hash) || this.dependencies.db().sends.has(hash);
  }

  /** Handles transactions of a block that was applied, or that was verified after it was applied. */
  onApplied(transactions: readonly WalletTransaction[]): void {
    for (const transaction of transactions) {
      const send = this.sends.get(transaction.hash);
      if (send === undefined) this.settleGivenUp(transaction);
      else this.confirm(send, transaction);
    }
  }

  /** Returns sends in removed blocks to the pending state. @param height of the lowest removed block */
  onRewound(height: number): void {
    this.restoreInLedger();
    for (const send of this.sends.values()) {
      if (send.state !== 'confirmed' || (send.height ?? 0) < height) continue;
      this.dependencies.commit(() => this.put({ ...send, state: 'pending', height: undefined }));
    }
  }

  /** Settles final sends and gives up impossible ones. Called when the wallet has reached the tip at this height. */
  onTip(height: number): void {
    // A block or a rewind may have been missed while the database could not be written.
    this.compareWithBlocks();
    for (const hash of this.foreign()) this.judgeForeign(hash, height);
    for (const send of [...this.sends.values()]) {
      const { hash, state, signed } = send;
      if (state === 'confirmed') {
        if ((send.height ?? height) + CONFIRMATIONS <= height) this.settle(send);
        continue;
      }
      const spender = signed && this.deepSpender(signed, height);
      if (spender !== undefined) {
        const replaced = { ...send, replacedBy: spender };
        if (state === 'givenUp') this.endContest(replaced);
        else this.markGivenUp(replaced, `an input was spent by transaction ${spender}`, false);
        continue;
      }
      if (state !== 'pending') continue;
      if (signed === undefined) this.dependencies.ledger.cancelSend(hash);
      // A send of a removed address may already be mined, because the ledger ignores its block.
      else if (this.dependencies.ledger.hasSend(hash) || this.hasUnspentInput(signed)) this.judge(send, signed, height);
    }
  }

  /** The text of the pool rule that these bytes violate at a height; undefined if they are valid. */
  ruleAgainst(signed: SignedSend, height: number): string | undefined {
    const { network, now, ledger } = this.dependencies;
    const isIndexed = signed.pending.inputs.every(({ output: { key, amount, globalIndex } }) => {
      const known = ledger.findOutput(key)?.output;
      // Indexes count the outputs of one amount, and the wallet may have a copy of the input with another amount.
      return known === undefined || (known.amount === amount && (known.globalIndex ?? globalIndex) === globalIndex);
    });
    if (!isIndexed) return REASONS.INPUT_INVALID_GLOBAL_INDEX.text;
    const rings = signed.rings.map(({ members }, i) => ({
      amount: signed.pending.inputs[i]?.output.amount ?? 0n,
      members,
    }));
    const seconds = Math.floor(now() / 1000);
    const staged = stageForPool(parseTransaction(signed.bytes), { network, height, rings, now: seconds });
    if (staged.failure !== undefined) return REASONS[staged.failure].text;
    const isTooWeak = staged.proofs.some((proof) => {
      if (proof.kind !== 'txPow' || (this.metDifficulties.get(signed) ?? -1n) >= proof.difficulty) return false;
      if (!checkHash(powHash(proof.algorithm, proof.input), proof.difficulty)) return true;
      this.metDifficulties.set(signed, proof.difficulty);
      return false;
    });
    return isTooWeak ? REASONS.POW_INVALID.text : undefined;
  }

  private compareWithBlocks(): void {
    const { ledger } = this.dependencies;
    for (const send of [...this.sends.values()]) {
      const block = ledger.confirmed(send.hash);
      if (block !== undefined) this.confirm(send, block);
      else if (send.state === 'confirmed' && this.isReturned(send)) {
        this.store({ ...send, state: 'pending', height: undefined });
      }
    }
  }

  /**
   * Whether the block of a confirmed send was removed or is not scanned yet. The ledger also lacks the sends of removed
   * addresses, which stay confirmed.
   */
  private isReturned({ hash, height = 0, signed }: StoredSend): boolean {
    const { ledger } = this.dependencies;
    if (ledger.hasSend(hash)) return true;
    if (ledger.scanStart().height <= height && ledger.position().height < height) return true;
    // A reset removes all sends from the ledger, and another branch may have been scanned since.
    return signed !== undefined && this.hasUnspentInput(signed);
  }

  private hasUnspentInput({ pending }: SignedSend): boolean {
    return pending.inputs.some(({ output }) => this.dependencies.ledger.findOutput(output.key)?.list === 'unspent');
  }

  private judge(send: StoredSend, signed: SignedSend, height: number): void {
    const rule = this.ruleAgainst(signed, height);
    if (rule === undefined) {
      if (send.refusedSince !== undefined) this.store({ ...send, refusedSince: undefined });
    } else if (send.refusedSince === undefined) this.store({ ...send, refusedSince: height, reason: rule });
    else if (send.refusedSince + CONFIRMATIONS <= height)
      this.markGivenUp(send, `the network's rules refuse it: ${rule}`);
  }

  /** Hash of another transaction with at least 60 confirmations that spent one of the inputs. */
  private deepSpender({ hash, pending }: SignedSend, height: number): string | undefined {
    for (const { output } of pending.inputs) {
      const spent = this.spentOutput(output.key);
      if (spent === undefined) continue;
      const { spendHeight, spendingTransactionHash = 'of another wallet program' } = spent;
      if (spendingTransactionHash !== hash && spendHeight + CONFIRMATIONS <= height) return spendingTransactionHash;
    }
    return undefined;
  }

  /** An own output spent in a verified block, including retired outputs. */
  private spentOutput(key: string): WalletOutput | undefined {
    const { ledger, db } = this.dependencies;
    const place = ledger.findOutput(key);
    if (place === undefined) return db().retired.get(key)?.output;
    const spender = ledger.confirmed(place.output.spendingTransactionHash ?? '');
    return place.list === 'spent' && spender?.unverifiedBlock === undefined ? place.output : undefined;
  }

  /** Marks a send as confirmed. An unverified block does not confirm: the send is still resubmitted. */
  private confirm(send: StoredSend, { blockHeight: height, unverifiedBlock }: WalletTransaction): void {
    if (unverifiedBlock !== undefined) return;
    const { hash, state, signed } = send;
    const { ledger, db, commit, event, now } = this.dependencies;
    if (send.height === height) return;
    const wasContested = state === 'refused' || state === 'givenUp';
    if (wasContested && signed !== undefined) {
      ledger.setTransactionKey({ transactionHash: hash, secretKey: signed.pending.transactionSecretKey });
    }
    commit(() => {
      this.put({ ...send, ...NOT_GIVEN_UP, state: 'confirmed', height });
      if (state !== 'confirmed') {
        if (wasContested) db().spending.chargeAgain(hash, utcDayOf(now()));
        const kind = wasContested ? 'contested-send-mined' : 'send-confirmed';
        event({ kind, transaction: hash, payload: { height, ...(wasContested && { reason: send.reason }) } });
      }
    });
  }

  /** Settles a permanently given-up send that was mined again by a reorganisation of more than 60 blocks. */
  private settleGivenUp({ hash, blockHeight: height, unverifiedBlock }: WalletTransaction): void {
    const { db, commit, event, now } = this.dependencies;
    const send = db().sends.get(hash);
    if (send?.state !== 'givenUp' || unverifiedBlock !== undefined) return;
    commit(() => {
      db().sends.put({ ...send, ...NOT_GIVEN_UP, state: 'settled', height });
      db().spending.chargeAgain(hash, utcDayOf(now()));
      event({ kind: 'contested-send-mined', transaction: hash, payload: { height, reason: send.reason } });
    });
  }

  /** Gives up a foreign send that the node has not had for 60 blocks, so that its inputs do not stay locked forever. */
  private judgeForeign(hash: string, height: number): void {
    if (!this.absent.has(hash)) return;
    const since = this.absent.get(hash) ?? height;
    this.absent.set(hash, since);
    if (since + CONFIRMATIONS > height) return;
    this.giveUpForeign(hash, 'another wallet program sent it, and the node did not have it for 60 blocks');
  }

  private giveUpForeign(hash: string, reason: string): void {
    this.absent.delete(hash);
    // After a reorganisation of more than 60 blocks it may be a settled send of this program.
    const settled = this.dependencies.db().sends.get(hash);
    this.markGivenUp(settled ?? { hash, state: 'pending', created: this.dependencies.now() }, reason, false);
  }

  private markGivenUp(send: StoredSend, reason: string, isContested = true): void {
    const { ledger, commit, event } = this.dependencies;
    ledger.cancelSend(send.hash);
    // Its input may be the removed copy of change that another send still expects.
    this.restoreInLedger();
    const given = { ...send, state: 'givenUp' as const, reason };
    commit(() => {
      this.put(isContested ? given : { ...given, signed: undefined });
      event({ kind: 'send-given-up', transaction: send.hash, payload: { reason } });
    });
    if (!isContested) this.sends.delete(send.hash);
  }

  /** Ends the contest of a send whose input is permanently spent: new sends no longer need to replace it. */
  private endContest(send: StoredSend): void {
    this.store({ ...send, signed: undefined });
    this.sends.delete(send.hash);
  }

  private settle(send: StoredSend): void {
    const { hash, signed } = send;
    const { commit, db, event } = this.dependencies;
    commit(() => {
      db().sends.put({ ...send, state: 'settled', signed: undefined });
      for (const { keyImage } of signed?.rings ?? []) db().rings.delete(keyImage);
      event({ kind: 'send-settled', transaction: hash });
    });
    this.sends.delete(hash);
  }

  private store(send: StoredSend): void {
    this.dependencies.commit(() => this.put(send));
  }

  private put(send: StoredSend): void {
    this.dependencies.db().sends.put(send);
    this.sends.set(send.hash, send);
  }
}

/** Records a send in the ledger. The ledger rejects inputs that another program spent meanwhile: then the chain decides. */
function tryRecord(ledger: Ledger, signed: SignedSend): void {
  try {
    ledger.recordSend(signed.pending);
  } catch {
    // The ledger is unchanged.
  }
}
