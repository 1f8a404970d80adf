import { refusal } from '@wrkz/service-kit';
import { GUARDED, route } from '../../rpc/declare';
import { WEBSOCKET_PATH } from './hub';

/** What does not ask for an upgrade is told to; upgrades never come here. */
export const webSocketRoute = route({
  method: 'GET',
  path: WEBSOCKET_PATH,
  summary:
    'The events as a WebSocket stream; topics=a,b chooses by prefix. This answer is for requests without an upgrade.',
  guards: GUARDED,
  labels: { mode: 'Default', source: 'node' },
  answer: { contentType: 'application/json', description: 'never: 101 is answered by the upgrade' },
  errors: [],
  handle: () => {
    throw refusal('upgrade_required', { headers: { 'Sec-WebSocket-Version': '13' } });
  },
});
