export { readFailover } from './failover';
export { nodeChoice, nodeList, type NodeChoice, type NodeMembers, type NodeSettings } from './node-choice';
export { nodeFollowOptions, networkOption, scanOptions, workOptions } from './node-options';
export { BLOCKS_OF_NEWS, isNews } from './news';
export { BLOCKS_TO_BE_FINAL, sendAgain } from './send-again';
export { netAmount } from './net-amount';
