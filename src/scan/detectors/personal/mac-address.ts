import { ALNUM, HEX } from "#scan/char-set";
import type { Detector } from "#scan/detector";

const LENGTH = 17;
const ADDRESS = /^[0-9a-f]{2}([:-])(?:[0-9a-f]{2}\1){4}[0-9a-f]{2}$/i;
/** All ones and all zeros name no device. */
const NO_DEVICE = /^(?:00.){5}00$|^(?:ff.){5}ff$/i;

/** Six pairs of hexadecimal digits, as IEEE 802 writes them. */
export const macAddress: Detector = {
  id: "pii.mac_address",
  category: "pii",
  severity: "low",
  reach: LENGTH,
  behind: 4,
  maxScore: 0.8,
  keywords: [":", "-"],
  begin: (_, at) => Math.max(0, at - 2),
  pending: (view) => view.text.length - view.runBack(view.text.length, HEX, 2),
  read(view, at) {
    const start = at - 2;
    if (start < 0 || !view.is(start, HEX) || !view.is(at - 1, HEX) || view.code(at + 3) !== view.code(at)) return null;
    const before = view.code(start - 1);
    const end = start + LENGTH;
    if (view.is(start - 1, ALNUM) || before === view.code(at)) return null;
    const text = view.slice(start, end);
    if (!ADDRESS.test(text) || NO_DEVICE.test(text)) return null;
    if (view.is(end, ALNUM) || (view.code(end) === view.code(at) && view.is(end + 1, HEX))) return null;
    return { start, end, score: 0.8 };
  },
};
