import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { drawnBits } from "#scan/detectors/drawn";
import { isEnforced } from "#scan/policy";
import { redactText, scanText } from "#scan/scan";
import { StreamScanner } from "#scan/stream-scanner";
import { namedAlone, namedCredential } from "#test/eval/made-secrets-named";
import { ALNUM, LOWER, Random } from "#test/eval/random";
import { costRatio } from "#test/support/cost";
import { LABELS } from "#test/support/labels";
import { verifies } from "#test/support/verifies";
import { vendorTexts } from "./honest/vendors";
import { actions, chars, DEFAULT, found, scan } from "./samples";

const random = new Random(20_261_127);
const key = random.text(32, ALNUM);
const short = random.text(14, ALNUM);
const hex = random.hex(32);
const uuid = [8, 4, 4, 4, 12].map((length) => random.hex(length)).join("-");

/** The values of secrets that are redacted in a text. */
const stopped = (text: string): string[] =>
  scan(text, "tool_result")
    .findings.filter(({ category, action }) => category === "secret" && isEnforced(action))
    .map(({ start, end }) => text.slice(start, end));

describe("a service's name beside a value that looks drawn", () => {
  test.each([
    `ETHERSCAN_API_KEY=${hex}`,
    `etherscan.secret: ${key}`,
    `"etherscanToken": "${key}"`,
    `etherscan_client_secret = '${key}'`,
    `The Etherscan key is ${key}`,
    `Your Etherscan API token is: ${hex}`,
    `Etherscan API key (production): ${hex}`,
    `etherscan_pat: ${hex}`,
    `getEtherscanKey() == '${key}', ETHERSCANKey = '${key}'`,
    `etherscan:\n  key: ${hex}`,
    `"etherscan": {"key": "${hex}"}`,
    `new EtherscanClient("${hex}")`,
    `etherscan license key ${hex}`,
    `API_KEY_ETHERSCAN=${uuid}`,
  ])("is stopped: %s", (text) => {
    verifies("scan.service-secrets");
    expect(stopped(text).some((value) => [key, hex, uuid].includes(value))).toBe(true);
  });

  test("of samples made by rule at least nine in ten are found and eight in ten stopped", () => {
    verifies("scan.service-secrets");
    const samples = Array.from({ length: 2000 }, () => namedCredential(random));
    const results = samples.map(({ frame, value }) => {
      const start = frame.indexOf("@");
      const findings = scan(frame.replace("@", () => value)).findings.filter(
        (one) => one.category === "secret" && one.start < start + value.length && one.end > start,
      );
      return { found: findings.length > 0, stopped: findings.some(({ action }) => isEnforced(action)) };
    });
    expect(results.filter((one) => one.found).length).toBeGreaterThanOrEqual(0.9 * samples.length);
    expect(results.filter((one) => one.stopped).length).toBeGreaterThanOrEqual(0.8 * samples.length);
  });

  test("alone it stops nothing: ids, digests and commits stand there too", () => {
    verifies("scan.service-secrets");
    for (let count = 0; count < 300; count++) {
      const { frame, value } = namedAlone(random);
      expect(stopped(frame.replace("@", () => value))).toEqual([]);
    }
  });
});

test("of texts that name services beside ids, digests and commits, next to nothing is touched", () => {
  verifies("scan.honest-services");
  const texts = vendorTexts(new Random(20_261_128), 8_000);
  const seen = texts.map(({ origin, text }) => ({
    text,
    findings: scan(text, origin).findings.filter(({ category }) => category === "secret"),
  }));
  const flagged = seen.filter(({ findings }) => findings.length > 0);
  const enforced = flagged.filter(({ findings }) => findings.some(({ action }) => isEnforced(action)));
  const told = (which: typeof seen): string[] =>
    which.slice(0, 9).map(({ text, findings }) => findings.map(({ start, end }) => text.slice(start - 30, end)).join());
  expect(enforced.length <= texts.length * 0.0005 ? [] : told(enforced)).toEqual([]);
  expect(flagged.length <= texts.length * 0.003 ? [] : told(flagged)).toEqual([]);
}, 120_000);

