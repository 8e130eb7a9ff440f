// One secret for all tests: ids do not differ from run to run.
import { join } from 'node:path';
import { FeederIds } from '../../pipeline/feeders/feeder-ids.ts';
import { readSecretFile } from '../../pipeline/runtime/installation-secret.ts';
import { projectDir } from './requirements.ts';

export const TEST_SECRET_FILE = join(projectDir, 'test/support/secret.txt');
export const testSecret = readSecretFile(TEST_SECRET_FILE);
export const testIds = new FeederIds(testSecret);
