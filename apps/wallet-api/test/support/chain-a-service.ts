import { cpSync } from 'node:fs';
import { Daemon, readConfig } from '@wrkz/daemon';
import { silentLogger } from '@wrkz/service-kit';
import { CHAIN_A_HEIGHT, chainAWallet, StandInNode, Suite, type SuiteNode } from '@wrkz/testing';
import type { WalletSnapshot } from '@wrkz/wallet-core';
import type { WalletApiOverrides } from '../../src';
import { type ServiceResponse, PASSWORD, TestService } from './service';

/** Addresses of the recorded wallets, and of the miner `grace`, which is in none of them. */
export const ADDRESSES = Object.fromEntries(
  ['alice', 'bob', 'carol', 'dave', 'erin', 'frank', 'grace'].map((name) => [name, chainAWallet(name).address]),
) as Record<'alice' | 'bob' | 'carol' | 'dave' | 'erin' | 'frank' | 'grace', string>;

/** More blocks than the default unlock time of sends. */
export const BLOCKS_TO_UNLOCK = 40;

/** A daemon with chain A, a stand-in node that forwards to the daemon, and services that use the stand-in. */
export class ChainAStage {
  private readonly services: TestService[] = [];

  private constructor(
    private readonly suite: Suite,
    readonly node: SuiteNode,
    readonly standIn: StandInNode,
  ) {}

  static async set(): Promise<ChainAStage> {
    const suite = new Suite((args) => Daemon.create(readConfig(args), { logger: silentLogger() }));
    const chain = await suite.chainA();
    const node = await suite.node({ from: chain });
    return new ChainAStage(suite, node, suite.closeAtEnd(await StandInNode.start(node.url)));
  }

  /** Stops all services, so that they do not scan the blocks of the next test. */
  async clear(): Promise<void> {
    for (const service of this.services.splice(0)) await service.stop();
  }

  async strike(): Promise<void> {
    await this.clear();
    await this.suite.stopAll();
  }

  async service(args: readonly string[] = [], overrides: WalletApiOverrides = {}): Promise<TestService> {
    const service = await TestService.start(args, overrides);
    this.services.push(service);
    return service;
  }

  /** Simulates a kill: starts a service with copies of the current files of another one. */
  async afterKill(service: TestService, args: readonly string[] = []): Promise<TestService> {
    const next = await this.service(args);
    cpSync(service.folder, next.folder, { recursive: true });
    return next;
  }

  /** Opens a wallet of chain A, and waits until it is synchronized. Copies its file unless `isThere`. */
  async open(service: TestService, name: string, isThere = false): Promise<void> {
    if (!isThere) service.copyWallet(`${name}.restored.wallet`, `${name}.wallet`);
    const place = { daemonHost: '127.0.0.1', daemonPort: this.standIn.port };
    const body = { filename: `${name}.wallet`, password: `secret_${name}`, ...place };
    requireStatus(await service.json('POST', '/wallet/open', body), 200);
    await service.synced(CHAIN_A_HEIGHT);
  }

  /** Mines blocks, and waits until the wallet has them and is at the tip. */
  async mine(service: TestService, count: number): Promise<void> {
    await this.node.generate(ADDRESSES.grace, count);
    await service.synced(this.node.height);
    const open = service.api.current;
    while (open !== undefined && !open.wallet.syncStatus.isAtTip) await new Promise((resolve) => setImmediate(resolve));
  }
}

export function requireStatus(response: ServiceResponse, status: number): ServiceResponse {
  if (response.status !== status)
    throw new Error(`${String(response.status)} instead of ${String(status)}: ${response.text}`);
  return response;
}

/** Sends a payment, with an Idempotency-Key if one is given. */
export function send(
  service: TestService,
  body: { readonly destination: string; readonly amount: number },
  { key, rpcKey = PASSWORD, path = '/transactions/send/basic' }: { key?: string; rpcKey?: string; path?: string } = {},
): Promise<ServiceResponse> {
  const headers: Record<string, string> = key === undefined ? {} : { 'Idempotency-Key': key };
  return service.request({ method: 'POST', path, key: rpcKey, headers, body: JSON.stringify(body) });
}

export const parsed = <T = Record<string, unknown>>({ text }: ServiceResponse): T => JSON.parse(text) as T;

export const hashOf = (response: ServiceResponse): string =>
  parsed<{ transactionHash: string }>(requireStatus(response, 201)).transactionHash;

export const codeOf = (response: ServiceResponse): number | undefined =>
  response.text === '' ? undefined : parsed<{ errorCode?: number }>(response).errorCode;

/** Waits for a condition on the open wallet, which is checked after every change. */
export async function untilWallet(service: TestService, holds: (snapshot: WalletSnapshot) => boolean): Promise<void> {
  const { wallet } = service.api.current ?? {};
  if (wallet === undefined) throw new Error('no wallet is open');
  while (!holds(wallet.snapshot)) await new Promise<void>((resolve) => wallet.once('changed', resolve));
}

/** Whether all unspent outputs have global indexes, without which they cannot be spent. */
export const hasIndexes = ({ subWallets }: WalletSnapshot): boolean =>
  subWallets.every(({ unspent }) => unspent.every(({ globalIndex }) => globalIndex !== undefined));
