/** Bytes taken in at a time: 1600 bits of state less twice the digest's 256. */
const RATE = 136;
const ROUNDS = 24;

/** Keccak-256 as Ethereum and Monero use it: SHA-3 (FIPS 202) with the padding of the first submission. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  const padded = new Uint8Array((Math.floor(bytes.length / RATE) + 1) * RATE);
  padded.set(bytes);
  padded[bytes.length] = 1;
  padded[padded.length - 1] = (padded[padded.length - 1] ?? 0) | 0x80;
  const words = new Int32Array(padded.buffer);
  // A lane is two words, the low one first.
  const state = new Int32Array(50);
  for (let at = 0; at < words.length; at += RATE / 4) {
    for (let i = 0; i < RATE / 4; i++) state[i] = (state[i] ?? 0) ^ (words[at + i] ?? 0);
    permute(state);
  }
  return new Uint8Array(state.buffer.slice(0, 32));
}

function permute(state: Int32Array): void {
  const shift = { bits: 1 };
  const spare = new Int32Array(10);
  for (let round = 0; round < ROUNDS; round++) {
    mixColumns(state, spare);
    moveLanes(state);
    mixRows(state, spare);
    addConstant(state, shift);
  }
}

/** θ: to each lane the parity of two neighbouring columns. */
function mixColumns(state: Int32Array, parity: Int32Array): void {
  for (let x = 0; x < 10; x++) {
    let sum = 0;
    for (let i = x; i < 50; i += 10) sum ^= state[i] ?? 0;
    parity[x] = sum;
  }
  for (let x = 0; x < 5; x++) {
    const left = ((x + 4) % 5) * 2;
    const right = ((x + 1) % 5) * 2;
    const low = parity[right] ?? 0;
    const high = parity[right + 1] ?? 0;
    const byLow = (parity[left] ?? 0) ^ ((low << 1) | (high >>> 31));
    const byHigh = (parity[left + 1] ?? 0) ^ ((high << 1) | (low >>> 31));
    for (let i = x * 2; i < 50; i += 10) {
      state[i] = (state[i] ?? 0) ^ byLow;
      state[i + 1] = (state[i + 1] ?? 0) ^ byHigh;
    }
  }
}

/** Where ρ and π move the lanes one after another, and how far each turns: the triangular numbers. */
const PATH = Int32Array.from(pathOfLanes());

function pathOfLanes(): number[] {
  const path: number[] = [];
  let x = 1;
  let y = 0;
  for (let step = 1; step <= 24; step++) {
    const nextY = (2 * x + 3 * y) % 5;
    x = y;
    y = nextY;
    path.push((x + 5 * y) * 2, ((step * (step + 1)) / 2) % 64);
  }
  return path;
}

/** ρ and π: each lane but the first turns and takes another's place. */
function moveLanes(state: Int32Array): void {
  let low = state[2] ?? 0;
  let high = state[3] ?? 0;
  for (let i = 0; i < PATH.length; i += 2) {
    const at = PATH[i] ?? 0;
    const turn = PATH[i + 1] ?? 0;
    const one = turn < 32 ? low : high;
    const other = turn < 32 ? high : low;
    const by = turn & 31;
    low = state[at] ?? 0;
    high = state[at + 1] ?? 0;
    state[at] = by === 0 ? one : (one << by) | (other >>> (32 - by));
    state[at + 1] = by === 0 ? other : (other << by) | (one >>> (32 - by));
  }
}

/** χ: the only step that is not linear. */
function mixRows(state: Int32Array, row: Int32Array): void {
  for (let y = 0; y < 50; y += 10) {
    for (let i = 0; i < 10; i++) row[i] = state[y + i] ?? 0;
    for (let i = 0; i < 10; i++) state[y + i] = (row[i] ?? 0) ^ (~(row[(i + 2) % 10] ?? 0) & (row[(i + 4) % 10] ?? 0));
  }
}

/** ι: bits from a shift register of eight, to places 0, 1, 3, 7, 15, 31 and 63. */
function addConstant(state: Int32Array, shift: { bits: number }): void {
  for (let j = 0; j < 7; j++) {
    const place = 2 ** j - 1;
    if (shift.bits & 1) state[place >> 5] = (state[place >> 5] ?? 0) ^ (1 << (place & 31));
    shift.bits = shift.bits & 0x80 ? ((shift.bits << 1) ^ 0x171) & 0xff : shift.bits << 1;
  }
}
