import { walletApi } from '@wrkz/api';
import { notAllowed } from '../send-rules';
import { declareWalletRoute, KEY_WANTED, walletErrors } from './declare';
import { RELAY_ERRORS } from './send-errors';

const sent = (transactionHash: string) => ({ transactionHash });

export const postTransactionsSendPrepared = declareWalletRoute({
  method: 'POST',
  path: '/transactions/send/prepared',
  summary: 'Sends what was prepared.',
  guards: KEY_WANTED,
  labels: { wallet: 'open', viewWallet: false, scope: 'send' },
  body: walletApi.preparedBody,
  answer: walletApi.sentAnswer,
  status: 201,
  errors: [
    ...walletErrors(
      'illegalViewWalletOperation',
      'preparedTransactionNotFound',
      'preparedTransactionExpired',
      'daemonOffline',
      'daemonError',
      'keyLimitExceeded',
    ),
    ...RELAY_ERRORS,
  ],
  handle: (context, { body, http }) =>
    context.sends.answer(
      context,
      { http },
      {
        status: 201,
        run: async ({ wallet }, { name, allowedAddresses }) => {
          if (allowedAddresses !== undefined && !context.prepared.isOf(body.transactionHash, name)) throw notAllowed();
          return sent((await wallet.sendPrepared(body.transactionHash)).hash);
        },
        recovered: ([first]) => sent(first?.hash ?? body.transactionHash),
      },
    ),
});
