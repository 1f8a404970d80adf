import { runUnbuilt } from '@wrkz/service-kit';

runUnbuilt('wrkz-wallet-api', 'the wallet over HTTP');
