const CHARSET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
/** What a right text comes to: BIP 173, and BIP 350 for Bitcoin's later addresses. */
const RIGHT = [1, 0x2bc830a3];

/** A text of BIP 173: what stands before its `1` is part of what its last six characters check. */
export function isBech32(text: string): boolean {
  const lower = text.toLowerCase();
  if (text !== lower && text !== text.toUpperCase()) return false;
  const split = lower.lastIndexOf("1");
  const head = [...lower.slice(0, split)].map((char) => char.charCodeAt(0));
  const data = [...lower.slice(split + 1)].map((char) => CHARSET.indexOf(char));
  if (data.length < 7 || data.includes(-1)) return false;
  const values = [...head.map((code) => code >> 5), 0, ...head.map((code) => code & 31), ...data];
  return RIGHT.includes(values.reduce(step, 1));
}

function step(sum: number, value: number): number {
  const top = sum >>> 25;
  const next = ((sum & 0x1ffffff) << 5) ^ value;
  return GENERATOR.reduce((all, by, i) => ((top >> i) & 1 ? all ^ by : all), next);
}
