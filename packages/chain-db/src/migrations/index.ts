import type { Migration } from '@wrkz/sqlite';
import { initial } from './0001-initial';
import { parts } from './0002-parts';
import { paymentIds } from './0003-payment-ids';

/** The schema's history, step by step: the version of step i is i + 1. A step that files were made with never changes. */
export const MIGRATIONS: readonly Migration[] = [initial, parts, paymentIds];
