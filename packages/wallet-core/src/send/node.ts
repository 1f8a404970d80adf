import { type NodeCalls, NodeFailure, NodeList } from '@wrkz/client';
import type { RandomOutsResult, SubmitResult, SendNode, TransactionStatus } from '../transaction/model';

/** Error code of /getrandom_outs when the node has too few outputs of an amount. */
const TOO_FEW_OUTPUTS = 27;

/** HTTP statuses of proxy timeouts. The node behind the proxy may still accept the transaction. */
const PROXY_TIMEOUTS = new Set([408, 499, 502, 504, 520, 521, 522, 523, 524]);

/** Milliseconds after a timeout during which a node is not queried again. */
const TIMEOUT_REMEMBERED_MS = 5_000;

/**
 * Nodes whose last request timed out recently. Sends run sequentially: without this class every queued send would wait for
 * the same timeout.
 */
export class TimedOutNodes {
  private readonly since = new WeakMap<NodeCalls, number>();

  /** @param now monotonic milliseconds */
  constructor(private readonly now: () => number = () => performance.now()) {}

  note(node: NodeCalls): void {
    this.since.set(node, this.now());
  }

  has(node: NodeCalls): boolean {
    const since = this.since.get(node);
    return since !== undefined && this.now() - since < TIMEOUT_REMEMBERED_MS;
  }
}

const servingOf = (node: NodeCalls): NodeCalls => (node instanceof NodeList ? node.serving : node);

/** The node as used by one send. Maps failures of the client to results. */
export class SubmissionNode implements SendNode {
  /** The node that received the last submission. */
  private submittedTo: NodeCalls | undefined;

  /**
   * @param serving the serving node
   * @param signal aborts the requests
   */
  constructor(
    private readonly serving: () => NodeCalls,
    private readonly timedOut = new TimedOutNodes(),
    private readonly signal?: AbortSignal,
  ) {}

  async randomOuts(amounts: readonly bigint[], count: number): Promise<RandomOutsResult> {
    const node = this.serving();
    if (this.timedOut.has(node)) return { kind: 'unavailable' };
    try {
      const sets = await node.randomOuts(amounts, count, this.signal);
      return { kind: 'outs', sets: sets.map(({ amount, outs }) => ({ amount, outputs: outs })) };
    } catch (error) {
      const { kind, facts } = failureOf(error);
      if (kind === 'timeout') this.timedOut.note(node);
      return { kind: facts.errorCode === TOO_FEW_OUTPUTS ? 'tooFew' : 'unavailable' };
    }
  }

  async reportFaulty(reason: string): Promise<boolean> {
    const node = this.serving();
    return node instanceof NodeList && node.leave(reason, this.signal);
  }

  async submit(transaction: Buffer): Promise<SubmitResult> {
    const node = this.serving();
    this.submittedTo = servingOf(node);
    try {
      const verdict = await node.sendTransaction(transaction, this.signal);
      return verdict.isAccepted ? { kind: 'accepted' } : { kind: 'refused', reason: verdict.reason };
    } catch (error) {
      return submitFailure(failureOf(error));
    }
  }

  async transactionStatus(hash: string): Promise<TransactionStatus> {
    const node = this.serving();
    const isSameNode = this.submittedTo === undefined || this.submittedTo === servingOf(node);
    try {
      const { inBlock, inPool, unknown } = await node.transactionPlaces([hash], this.signal);
      if (inBlock.includes(hash)) return 'block';
      if (inPool.includes(hash)) return 'pool';
      return unknown.includes(hash) && isSameNode ? 'unknown' : 'unavailable';
    } catch (error) {
      failureOf(error);
      return 'unavailable';
    }
  }
}

/**
 * A submission is `unavailable` only if it certainly reached no node. No HTTP status proves that the node rejected the
 * transaction: a proxy also returns 503 when its connection broke after the node accepted it, and a load balancer may
 * return the response of another node. For `uncertain` the caller queries the transaction by hash.
 */
function submitFailure({ kind, facts }: NodeFailure): SubmitResult {
  if (kind === 'foreignChain' || facts.isUnsent === true) return { kind: 'unavailable' };
  return { kind: 'uncertain', ended: facts.status !== undefined && !PROXY_TIMEOUTS.has(facts.status) };
}

function failureOf(error: unknown): NodeFailure {
  if (error instanceof NodeFailure) return error;
  throw error;
}
