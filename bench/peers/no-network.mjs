// Loaded before a peer: no connection leaves this process. Refused ones are counted.
import dns from 'node:dns'
import net from 'node:net'

let refused = 0
const refuse = () => {
  refused += 1
  throw new Error('the bench allows no network')
}
net.Socket.prototype.connect = refuse
for (const name of ['lookup', 'resolve', 'resolve4', 'resolve6']) {
  dns[name] = refuse
  dns.promises[name] = refuse
}

/** How many connections were tried. */
export const blocked = () => refused
