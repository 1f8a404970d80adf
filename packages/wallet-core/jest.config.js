'use strict';

const base = require('../../jest.base');

module.exports = { ...base.projectConfig(__dirname), setupFiles: [base.cheapKeys(__dirname)] };
