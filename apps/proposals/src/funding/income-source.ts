import type { ProposalsOptions } from '../config';
import type { IncomeSource } from './income';
import { WalletApiIncome } from './wallet-api';
import { WalletRpcIncome } from './wallet-rpc';

/** The wallet that the options name; undefined for none. */
export function incomeSource(options: ProposalsOptions): IncomeSource | undefined {
  const api = options['wallet-api'];
  if (api !== undefined) return new WalletApiIncome(api, options['wallet-api-key'] ?? '');
  const rpc = options['wallet-rpc'];
  return rpc === undefined ? undefined : new WalletRpcIncome(rpc, options['wallet-rpc-password'] ?? '');
}
