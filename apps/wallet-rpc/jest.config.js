'use strict';

module.exports = {
  ...require('../../jest.base').projectConfig(__dirname),
  setupFiles: ['<rootDir>/../../packages/wallet-core/test/support/cheap-keys.ts'],
};
