import { runUnbuilt } from '@wrkz/service-kit';

runUnbuilt('wrkz-proposals', 'the proposal listing');
