import { base62, crc32, entropy } from "#core/checksums";
import { ALNUM, type CharSet, charSet, TOKEN, WORD } from "#scan/char-set";
import type { Detector } from "#scan/detector";
import { CUT_OFF_REACH, isCutOff, likeness } from "./placeholder";

type Shape = {
  readonly prefix: string;
  readonly type: string;
  readonly set: CharSet;
  /** Units of the body: from and to. */
  readonly lengths: readonly [number, number];
};

const shapes = (prefixes: string, type: string, set: CharSet, least: number, most = least): Shape[] =>
  prefixes.split(" ").map((prefix) => ({ prefix, type: `secret.${type}`, set, lengths: [least, most] }));

/** Prefixes that nothing else has, with bodies of known length. Sources: as of the vendors' own detectors. */
const SHAPES: readonly Shape[] = [
  ...shapes("ghp_ gho_ ghu_ ghs_ ghr_", "github_token", ALNUM, 36),
  ...shapes("github_pat_", "github_token", WORD, 82),
  ...shapes("glpat-", "gitlab_token", TOKEN, 20),
  ...shapes("xoxb- xoxp- xoxa- xoxs-", "slack_token", charSet("A-Za-z0-9-"), 40, 90),
  ...shapes("sk_live_ rk_live_", "stripe_key", ALNUM, 24, 107),
  ...shapes("sk-ant-api03-", "anthropic_key", TOKEN, 90, 110),
  ...shapes("sk-proj-", "openai_key", TOKEN, 40, 180),
  ...shapes("gw-live- gw-sess-", "guardhouse_token", ALNUM, 38),
  ...shapes("npm_", "developer_token", ALNUM, 36),
  ...shapes("hf_", "ai_key", ALNUM, 34),
];
const BY_PREFIX: ReadonlyMap<string, Shape> = new Map(SHAPES.map((shape) => [shape.prefix, shape]));
const MAX_BODY = Math.max(...SHAPES.map(({ lengths }) => lengths[1]));
const MAX_PREFIX = Math.max(...SHAPES.map(({ prefix }) => prefix.length));
const CHECKED = /^(?:gh[pousr]_|npm_)/;

/**
 * A vendor's token right behind a letter or digit, `xghp_…`, where the vendor's detector sees no beginning. Prefix and
 * length must fit exactly, and the body must look drawn. The prefix is a cue, so that no stream waits at every word
 * that ends in a `g`; only the body is taken out.
 */
export const joinedToken: Detector = {
  id: "secret.joined_token",
  type: "secret.github_token",
  category: "secret",
  severity: "critical",
  reach: MAX_PREFIX + MAX_BODY + CUT_OFF_REACH,
  behind: 1,
  cue: true,
  keywords: SHAPES.map(({ prefix }) => prefix),
  emits: [...new Set(SHAPES.map(({ type }) => type))],
  read(view, at, length) {
    if (!view.is(at - 1, ALNUM)) return null;
    const shape = BY_PREFIX.get(view.slice(at, at + length));
    if (!shape) return null;
    const [least, most] = shape.lengths;
    const start = at + length;
    const width = view.run(start, shape.set, most + 1);
    if (width < least || width > most || isCutOff(view, start + width, shape.set)) return null;
    const body = view.slice(start, start + width);
    if (!/\d/.test(body) || !/[A-Za-z]/.test(body) || entropy(body) < 3.2 || likeness(body) < 1) return null;
    return { start, end: start + width, score: scoreOf(shape.prefix, body), type: shape.type };
  },
};

/** GitHub's and npm's tokens end in the checksum of what is before. Source: GitHub blog, 2021-04-05. */
const scoreOf = (prefix: string, body: string): number =>
  CHECKED.test(prefix) && base62(crc32(body.slice(0, 30)), 6) === body.slice(30) ? 1 : 0.85;
