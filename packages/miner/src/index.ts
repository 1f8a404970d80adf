export { ReconnectDelay } from './reconnect-delay';
export { FORMER_MINER_OPTIONS, type MinerConfig, readMinerConfig } from './config';
export { type MinerOverrides, MiningProgram } from './mining-program';
export { MINER_OPTIONS } from './options';
