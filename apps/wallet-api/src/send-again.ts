export { BLOCKS_TO_BE_FINAL, sendAgain } from '@wrkz/wallet-service';