describe("what services number, sum up or show is no secret", () => {
  test.each([
    `SENTRY_RELEASE=${random.hex(40)}`,
    `cloudflare_zone_id: ${hex}`,
    `x-datadog-trace-key: ${uuid}`,
    `x-slack-request-id: ${random.hex(32)}`,
    `netlify_site_id = "${uuid}"`,
    `await stripe.customers.retrieve("cus_${random.text(14, ALNUM)}")`,
    `stripe_price: price_1${random.text(23, ALNUM)}`,
    `figma_checksum: ${random.hex(64)}`,
    `github: pushed ${random.hex(40)} to main`,
    `TXT "jenkins-site-verification=${random.text(43, ALNUM)}"`,
    `GITLAB_TOKEN=<your-gitlab-token>\nGITLAB_ACCOUNT_ID=${hex}`,
    `await airtable.webhooks.retrieve("${hex}")`,
    `--change-token ${uuid} --lock-token ${uuid} --next-token ${key}`,
    `auth0: 1:${random.digits(12)}:web:${random.hex(22)}`,
    `segment_publishable_key: pk_live_${random.text(24, ALNUM)}`,
  ])("%s", (text) => {
    verifies("scan.honest-services");
    expect(found(text).filter((it) => it.startsWith("secret."))).toEqual([]);
  });
});

describe("values in addresses", () => {
  test.each([
    [key, `https://maps.corp.io/geocode?address=x&key=${key}`],
    [hex, `https://api.corp.io/v2/list?key=${hex}&page=2`],
    [hex, `https://api.corp.io/data/2.5/weather?q=x&appid=${hex}`],
    [short, `https://ws.corp.io/stream?token=${short}`],
    [`${random.text(54, ALNUM)}==`, ""],
    [key, `https://${key}@git.corp.io/acme/app.git`],
  ])("%s is stopped", (value, text) => {
    verifies("scan.address-secrets");
    const address = text === "" ? `https://app.azurewebsites.net/api/fn?code=${value}` : text;
    expect(stopped(address)).toContain(value);
  });

  test.each([
    `https://cdn.corp.io/blob?key=${hex}`,
    `https://corp.io/callback?code=${short}&state=${short}`,
    "https://corp.io/search?key=product-catalogue-2024&page=2",
    `https://${hex}@o4479.ingest.sentry.io/54292`,
  ])("%s passes", (text) => {
    verifies("scan.address-secrets");
    expect(stopped(text)).toEqual([]);
  });

  test("signatures of addresses that expire are noted", () => {
    verifies("scan.address-secrets");
    const address = `https://b.s3.corp.io/f?X-Amz-Expires=60&X-Amz-Signature=${random.hex(64)}`;
    expect(actions(address, "tool_result").filter((it) => it.startsWith("secret."))).toContain("secret.generic:flag");
    expect(stopped(address)).toEqual([]);
  });
});

describe("passwords of connections and password files", () => {
  test.each([
    `jdbc:postgresql://db.corp:5432/app?user=svc&password=@`,
    `jdbc:sqlserver://db.corp:1433;databaseName=app;user=svc;password=@;encrypt=true`,
    `Driver={ODBC Driver 18 for SQL Server};Server=db.corp;Uid=svc;PWD=@;`,
    `Driver={SQL Server};Server=db.corp;Uid=svc;PWD={@};`,
    `Data Source=db.corp;Initial Catalog=app;User ID=svc;Password=@;Connect Timeout=30`,
    `app.redis.cache.corp.net:6380,password=@,ssl=True,abortConnect=False`,
    `host=db.corp port=5432 user=svc password=@ dbname=app`,
    `db.corp:5432:app:svc:@`,
    `machine api.corp\n  login svc\n  password @`,
    `machine api.corp login svc password @`,
    `variable "db_password" {\n  type    = string\n  default = "@"\n}`,
    `ldapsearch -H ldap://ldap.corp -D "cn=admin,dc=corp" -w @ -b dc=corp`,
    `bindpw @`,
    `keytool -list -storepass @ -keystore k.jks`,
    `sqlcmd -S db.corp -U sa -P @`,
    `apiKey:\n  @@`,
    `secret: >-\n  @@`,
    `{"name":"API_KEY","value":"@@"}`,
    `**API Key:** \`@@\``,
    `client = Client("AC${hex}", "@@")`,
    `BasicCredentials('svc-reporting', '@@')`,
    `DB_PASSWORD=@`,
  ])("%s", (frame) => {
    verifies("scan.connection-secrets");
    const value = frame.includes("@@") ? key : short;
    expect(stopped(frame.replace(/@@?/, value)).some((it) => it.endsWith(value))).toBe(true);
  });

  test.each([
    `Server=db.corp;Uid=svc;Pwd=\${DB_PASSWORD};`,
    "host=localhost user=postgres password=postgres dbname=app",
    "Data Source=db.corp;Password=<password>;",
    "machine learning login page password field",
    "machine api.corp login anonymous password guest@corp.example",
    `variable "db_password" {\n  type = string\n  default = ""\n}`,
    `variable "region" {\n  default = "eu-central-1"\n}`,
    'default = true; default: "none"',
    `auth("user", "password"); login('alice', 'wonderland'); client("https://corp.io/a", "${key}")`,
    "db.corp:5432:app:svc:password",
  ])("%s passes", (text) => {
    verifies("scan.connection-secrets");
    expect(stopped(text)).toEqual([]);
  });
});

