import { decodeAddress } from '@wrkz/core-types';
import { JsonRpcError } from '../errors';

const WRONG_WALLET_ADDRESS = -4;

export interface MinerAddress {
  readonly spendPublic: Buffer;
  readonly viewPublic: Buffer;
}

/** The keys of a plain address. @throws JsonRpcError -4 with the wallet error's text; integrated ones are refused. */
export function minerAddress(text: string): MinerAddress {
  try {
    return decodeAddress(text, { allowIntegrated: false });
  } catch (error) {
    throw new JsonRpcError(WRONG_WALLET_ADDRESS, (error as Error).message);
  }
}
