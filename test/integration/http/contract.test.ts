import { contract } from './support/contract.js';
import { MOUNTS } from './support/mounts.js';

contract(MOUNTS);
