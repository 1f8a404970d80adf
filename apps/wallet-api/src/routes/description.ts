import { walletApi } from '@wrkz/api';
import { type ErrorRow, type ServiceDescription, VERSION } from '@wrkz/service-kit';
import type { WalletApiContext } from '../context';
import type { WalletLabels } from './declare';

const bare = (status: number, when: string): ErrorRow => ({ status, text: '', when });

const WRONG_KEY = bare(401, 'The key is missing or wrong.');
const TOO_MANY_KEYS = bare(429, 'The address has presented 100 wrong keys in this minute.');
const WRONG_STATE = bare(
  403,
  'The wallet is open where it has to be closed, or the other way round, or the key does not allow it.',
);
const BAD_MEMBER = bare(400, 'A member, or a part of the path, is missing, of a wrong type or out of its bounds.');
const FAILED = bare(500, 'The program failed inside.');

/** The head of the service's document, and the errors that routes have in common. */
export const WALLET_SERVICE: ServiceDescription<WalletApiContext, WalletLabels> = {
  title: 'WrkzCoin wallet',
  version: VERSION,
  description: 'One wallet over HTTP. Amounts are atomic units, heights are indexes of blocks.',
  alwaysAsksKey: true,
  errorBody: walletApi.walletErrorBody,
  routeErrors: ({ guards, labels, body, params, query }) => [
    ...(guards.key ? [WRONG_KEY, TOO_MANY_KEYS] : []),
    ...(labels === undefined ? [] : [WRONG_STATE]),
    ...(body === undefined && params === undefined && query === undefined ? [] : [BAD_MEMBER]),
    FAILED,
  ],
};
