import { walletApi } from '@wrkz/api';
import type { Network } from '@wrkz/core-types';
import { type FinishedJson, requestPath, rawBody, Reply, type RouteRequest } from '@wrkz/service-kit';
import type { SendObserver, SendSummary, SignedSend } from '@wrkz/wallet-core';
import { IdempotentRequests, resubmitSends } from '@wrkz/wallet-server';
import type { AuditLog } from './audit-log';
import { badRequest, forbidden } from './errors';
import { KeyLimits, UncertainSends } from './key-limits';
import type { Authenticator, KeyGrant } from './keys';
import type { OpenWallet, WalletManager } from './wallet-manager';

/** The wallet operation of a send route. */
export interface SendOperation<Value> {
  readonly status: 200 | 201;
  run(open: OpenWallet, grant: KeyGrant, observer: SendObserver): Promise<Value>;
  /** Builds the response to an interrupted request. @param sends its transactions in blocks and pools, in order */
  recovered(sends: readonly SendSummary[]): Value;
}

interface Dependencies {
  readonly network: Network;
  readonly wallets: WalletManager;
  readonly authenticator: Authenticator;
  readonly audit: AuditLog | undefined;
  /** Unix milliseconds. */
  readonly now: () => number;
}

type Request = RouteRequest['http']['request'];

/**
 * Executes the send routes. Checks the idempotency key first, then the limits of the API key, then calls the wallet
 * (docs/operations/wallet-api.md#idempotency-keys).
 */
export class SendExecutor {
  private readonly idempotent = new IdempotentRequests();
  private readonly uncertain = new UncertainSends();

  constructor(private readonly dependencies: Dependencies) {}

  /**
   * @throws HttpError 400 for an invalid Idempotency-Key; WalletError of the idempotency key, the limits and the
   * wallet
   */
  async execute<Value>(request: Request, operation: SendOperation<Value>): Promise<Reply<Value | FinishedJson>> {
    const { network, wallets, authenticator, audit, now } = this.dependencies;
    const open = wallets.require();
    const grant = authenticator.grantOf(request);
    const limits = new KeyLimits({ network, grant, open, now, uncertain: this.uncertain });
    const hashes: string[] = [];
    const submitting = ({ hash }: SignedSend): void => {
      hashes.push(hash);
      audit?.note(request, { transactions: hashes });
    };
    const run = async (observer?: SendObserver): Promise<Value> => {
      const value = await operation.run(open, grant, charging(limits, observer, submitting));
      limits.requireAccepted();
      return value;
    };
    const header = request.headers['idempotency-key'];
    if (header === undefined) return new Reply(operation.status, await run());
    const key = walletApi.idempotencyKey.safeParse(header);
    if (!key.success) throw badRequest();
    const response = await this.idempotent.execute(
      { wallet: open.wallet, now },
      {
        key: { owner: grant.name, key: key.data },
        body: Buffer.concat([Buffer.from(`${request.method} ${requestPath(request)}\n`), rawBody(request)]),
        status: operation.status,
        mayBeNothing: operation.status !== 201,
        admit: () => {
          if (open.wallet.isClosed) throw forbidden();
        },
        run,
        recover: async (hashes) => {
          const sends = await resubmitSends(open.wallet, hashes, charging(limits, undefined, submitting));
          return sends.length === 0 ? undefined : operation.recovered(sends);
        },
      },
    );
    return new Reply(operation.status, response);
  }
}

/**
 * Charges each transaction in the database transaction that records it, and refunds rejected ones.
 * @param note called for each charged transaction
 */
function charging(limits: KeyLimits, next: SendObserver | undefined, note: (send: SignedSend) => void): SendObserver {
  return {
    submitting: (send) => {
      limits.charge(send);
      note(send);
      next?.submitting?.(send);
    },
    rejected: (send) => {
      limits.refund(send);
      next?.rejected?.(send);
    },
    uncertain: (send) => {
      limits.markUncertain(send);
      next?.uncertain?.(send);
    },
  };
}
