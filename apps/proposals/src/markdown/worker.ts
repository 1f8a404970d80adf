import { serveThread } from '@wrkz/service-kit/base';
import type { MarkdownThread } from './protocol';
import { excerptOf, renderText } from './render';

serveThread<MarkdownThread>(() => ({
  ready: {},
  calls: { render: renderText, excerpt: excerptOf },
  close: () => undefined,
}));
