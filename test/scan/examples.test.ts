import { describe, expect, test } from "bun:test";
import { StreamScanner } from "#scan/stream-scanner";
import { LABELS } from "#test/support/labels";
import { verifies } from "#test/support/verifies";
import { actions, chars, DEFAULT, SECRETS } from "./samples";

const HEX = chars(32, "0123456789abcdef");
/** The token on the front page of jwt.io, put together here. */
const SHOWN_TOKEN = [
  btoa('{"alg":"HS256","typ":"JWT"}'),
  btoa('{"sub":"1234567890","name":"John Doe","iat":1516239022}'),
  chars(43),
]
  .join(".")
  .replaceAll("=", "");
const FIREBASE_KEY = `AIza${chars(35)}`;

const enforced = (text: string): string[] =>
  (["user", "tool_result", "output"] as const).flatMap((origin) =>
    actions(text, origin).filter((it) => !it.endsWith(":flag")),
  );

describe("placeholders and examples block nothing", () => {
  test.each([
    SHOWN_TOKEN,
    `Authorization: Bearer ${SHOWN_TOKEN}`,
    `JWT_TOKEN=${SHOWN_TOKEN}`,
    ...["...", "…", "****"].flatMap((end) => [
      `${SECRETS.github}${end}`,
      `GITHUB_TOKEN=${SECRETS.github}${end}`,
      `sk-ant-api03-${chars(30)}${end}`,
      `sk-proj-${chars(26)}${end}`,
      `OPENAI_API_KEY=sk-${chars(24)}${end}`,
      `Bearer ${chars(30)}${end}`,
      `api_key: "${chars(20)}${end}"`,
      `glpat-${chars(20)}${end}`,
    ]),
    "AKIADEADBEEFDEADBEEF",
    "secret_key: deadbeefcafebabe1234567890abcdef",
    "AES_KEY=00112233445566778899aabbccddeeff",
    `token: ${"x".repeat(24)}`,
    "Authorization: Bearer your-token-here",
    "api_key = your-api-key-here-123",
    "sk_live_abcdefghijklmnop12345678",
    "ghp_AAAAAAAAAAAAAAAABBBBBBBBBBBBBBBBCCCC",
  ])("%s", (text) => {
    verifies("scan.published-examples");
    expect(enforced(text)).toEqual([]);
  });

  test("the same values, whole, do", () => {
    expect(enforced(SECRETS.github)).toHaveLength(3);
    expect(enforced(`see ${SECRETS.github}. Then`)).toHaveLength(3);
    expect(enforced(`Bearer ${chars(30)}`)).toHaveLength(3);
    expect(enforced(`sk-ant-api03-${chars(30)}`)).toHaveLength(3);
  });

  test("in a stream too, wherever it is cut", () => {
    verifies("scan.published-examples");
    for (let at = 1; at < 52; at++) {
      const text = `use ${SECRETS.github}... here`;
      const scanner = new StreamScanner(DEFAULT, "output", LABELS);
      scanner.push(text.slice(0, at));
      scanner.push(text.slice(at));
      scanner.end();
      expect(scanner.release(text.length).text).toBe(text);
    }
  });
});

describe("identifiers that are public by design block nothing", () => {
  test.each([
    `pk_live_${chars(24)}`,
    `STRIPE_PUBLISHABLE_KEY=pk_live_${chars(24)}`,
    `stripe_key = "pk_test_${chars(24)}"`,
    `SENTRY_DSN=https://${HEX}@o447951.ingest.sentry.io/5429219`,
    `client_id=${chars(12, "123456789")}-${chars(32, "abcdefgh01234567")}.apps.googleusercontent.com`,
    `GITHUB_CLIENT_ID=Iv1.${chars(16, "0123456789abcdef")}`,
    `spotify_client_id: ${HEX}`,
    `discord_client_id = "${chars(18, "123456789")}"`,
    `auth0_client_id=${chars(32)}`,
    `adobe_client_id = "${HEX}"`,
    `algolia_search_key=${HEX}`,
    `firebaseConfig = { apiKey: "${FIREBASE_KEY}", authDomain: "x.firebaseapp.com", projectId: "x" }`,
    `{"apiKey":"${FIREBASE_KEY}","authDomain":"x.firebaseapp.com"}`,
    `mapbox: pk.eyJ1Ijoi${chars(40)}.${chars(22)}`,
    `VAPID_PUBLIC_KEY=B${chars(86)}`,
    `POSTHOG_KEY=phc_${chars(43)}`,
    `RECAPTCHA_SITE_KEY=6L${chars(38)}`,
  ])("%s", (text) => {
    verifies("scan.published-examples");
    expect(enforced(text)).toEqual([]);
  });

  test("their secret counterparts do", () => {
    for (const text of [
      `STRIPE_SECRET_KEY=sk_live_${chars(24)}`,
      `google_maps_key=${FIREBASE_KEY}`,
      `spotify_client_secret: ${HEX}`,
      `auth0_client_secret=${chars(32)}`,
    ])
      expect(enforced(text).length).toBeGreaterThan(2);
  });
});

describe("a secret that only its name makes one is stopped as well", () => {
  test.each([
    `password = "${chars(18)}"`,
    `"apiToken": "${chars(32)}"`,
    `ACME_API_KEY=${chars(40)}`,
    `export INTERNAL_SECRET=${HEX}`,
  ])("%s", (text) => {
    verifies("scan.generic-secrets");
    expect(actions(text)).toContain("secret.generic:block");
    expect(actions(text, "output")).toContain("secret.generic:redact");
    expect(actions(text, "tool_result")).toContain("secret.generic:redact");
  });

  test.each(["password: hunter22", 'password: "Sommer2024!"', "token: 4f9a8b2c1d"])("%s is only flagged", (text) => {
    verifies("scan.generic-secrets");
    expect(actions(text).filter((it) => !it.endsWith(":flag"))).toEqual([]);
  });
});
