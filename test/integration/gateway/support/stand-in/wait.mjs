// Returns once something listens on the port.
import { connect } from 'node:net';

const attempt = () => {
  const socket = connect(Number(process.argv[2]), '127.0.0.1');
  socket.on('connect', () => socket.destroy());
  socket.on('error', () => setTimeout(attempt, 20));
};
attempt();
