import { serveThread } from '@wrkz/service-kit';
import type { MarkdownThread } from './protocol';
import { renderText } from './render';

serveThread<MarkdownThread>(() => ({ ready: {}, calls: { render: renderText }, close: () => undefined }));
