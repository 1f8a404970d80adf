import { runUnbuilt } from '@wrkz/service-kit';

runUnbuilt('wrkz-wallet-rpc', 'the wallet over JSON-RPC');
