import type { Method } from '../route';

export const getblockcount: Method = {
  name: 'getblockcount',
  mode: 'Default',
  handle: ({ reader }) => ({ count: reader.tip().height + 1, status: 'OK' }),
};
