import { describe, expect, test } from "bun:test";
import { base62, crc32 } from "#core/checksums";
import { actions, chars, found, UPPER } from "./samples";

/** Seventeen: the generator of samples repeats itself over a power of two. */
const HEX = "0123456789abcdef7";
const hex = (count: number): string => chars(count, HEX);
const lower = (count: number): string => chars(count, "a7kd9zq2xw5rt8lm3bv6nc4js1hg0fp");
const letters = (count: number): string => chars(count, "aKdZqXwRtLmBvNcJsHgFpQyTzGx");
const uuid = `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`;

const PREFIXED: readonly (readonly [type: string, ...secrets: readonly string[]])[] = [
  ["secret.ai_key", `hf_${chars(34)}`, `gsk_${chars(52)}`, `r8_${chars(37)}`, `xai-${chars(80)}`, `pplx-${chars(48)}`],
  ["secret.ai_key", `sk-or-v1-${hex(64)}`, `nvapi-${chars(64)}`, `lsv2_pt_${hex(32)}_${hex(10)}`, `sk-lf-${uuid}`],
  [
    "secret.cloud_token",
    `dop_v1_${hex(64)}`,
    `GOCSPX-${chars(28)}`,
    `hvs.${chars(90)}`,
    `pul-${hex(40)}`,
    `dapi${hex(32)}`,
  ],
  ["secret.cloud_token", `dp.pt.${chars(43)}`, `HRKU-AA${chars(58)}`, `pscale_tkn_${chars(43)}`, `nfp_${chars(36)}`],
  [
    "secret.cloud_token",
    `tskey-auth-${chars(12)}-${chars(32)}`,
    `sbp_${hex(40)}`,
    `dckr_pat_${chars(27)}`,
    `LTAI${chars(20)}`,
  ],
  ["secret.cloud_token", `AGE-SECRET-KEY-1${chars(58, UPPER)}`, `dt0c01.${chars(24, UPPER)}.${chars(64, UPPER)}`],
  ["secret.developer_token", `npm_${chars(30)}${base62(crc32(chars(30)), 6)}`, `pypi-AgEIcHlwaS5vcmc${chars(70)}`],
  ["secret.developer_token", `rubygems_${hex(48)}`, `lin_api_${chars(40)}`, `figd_${chars(40)}`, `ntn_${chars(46)}`],
  [
    "secret.developer_token",
    `glsa_${chars(32)}_${hex(8)}`,
    `NRAK-${chars(27, UPPER)}`,
    `sntryu_${hex(64)}`,
    `squ_${hex(40)}`,
  ],
  ["secret.developer_token", `ATATT3xFfGF0${chars(170)}`, `PMAK-${hex(24)}-${hex(34)}`, `pat${chars(14)}.${hex(64)}`],
  ["secret.developer_token", `sgp_${hex(16)}_${hex(40)}`, `bkua_${hex(40)}`, `CLOJARS_${hex(60)}`, `oy2${lower(43)}`],
  ["secret.payment_key", `shpat_${hex(32)}`, `sq0atp-${chars(22)}`, `rzp_live_${chars(14)}`, `EZAK${chars(54)}`],
  ["secret.payment_key", `access-production-${uuid}`, `amzn.mws.${uuid}`, `shippo_live_${hex(40)}`, `live_${hex(35)}`],
  [
    "secret.messaging_token",
    `SG.${chars(22)}.${chars(43)}`,
    `key-${hex(32)}`,
    `xkeysib-${hex(64)}-${chars(16)}`,
    `SK${hex(32)}`,
  ],
  ["secret.messaging_token", `mlsn.${hex(64)}`, `re_${chars(8)}_${chars(24)}`, `pat-na1-${uuid}`, `tfp_${chars(59)}`],
];

