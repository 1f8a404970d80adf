export { plainPaymentId } from './plain-id';
export { PaymentIdQueries, type PaymentIdUse } from './queries';
export { PAYMENT_ID_SCHEMA, PAYMENT_ID_TABLES } from './schema';
export { PaymentIdStore } from './store';
