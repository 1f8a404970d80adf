import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { decodeTagged, encodeTagged } from '@wrkz/core-types';
import { stringifyJson } from '@wrkz/service-kit';
import { StandInNode, type SuiteNode } from '@wrkz/testing';
import { generate, type TestService } from '../support/service';
import { addressOf, CONTAINER_PASSWORD, expectedWallet, World } from '../support/world';

export const BOB = addressOf('bob');
export const ALICE = addressOf('alice');
export const NO_HASH = 'ab'.repeat(32);
export const TO_BOB = { transfers: [{ address: BOB, amount: 1_000 }], anonymity: 1 };

/** Services in every state that a method can be refused in. */
export class ServiceStates {
  readonly world = new World();
  node!: SuiteNode;
  /** Proxy between the services and the node. */
  stand!: StandInNode;
  /** A service with a balance. */
  alice!: TestService;
  /** A service with two addresses, the second of another seed. */
  two!: TestService;
  second = '';
  /** A service with a tracking container. */
  tracking!: TestService;
  /** A service whose folder was removed. */
  homeless!: TestService;
  /** A service with a damaged wallet database. */
  damaged!: TestService;

  async start(): Promise<void> {
    const { world } = this;
    this.node = await world.node();
    this.stand = world.suite.closeAtEnd(await StandInNode.start(this.node.url));
    this.alice = await world.synced('alice', this.stand.port, [], { maxHashes: 100 });
    this.two = await world.synced('erin', this.stand.port);
    const { address } = await this.two.result<{ address: string }>('createAddress');
    this.second = address;
    this.tracking = await this.trackingService();
    this.homeless = await this.homelessService();
    const file = await world.read('alice', this.stand.port);
    writeFileSync(`${file}.db`, 'no database');
    this.damaged = await world.service(file, this.stand.port);
  }

  stop(): Promise<void> {
    return this.world.stopAll();
  }

  /** Overrides the response of a route for one call. */
  async with<T>(path: string, handler: Parameters<StandInNode['on']>[1], call: () => Promise<T>): Promise<T> {
    this.stand.on(path, handler);
    try {
      return await call();
    } finally {
      this.stand.off(path);
    }
  }

  /** A delayed transaction of alice. */
  async delayed(): Promise<string> {
    const { transactionHash } = await this.alice.result<{ transactionHash: string }>(
      'createDelayedTransaction',
      TO_BOB,
    );
    return transactionHash;
  }

  /** Creates the state after a kill between a send with this key and its response. */
  interrupted(key: string, method: string, params: object, hash: string): void {
    const { now, wallet } = this.alice.rpc.context;
    const request = { owner: 'json-rpc', key };
    wallet.db.requests.begin(request, `${method} ${stringifyJson(params)}`, now());
    wallet.db.requests.link(request, hash);
  }

  /** The oldest delayed transaction of alice. */
  async first(): Promise<string> {
    const { transactionHashes } = await this.alice.result<{ transactionHashes: string[] }>(
      'getDelayedTransactionHashes',
    );
    return transactionHashes[0] ?? '';
  }

  private async trackingService(): Promise<TestService> {
    const file = this.world.newFile();
    const address = await generate(file, CONTAINER_PASSWORD);
    const service = await this.world.service(file, this.stand.port);
    await service.result('deleteAddress', { address });
    const { publicSpendKey } = expectedWallet('bob').keys.addresses[0] as unknown as { publicSpendKey: string };
    await service.result('createAddress', { spendPublicKey: publicSpendKey, newAddress: true });
    return service;
  }

  private async homelessService(): Promise<TestService> {
    const folder = this.world.suite.folder();
    const file = `${folder}/home/a.container`;
    mkdirSync(`${folder}/home`);
    await generate(file, CONTAINER_PASSWORD);
    const service = await this.world.service(file, this.stand.port);
    await service.result('createAddress');
    renameSync(`${folder}/home`, `${folder}/gone`);
    return service;
  }

  /** Restores the folder, so that the service can stop. */
  comeHome(): void {
    const { directory } = this.homeless.rpc.context;
    renameSync(directory.replace(/home$/, 'gone'), directory);
  }
}

/** An integrated address whose payment id is not hex. */
export function badlyIntegrated(): string {
  const { tag, data } = decodeTagged(ALICE);
  return encodeTagged(tag, Buffer.concat([Buffer.from('g'.repeat(64)), data]));
}
