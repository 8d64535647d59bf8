import { base62, crc32, hasChecksum } from "#core/checksums";
import { ALNUM, charSet, TOKEN, WORD } from "#scan/char-set";
import type { Detector } from "#scan/detector";
import { prefixedToken, shapesOf, type TokenShape } from "./prefixed-token";
import { isWordy } from "./spoken";

const UPPER = charSet("A-Z0-9");
const DASHED = charSet("A-Za-z0-9-");
const PATH = charSet("A-Za-z0-9/_-");
const BASE64_PADDED = charSet("A-Za-z0-9+/=");

/** Source: AWS IAM user guide, "unique identifiers". Examples in its documents end in EXAMPLE. */
export const awsAccessKey = prefixedToken({
  id: "secret.aws_access_key",
  severity: "high",
  shapes: shapesOf("AKIA ASIA ABIA ACCA", { set: UPPER, length: 16, exact: true }),
});

const googleKey = prefixedToken({
  id: "secret.gcp_api_key",
  severity: "high",
  // One in four of those that stand in code is published on purpose, and looks no different.
  shapes: [{ prefix: "AIza", set: TOKEN, length: 35, score: () => 0.8 }],
});

/** Units on either side of a key in which Firebase's other settings may stand. */
const SETTINGS = 160;
const FIREBASE = /firebase|auth_?domain|messaging_?sender/i;

/** A key in the settings of a Firebase app is in every page of it and opens nothing. Source: Firebase, "API keys". */
export const gcpApiKey: Detector = {
  ...googleKey,
  reach: googleKey.reach + SETTINGS,
  behind: SETTINGS,
  read(view, at, length) {
    const match = googleKey.read(view, at, length);
    if (!match || match.score < PUBLIC_SCORE) return match;
    const isPublic =
      FIREBASE.test(view.before(at, SETTINGS)) || FIREBASE.test(view.slice(match.end, match.end + SETTINGS));
    return isPublic ? { ...match, score: PUBLIC_SCORE } : match;
  },
};
/** Noted only. */
const PUBLIC_SCORE = 0.4;

/** The last six characters are the checksum of the thirty before. Source: GitHub blog, 2021-04-05. */
const githubScore = (body: string): number => (base62(crc32(body.slice(0, 30)), 6) === body.slice(30) ? 1 : 0.85);

export const githubToken = prefixedToken({
  id: "secret.github_token",
  severity: "critical",
  shapes: [
    ...shapesOf("ghp_ gho_ ghu_ ghs_ ghr_", { set: ALNUM, length: 36, score: githubScore }),
    { prefix: "github_pat_", set: WORD, length: 36 },
  ],
});

export const gitlabToken = prefixedToken({
  id: "secret.gitlab_token",
  severity: "critical",
  shapes: shapesOf(
    "glpat- gldt- glrt- glrtr- glptt- glft- glsoat- glcbt- glimt- glagent- glffct- gloas- glwt- GR1348941",
    { set: TOKEN, length: 20 },
  ),
});

/** Numbers of workspaces and bots have ten digits and more: shorter ones are made up. */
const SHORT_IDS = /^\d{1,6}-\d{1,6}-/;

/** Digits and letters; names of variables have the prefix too. */
const slackScore = (body: string): number => (!/\d/.test(body) ? 0.2 : isWordy(body) || SHORT_IDS.test(body) ? 0.4 : 1);

export const slackToken = prefixedToken({
  id: "secret.slack_token",
  severity: "high",
  shapes: [
    ...shapesOf("xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs- xoxe.xoxp- xoxe.xoxb- xapp-", {
      set: DASHED,
      length: 16,
      score: slackScore,
    }),
    ...shapesOf("xoxa- xoxr-", { set: DASHED, length: 10, score: (body) => (/\d/.test(body) ? 0.8 : 0) }),
    ...shapesOf("hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/", {
      set: PATH,
      length: 24,
    }),
  ],
});

/** Keys of Stripe's test mode move no money: they are only flagged. */
export const stripeKey = prefixedToken({
  id: "secret.stripe_key",
  severity: "critical",
  shapes: [
    ...shapesOf("sk_live_ rk_live_ sk_prod_ rk_prod_", { set: ALNUM, length: 16 }),
    ...shapesOf("sk_test_ rk_test_", { set: ALNUM, length: 16, score: () => 0.6 }),
    { prefix: "whsec_", set: BASE64_PADDED, length: 24 },
  ],
});

export const anthropicKey = prefixedToken({
  id: "secret.anthropic_key",
  severity: "critical",
  shapes: [{ prefix: "sk-ant-", set: TOKEN, length: 28 }],
});

/** Our own keys: a right checksum is proof, a wrong one a typing error or a made-up key. */
const ownScore =
  (prefix: string) =>
  (body: string): number =>
    hasChecksum(prefix + body) ? 1 : 0.6;

const ownKey = (prefix: string): TokenShape => ({ prefix, set: ALNUM, length: 38, score: ownScore(prefix) });

/** Gateway tokens, old and new, session keys of people, and what programs get that people let in. */
export const guardhouseToken = prefixedToken({
  id: "secret.guardhouse_token",
  severity: "critical",
  shapes: [
    ...[ownKey("gw-live-"), ownKey("gw-sess-"), { prefix: "gwk_", set: TOKEN, length: 20 }],
    ...shapesOf("gw-at- gw-rt-", { set: ALNUM, length: 32 }),
  ],
});
