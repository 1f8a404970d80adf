import { type NodeCalls, NodeFailure, NodeList } from '@wrkz/client';
import type { RandomOutsResult, SubmitResult, SendNode, TransactionStatus } from '../transaction/model';

/** What a node answers that has too few outputs of an amount. */
const TOO_FEW_OUTPUTS = 27;

/** What a proxy answers that has given up waiting: the node behind it may take the transaction yet. */
const GIVEN_UP = new Set([408, 499, 502, 504, 520, 521, 522, 523, 524]);

/** After a node was silent for as long as it may be, nobody waits for it anew for so many milliseconds. */
const SILENCE_REMEMBERED_MS = 5_000;

/**
 * Which nodes were silent a moment ago. Sends stand in a queue: without this each of them would wait for such a node in its
 * turn, and the last one for all of them.
 */
export class SilentNodes {
  readonly #since = new WeakMap<NodeCalls, number>();

  /** @param now milliseconds of a clock that never steps */
  constructor(private readonly now: () => number = () => performance.now()) {}

  note(node: NodeCalls): void {
    this.#since.set(node, this.now());
  }

  has(node: NodeCalls): boolean {
    const since = this.#since.get(node);
    return since !== undefined && this.now() - since < SILENCE_REMEMBERED_MS;
  }
}

/** The one of a list that is asked now. */
const oneOf = (node: NodeCalls): NodeCalls => (node instanceof NodeList ? node.serving : node);

/** A node as one send sees it: failures of the client become the answers that a send can act on. */
export class SubmissionNode implements SendNode {
  /** Who was given the transaction. */
  private relayedTo: NodeCalls | undefined;

  /**
   * @param serving the node that serves now
   * @param signal ends what is asked before anything leaves; what is leaving goes its way to the end
   */
  constructor(
    private readonly serving: () => NodeCalls,
    private readonly silent = new SilentNodes(),
    private readonly signal?: AbortSignal,
  ) {}

  async randomOuts(amounts: readonly bigint[], count: number): Promise<RandomOutsResult> {
    const node = this.serving();
    if (this.silent.has(node)) return { kind: 'unavailable' };
    try {
      const sets = await node.randomOuts(amounts, count, this.signal);
      return { kind: 'outs', sets: sets.map(({ amount, outs }) => ({ amount, outputs: outs })) };
    } catch (error) {
      const { kind, facts } = failureOf(error);
      if (kind === 'timeout') this.silent.note(node);
      return { kind: facts.errorCode === TOO_FEW_OUTPUTS ? 'tooFew' : 'unavailable' };
    }
  }

  /** Only a list has another node. */
  async reportFaulty(reason: string): Promise<boolean> {
    const node = this.serving();
    return node instanceof NodeList && node.leave(reason, this.signal);
  }

  async submit(transaction: Buffer): Promise<SubmitResult> {
    const node = this.serving();
    this.relayedTo = oneOf(node);
    try {
      const verdict = await node.sendTransaction(transaction);
      return verdict.isTaken ? { kind: 'accepted' } : { kind: 'refused', reason: verdict.reason };
    } catch (error) {
      return relayFailure(failureOf(error));
    }
  }

  async transactionStatus(hash: string): Promise<TransactionStatus> {
    const node = this.serving();
    const isAskedOfItsNode = this.relayedTo === undefined || this.relayedTo === oneOf(node);
    try {
      const { inBlock, inPool, unknown } = await node.transactionPlaces([hash]);
      if (inBlock.includes(hash)) return 'block';
      if (inPool.includes(hash)) return 'pool';
      return unknown.includes(hash) && isAskedOfItsNode ? 'unknown' : 'unavailable';
    } catch (error) {
      failureOf(error);
      return 'unavailable';
    }
  }
}

/**
 * Only what certainly never reached the pool counts as not taken; whatever is in doubt is asked for by hash. No status is a
 * certain word: what stands before the node says 503 too when its connection broke after the node took it, and a balancer
 * that tried another node hands on what that one says.
 */
function relayFailure({ kind, facts }: NodeFailure): SubmitResult {
  if (kind === 'foreignChain' || facts.isUnsent === true) return { kind: 'unavailable' };
  return { kind: 'uncertain', ended: facts.status !== undefined && !GIVEN_UP.has(facts.status) };
}

function failureOf(error: unknown): NodeFailure {
  if (error instanceof NodeFailure) return error;
  throw error;
}