describe("how drawn a value looks", () => {
  const words = fc
    .array(
      fc.constantFrom(..."user account session billing deploy region worker index report client token".split(" ")),
      {
        minLength: 2,
        maxLength: 5,
      },
    )
    .chain((parts) =>
      fc.constantFrom(parts.join("_"), parts.join("-"), parts.join("."), parts.join(""), parts.join("_").toUpperCase()),
    );

  test("words and names of words are none", () => {
    verifies("scan.drawn");
    fc.assert(fc.property(words, (name) => drawnBits(name) < 8));
  });

  test("what chance draws is, from sixteen letters and digits on, in 95 of 100 cases", () => {
    verifies("scan.drawn");
    for (const alphabet of [ALNUM, "0123456789abcdef", `${LOWER}0123456789`, `${ALNUM}-_`]) {
      const values = Array.from({ length: 1000 }, () => random.text(16, alphabet));
      expect(values.filter((value) => drawnBits(value) >= 14).length).toBeGreaterThanOrEqual(920);
    }
  });
});

/** Texts that new detectors decide about late or look back in. */
const FRAGMENTS = [
  ...'etherscan,Etherscan,_api_key,API_KEY,=,: ,\n,\n  ,", ",token,key, is ,(production),@tcp(,db:,:5432:app:svc:'.split(
    ",",
  ),
  ...[
    "machine api.corp login svc ",
    "password ",
    "Server=db.corp;Uid=svc;Pwd=",
    "?key=",
    "&sig=",
    "https://",
    "@corp.io",
  ],
  ...['variable "db_password" {', 'default = "', "Client(", ", ", "'", key, short, hex, uuid, "words", " "],
  ...['" + "', '" +\n  "', 'api_key = "'],
];

test("a stream finds and redacts what the whole text has, however it is cut", () => {
  verifies("scan.service-secrets");
  const texts = fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 14 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(texts, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 30 }), (text, sizes) => {
      const scanner = new StreamScanner(DEFAULT, "output", LABELS);
      let given = "";
      for (let at = 0, i = 0; at < text.length; i++) {
        const size = sizes[i % sizes.length] ?? 1;
        scanner.push(text.slice(at, at + size));
        given += scanner.release(scanner.clearedTo).text;
        at += size;
      }
      scanner.end();
      given += scanner.release(scanner.clearedTo).text;
      expect(given).toBe(redactText(text, scanText(DEFAULT, text, "output").findings, LABELS));
    }),
    { numRuns: 1500 },
  );
});

test.each([
  "etherscan ",
  "etherscan_key=",
  "etherscan api key for the ",
  'etherscan: {"',
  "?key=a1",
  "&sig=",
  "password=;server=",
  ":5432:a:",
  'client("a", ',
  'default = "',
  "login a password ",
  `${chars(20)}@tcp(`,
])("many of %j cost their number", (piece) => {
  const textOf = (count: number): string => piece.repeat(count);
  const ratio = costRatio(
    () => scan(textOf(2000)),
    () => scan(textOf(250)),
  );
  expect(ratio).toBeLessThan(24);
});
