export * from './budget';
export * from './header';
export * from './limits';
export * from './parser';
