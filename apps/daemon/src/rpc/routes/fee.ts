import type { Route } from '../route';

/**
 * A node of this suite charges nothing; old clients still ask. This is the whole contract: the interface document
 * lists the route and says that the node fee is zero.
 */
export const fee: Route = {
  method: 'GET',
  path: '/fee',
  mode: 'Default',
  handle: () => ({ address: '', amount: 0, status: 'OK' }),
};
