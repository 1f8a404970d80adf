import { OutputBook } from '../../src/ledger/output-book';
import { output } from '../wallet-db/support/filled';
import { emptySubWallet } from './support/contents';

test('of two outputs with one key image, removing the first leaves the second', () => {
  const outputs = new OutputBook();
  outputs.addBook(emptySubWallet('alice', { unspent: [output, { ...output, key: 'second' }] }));
  outputs.remove(output.key);
  expect(outputs.findByKeyImage(output.keyImage ?? '')).toMatchObject({ output: { key: 'second' } });
  outputs.remove('second');
  expect(outputs.findByKeyImage(output.keyImage ?? '')).toBeUndefined();
});

test('removing an unknown sub-wallet changes nothing', () => {
  const outputs = new OutputBook();
  outputs.addBook(emptySubWallet('alice', { unspent: [output] }));
  outputs.removeBook('bob');
  expect(outputs.find(output.key)).toMatchObject({ list: 'unspent', output });
});