describe("a provider's token is found by its beginning", () => {
  test.each(PREFIXED.flatMap(([type, ...secrets]) => secrets.map((secret) => [type, secret] as const)))(
    "%s %s",
    (type, secret) => {
      expect(found(`take ${secret} now`)).toEqual([`${type}=${secret}`]);
      expect(actions(`"${secret}"`)).toEqual([`${type}:block`]);
    },
  );

  test("and not in a longer word, nor when it is too short or made of words", () => {
    const texts = PREFIXED.flatMap(([, ...secrets]) => secrets).flatMap((secret) => [
      // Those that are known by prefix and length are found there too: see neighbours.test.ts.
      ...(/^(?:npm_|hf_)/.test(secret) ? [] : [`x${secret}`]),
      secret.slice(0, 10),
    ]);
    for (const text of texts) expect(found(text).filter((one) => !one.startsWith("secret.generic"))).toEqual([]);
    expect(found("key-value-pairs-are-sorted secret_key_ring_of_the_whole_house_of_cards npm_config_registry")).toEqual(
      [],
    );
  });

  test("a bot's number is no part of Telegram's token", () => {
    const token = `:AA${chars(33)}`;
    expect(found(`bot 110201543${token} x`)).toEqual([`secret.telegram_token=${token}`]);
    expect(found(`see note${token} x`)).toEqual([]);
  });
});

describe("a key without a mark is found beside its provider's name", () => {
  const WRITTEN = [
    (name: string, value: string) => `${name}_api_key = "${value}"`,
    (name: string, value: string) => `${name.toUpperCase()}_TOKEN=${value}`,
    (name: string, value: string) => `"${name}Token": "${value}",`,
    (name: string, value: string) => `'${name}_secret' => '${value}'`,
    (name: string, value: string) => `const ${name}Key := \`${value}\``,
    (name: string, value: string) => `var ${name}Token string = "${value}"`,
    (name: string, value: string) => `<${name}Token>\n  ${value}\n</${name}Token>`,
    (name: string, value: string) => `System.setProperty("${name.toUpperCase()}_TOKEN", "${value}")`,
    (name: string, value: string) => `- name: ${name.toUpperCase()}_TOKEN\n  value: ${value}\n`,
    (name: string, value: string) => `{"env": "${name.toUpperCase()}_TOKEN=${value}\\nA=true"}`,
  ];
  const NAMED = [
    ["heroku", uuid],
    ["datadog", hex(32)],
    ["asana", chars(16, "0918273645")],
    ["zendesk", lower(40)],
    ["fastly", lower(32)],
    ["intercom", chars(60)],
    ["sentry", hex(64)],
    ["okta", chars(42)],
  ] as const;

  test.each(NAMED)("%s", (name, value) => {
    for (const write of WRITTEN) {
      expect(found(`1 ${write(name, value)} 2`)).toContain(`secret.provider_key=${value}`);
    }
  });

  test("and nowhere else", () => {
    for (const [name, value] of NAMED) {
      expect(found(`${name} saw ${value}`)).toEqual([]);
      expect(found(`${name}_commit = "${value}x"`)).toEqual([]);
    }
  });
});

