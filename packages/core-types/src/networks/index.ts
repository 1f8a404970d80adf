import { devnetHeights, devnetUpgradeHeights, mainnetHeights, mainnetUpgradeHeights } from './heights';
import type { KnownBlock, Network, NetworkName } from './network';
import { ruleChanges, ruleLookup } from './table';

export * from './constants';
export type { KnownBlock, Network, NetworkName, SeedAddress } from './network';
export * from './pow-names';
export type { FeeRule, MixinRange, RuleChange, Rules, TransactionPowRule } from './rules';

/** The first block of every network: version 1, timestamp 0, nonce 70, three outputs of 500,000,000,000. */
const genesis = {
  block: Buffer.from(
    '0100000000000000000000000000000000000000000000000000000000000000000000' + // versions, timestamp, previous
      '46000000' + // nonce
      '012801ff0003' + // coinbase: version, unlock time 40, base input of height 0, three outputs
      '8090cad2c60e02484ab563a5ec4cb8aa159b878e4ca0a417e7258ec4fd338128059f2b7193dcaa' +
      '8090cad2c60e02655ed6ab140ef3ca45d8d913125b8bc8917c590af4d1b9d7b4a67396e4a76408' +
      '8090cad2c60e020e06bf1587f9768cfd735a95e8254e98c68604f690e699f8403058422ede0428' +
      '2101c47eee4cfef6f30b5368d0251ad66a5800e2f0b2b70a4a3034c7bba3c5d0d6e0' + // extra: public key
      '00', // no transactions
    'hex',
  ),
  hash: Buffer.from('877e55b4e902b9bf4c9e0a7c16440f449339d56679c49d62261ae5c92596a6ce', 'hex'),
};

const mainnet: Network = {
  name: 'mainnet',
  networkId: Buffer.from('b50c4a6ccf52574165f991a4b6c143e9', 'hex'),
  ports: { p2p: 17855, rpc: 17856, zmq: 17857 },
  genesis,
  knownBlocks: [
    { height: 100, hash: 'ac79baed856a44531af0da18b64c9c77ae4acd707962fb6f15905bd54804e3f3' },
    { height: 100_000, hash: 'c0b404b934853ea85bef3ab4a7a7ef5b4ce44eb31c4678500f7daccf64b20cd2' },
    { height: 1_000_000, hash: '3d2d2dd60aec0f03b53d9b4bd4ef47902114fca5749bcda95eb45a8d9a1c0682' },
    { height: 2_000_000, hash: '086434e6281e8bc89428a6a6418c40d20829b5e1a753c44ca177118e538467da' },
    { height: 3_000_000, hash: '7ed5ba9825d07dc1c5a5aacb84f60d35158b233c0f45f9216e7933694f56ccfc' },
    { height: 3_597_000, hash: 'b75a1662bbd0ce7a5a22c5245db33d0febc935750e861e6b0107b0491649aa13' },
  ],
  seeds: [
    { host: 'node-fin.wrkz.work', port: 17855 },
    { host: 'node-wrkz.btipz.com', port: 17855 },
  ],
  dnsSeeds: ['seeds.wrkz.work'],
  hasCheckpoints: true,
  usesUpnp: true,
  checkProofOfWork: true,
  fixedDifficulty: undefined,
  countsAsSynchronizedAlone: false,
  allowsGeneratedBlocks: false,
  rewindLimit: 4320,
  pruneDepth: 10_080,
  liteWindow: 20_160,
  dataFolder: undefined,
  upgradeHeights: mainnetUpgradeHeights,
  supportedHeight: Math.max(...mainnetUpgradeHeights),
  rulesAt: ruleLookup(ruleChanges(mainnetHeights, 1n)),
};

/** Mainnet as simnet and devnet have it: no peers needed, blocks on demand. */
const standalone: Network = {
  ...mainnet,
  knownBlocks: [],
  seeds: [],
  dnsSeeds: [],
  hasCheckpoints: false,
  usesUpnp: false,
  countsAsSynchronizedAlone: true,
  allowsGeneratedBlocks: true,
};

const simnet: Network = {
  ...standalone,
  name: 'simnet',
  networkId: Buffer.from('wrkz simnet 0001', 'latin1'),
  ports: { p2p: 27855, rpc: 27856, zmq: 27857 },
  checkProofOfWork: false,
  fixedDifficulty: 1n,
  dataFolder: 'simnet',
};

const devnet: Network = {
  ...standalone,
  name: 'devnet',
  networkId: Buffer.from('wrkz devnet 0001', 'latin1'),
  ports: { p2p: 37855, rpc: 37856, zmq: 37857 },
  fixedDifficulty: 10n,
  rewindLimit: 400,
  pruneDepth: 400,
  // Shorter than the others: a reorganisation below the lite height is refused.
  liteWindow: 40,
  dataFolder: 'devnet',
  upgradeHeights: devnetUpgradeHeights,
  supportedHeight: Math.max(...devnetUpgradeHeights),
  rulesAt: ruleLookup(ruleChanges(devnetHeights, 1000n)),
};

const networks: Readonly<Record<NetworkName, Network>> = { mainnet, simnet, devnet };

export const networkNames: readonly NetworkName[] = ['mainnet', 'simnet', 'devnet'];

/** The profile of a network. */
export function networkOf(name: NetworkName): Network {
  return networks[name];
}

/** Blocks that identify a node of the network. */
export function chainIdentity(name: NetworkName): {
  genesisHash: string;
  knownBlocks: readonly KnownBlock[];
  foreignBlocks: readonly KnownBlock[];
} {
  const { knownBlocks } = networkOf(name);
  const foreignBlocks = name === 'mainnet' ? [] : mainnet.knownBlocks.slice(0, 1);
  return { genesisHash: genesis.hash.toString('hex'), knownBlocks, foreignBlocks };
}
