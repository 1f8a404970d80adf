'use strict';

module.exports = require('../../jest.base').projectConfig(__dirname);
