import type { Maker } from "./made-personal-data";
import { ALNUM, DIGITS, LOWER, type Random, UPPER } from "./random";

const FRAMES = ["@", "token: @", "export KEY=@", '{"credential": "@"}', "use @ for the deployment", "const k = '@';"];
const TOKEN = `${ALNUM}_`;
const LOWER_DIGITS = LOWER + DIGITS;

type Row = readonly [prefix: string, length: number, alphabet?: string];

/** One of the rows, drawn anew each time: a prefix, and so much of an alphabet. */
const oneOf =
  (rows: readonly Row[]) =>
  (random: Random): string => {
    const [prefix, length, alphabet = ALNUM] = random.pick(rows);
    return prefix + random.text(length, alphabet);
  };

const HEX = "0123456789abcdef";
const LETTERS = UPPER + LOWER;

/** Forms that providers document, one row each. */
const AI: readonly Row[] = [
  ["hf_", 34, LETTERS],
  ["gsk_", 52],
  ["xai-", 80],
  ["pplx-", 48],
  ["r8_", 37],
  ["sk-or-v1-", 64, HEX],
  ["nvapi-", 64, TOKEN],
  ["lsv2_pt_", 43, `${HEX}_`],
  ["tgp_v1_", 43, TOKEN],
  ["AQ.Ab8", 46, TOKEN],
  ["pcsk_", 70, TOKEN],
];
const CLOUD: readonly Row[] = [
  ["dop_v1_", 64, HEX],
  ["GOCSPX-", 28, TOKEN],
  ["hvs.", 95, TOKEN],
  ["pul-", 40, HEX],
  ["dp.pt.", 43],
  ["HRKU-AA", 58, TOKEN],
  ["nfp_", 36],
  ["sbp_", 40, HEX],
  ["4b1d", 38],
  ["tk-us-", 48, TOKEN],
  ["AVNS_", 19, TOKEN],
  ["fo1_", 43, TOKEN],
  ["dckr_pat_", 27, TOKEN],
];
const DEVELOPER: readonly Row[] = [
  ["rubygems_", 48, HEX],
  ["CLOJARS_", 60, LOWER_DIGITS],
  ["lin_api_", 40],
  ["glsa_", 41, TOKEN],
  ["NRAK-", 27, UPPER + DIGITS],
  ["sntryu_", 64, HEX],
  ["squ_", 40, HEX],
  ["PMAK-", 59, HEX],
  ["sm_pat_", 16],
  ["_gitlab_session=", 32, LOWER_DIGITS],
  ["fio-u-", 64, TOKEN],
  ["odt_", 32],
];
const PAYMENT: readonly Row[] = [
  ["shpat_", 32, HEX],
  ["sq0atp-", 22, TOKEN],
  ["EZAK", 54],
  ["rzp_live_", 14],
  ["live_", 35, HEX],
  ["shippo_live_", 40, HEX],
];
const MESSAGING: readonly Row[] = [
  ["xkeysib-", 80, HEX],
  ["key-", 32, HEX],
  ["SG.", 66, TOKEN],
  ["p8e-", 32, LOWER_DIGITS],
];

/** Providers whose keys have no mark, and how long these are. */
const NAMED: Readonly<Record<string, number>> = {
  algolia: 32,
  coinbase: 64,
  datadog: 32,
  discord: 64,
  fastly: 32,
  mattermost: 26,
  sentry: 64,
  zendesk: 40,
};

/** Such a key beside its provider's name, as in programs and settings. */
const named = Object.entries(NAMED).map(
  ([name, length]): Maker => ({
    type: "secret.provider_key",
    make: (random) => random.hex(length),
    frames: ["#_API_KEY=@", '"#Token": "@"', "#_secret: @", "<#Key>@</#Key>"].map((frame) =>
      frame.replaceAll("#", name),
    ),
  }),
);

const pair = (random: Random): string => btoa(`svc-${random.hex(4)}:${random.text(14, ALNUM)}`);

export const VENDOR_SECRETS: readonly Maker[] = [
  { type: "secret.ai_key", make: oneOf(AI), frames: FRAMES },
  { type: "secret.cloud_token", make: oneOf(CLOUD), frames: FRAMES },
  { type: "secret.developer_token", make: oneOf(DEVELOPER), frames: FRAMES },
  { type: "secret.payment_key", make: oneOf(PAYMENT), frames: FRAMES },
  { type: "secret.messaging_token", make: oneOf(MESSAGING), frames: FRAMES },
  {
    type: "secret.azure_key",
    make: (random) => `${random.text(3, ALNUM)}${random.digits(1)}Q~${random.text(34, ALNUM)}`,
    frames: FRAMES,
  },
  ...named,
  {
    type: "secret.authorization_header",
    make: pair,
    frames: ["Authorization: Basic @", `-H 'Authorization: Basic @'`, '{"Authorization": "Basic @"}'],
  },
  {
    type: "secret.curl_user",
    make: (random) => `deploy:${random.text(12, ALNUM)}7`,
    frames: ["curl -u @ https://x.dev/a", 'curl -s --user "@" https://x.dev/a', "curl -X POST -u '@' https://x.dev/a"],
  },
  {
    type: "secret.registry_auth",
    make: pair,
    frames: ['{"auths": {"registry.corp": {"auth": "@"}}}', "//registry.corp/:_auth=@"],
  },
  {
    type: "secret.kubernetes",
    make: (random) => btoa(random.text(15, ALNUM)),
    frames: [
      "apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\ndata:\n  first: @\n",
      "apiVersion: v1\ndata:\n  first: @\nkind: Secret\nmetadata:\n  name: a\n",
    ],
  },
  {
    type: "secret.command_password",
    make: (random) => `${random.text(10, ALNUM)}7k`,
    frames: ["sshpass -p '@' ssh root@host", "mysql -h db -u root -p@ shop", "docker login -u bob -p @ registry.corp"],
  },
];
