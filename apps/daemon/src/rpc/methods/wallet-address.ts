import { daemonApi } from '@wrkz/api';
import { decodeAddress } from '@wrkz/core-types';
import { refuse } from '../errors';

export interface MinerAddress {
  readonly spendPublic: Buffer;
  readonly viewPublic: Buffer;
}

/** The keys of a plain address. @throws JsonRpcError -4 with the wallet error's text; integrated ones are refused. */
export function minerAddress(text: string): MinerAddress {
  try {
    return decodeAddress(text, { allowIntegrated: false });
  } catch (error) {
    throw refuse(daemonApi.rpcErrors.wrongAddress, { message: (error as Error).message });
  }
}
