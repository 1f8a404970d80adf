import { newSuite } from '../network/daemons';
import { killBackups } from './backup-kills';

const suite = newSuite();
afterAll(() => suite.stopAll());

test('a hundred kills of a backup leave no incomplete backup', async () => {
  const moments = Array.from({ length: 100 }, (_, i) => 200 + ((i * 131) % 900));
  await killBackups(await suite.chainA(), suite.folder(), moments);
});
