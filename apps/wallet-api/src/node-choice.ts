export { nodeChoice, nodeList, type NodeChoice, type NodeMembers, type NodeSettings } from '@wrkz/wallet-service';
