import Database from 'better-sqlite3';
import { memoryStore, sqliteStore } from '../../../src/client/index.js';
import { describeStore } from './support/store-contract.js';

describeStore('memory', () => ({ store: memoryStore(), destroy: () => {} }));
describeStore('small memory', () => ({
  store: memoryStore({ ids: 'uuid', capacityPerInstance: 40 }),
  destroy: () => {},
}));

describeStore('SQLite', () => {
  const database = new Database(':memory:');
  return { store: sqliteStore(database), destroy: () => void database.close() };
});
