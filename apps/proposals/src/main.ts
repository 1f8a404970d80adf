import { EarlyExit, runMain, versionLine } from '@wrkz/service-kit';

runMain(() => {
  const name = 'wrkz-proposals';
  const asked = process.argv.slice(2);
  if (asked.includes('--version') || asked.includes('-v')) throw new EarlyExit(versionLine(name), 0);
  throw new EarlyExit(`${name}: the proposal listing is not built yet`, 1);
});