describe("forms of their own", () => {
  const password = `${chars(9)}k7`;
  const pair = btoa(`svc-deploy:${password}`);
  const encoded = btoa(`${chars(12)}`);

  test.each([
    ["secret.azure_key", `Q~${chars(34)}`, `AZURE_CLIENT_SECRET=abc8Q~${chars(34)}`],
    ["secret.provider_key", `${hex(32)}-us12`, `use ${hex(32)}-us12 for mail`],
    ["secret.provider_key", `1477036645700765|${chars(27)}`, `facebook 1477036645700765|${chars(27)}`],
    ["secret.provider_key", hex(40), `sourcegraph: ${hex(40)}`],
    ["secret.registry_auth", pair, `{"auths": {"r.corp": {"auth": "${pair}"}}}`],
    ["secret.registry_auth", pair, `//registry.corp/:_auth=${pair}`],
    ["secret.kubernetes", encoded, `apiVersion: v1\nkind: Secret\ndata:\n  a.b: ${encoded}\n`],
    ["secret.kubernetes", encoded, `apiVersion: v1\ndata:\n  # note\n  a: |\n    ${encoded}\nkind: "Secret"\n`],
    ["secret.command_password", password, `sshpass -p '${password}' ssh root@10.0.0.1`],
    ["secret.command_password", password, `mysql -u root -p${password} shop`],
    ["secret.command_password", password, `docker login -u bob -p ${password} r.corp`],
    ["secret.command_password", password, `net user bob ${password} /add`],
    ["secret.command_password", password, `jdbc:oracle:thin:scott/${password}@db.corp:1521:orcl`],
    ["secret.connection_string", "postgres://app:p@ss:w0rd!@db.corp", "postgres://app:p@ss:w0rd!@db.corp/x"],
    ["secret.authorization_header", uuid, `Authorization: GenieKey ${uuid}`],
    ["secret.authorization_header", chars(30), `headers: Authorization: ${chars(30)}`],
    ["secret.authorization_header", chars(30), `"X-Auth": "Bearer ${chars(30)}"`],
    ["secret.curl_user", chars(20), `curl -u ${chars(20)}: https://x.dev`],
    ["secret.ai_key", `hf_${letters(34)}`, `login(hf_${letters(34)})`],
  ])("%s %#", (type, secret, text) => {
    expect(found(text)).toContain(`${type}=${secret}`);
  });

  test.each([
    `kind: ConfigMap\ndata:\n  a: ${encoded}\n`,
    `kind: Secret\ndata:\n  a: "{{ .Values.token }}"\n---\nkind: ConfigMap\n`,
    `data: ${encoded}\nkind: Secrets of the house`,
    "mysql -u root -p shop; docker run -p 8080:80 image2; ssh -p 2222 host; redis-cli -a $PASSWORD2",
    "http://u:p@example.com https://abc:xyz@example.com postgres://user:password@localhost/db",
    `"auth": "oauth2-client-credentials", "auth": "${btoa("user:password")}"`,
    `Authorization: Basic ${btoa("aladdin:opensesame")} bearer authentication2 is_described`,
    `v2_configmanagement_spec.cluster = v1_configmanagement_spec.cluster`,
    `${hex(31)}-us12 ${hex(33)}-us1 x-us2`,
  ])("none: %s", (text) => {
    expect(found(text)).toEqual([]);
  });

  test("digits in their order, and words, do not block", () => {
    for (const text of [
      `dapi${"0123456789abcdef".repeat(2)}`,
      `sk-ant-api03-${"TURN_JUMP_SKIP_HOP_DANCE_SING_PLAY"}`,
    ]) {
      expect(actions(text).map((action) => action.replace(/.*:/, ""))).toEqual(["flag"]);
    }
  });
});

describe("credentials of HTTP", () => {
  const password = `${chars(9)}!k`;
  const pair = btoa(`svc-deploy:${password}`);

  test.each([
    ["secret.authorization_header", pair, `Authorization: Basic ${pair}`],
    ["secret.authorization_header", pair, `-H 'Authorization: Basic ${pair}'`],
    ["secret.authorization_header", chars(40), `{"Authorization": "Bearer ${chars(40)}"}`],
    ["secret.authorization_header", lower(32), `headers["authorization"] = "Token ${lower(32)}"`],
    ["secret.curl_user", `svc:${password}`, `curl -s -u svc:${password} https://x.dev`],
    ["secret.curl_user", `svc:${password}`, `curl --user "svc:${password}" https://x.dev`],
  ])("%s %#", (type, secret, text) => {
    expect(found(text)).toContain(`${type}=${secret}`);
  });

  test.each([
    `Authorization: Basic ${btoa("user:password")}`,
    "Authorization: Bearer <token> Authorization: Bearer $TOKEN Authorization: Bearer YOUR_ACCESS_TOKEN",
    "Authorization: Bearer authentication is described in the next chapter",
    "curl -u user:password https://x.dev; curl -u $USER:$PASS x; curl -u '<name>:<key>' x",
    "docker run -u 1000:1000 image; sort -u list:a1b2c3d4",
  ])("none: %s", (text) => {
    expect(found(text)).toEqual([]);
  });
});

test("a token that was encoded once more, and PuTTY's key", () => {
  const encode = (value: unknown): string => btoa(JSON.stringify(value)).replace(/=+$/, "");
  const twice = btoa(`${encode({ alg: "HS256", typ: "JWT" })}.${encode({ sub: "u-17", scope: "all" })}.${chars(43)}`);
  expect(found(`data: ${twice} `)).toEqual([`secret.jwt=${twice}`]);
  const lines = `${chars(64)}\n${chars(64)}`;
  expect(found(`Private-Lines: 2\n${lines}\nPrivate-MAC: 00`)).toContainEqual(expect.stringContaining(lines));
});
