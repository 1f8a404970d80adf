import type { Logger } from '@wrkz/service-kit';
import type { DaemonConfig } from '../../config/config';
import type { TopicStream } from '../topics';
import { defaultZmqEndpoint, parseZmqEndpoint } from './endpoint';
import { ZmqPublisher } from './publisher';

/** The publisher as the options want it; undefined when it is switched off, or could not be had. */
export async function startZmq(
  { options, network }: Pick<DaemonConfig, 'options' | 'network'>,
  topics: TopicStream,
  logger: Logger,
): Promise<ZmqPublisher | undefined> {
  const endpoint = parseZmqEndpoint(options['zmq-pub'] ?? defaultZmqEndpoint(network));
  return options['no-zmq'] || endpoint === undefined ? undefined : ZmqPublisher.start(endpoint, topics, logger);
}
