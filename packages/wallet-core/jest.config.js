'use strict';

module.exports = {
  ...require('../../jest.base').projectConfig(__dirname),
  setupFiles: ['<rootDir>/test/support/cheap-keys.ts'],
};
