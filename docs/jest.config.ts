/** @jest-config-loader esbuild-register */
import { projectConfig } from '../jest.base';

export default projectConfig(__dirname, 'docs');
