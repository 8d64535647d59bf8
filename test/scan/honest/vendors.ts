import { ALNUM, DIGITS, LOWER, type Random, UPPER } from "#test/eval/random";
import type { HonestText } from "./traffic";

/** Services as people name them in code and settings; the scanner's own list was written apart from it. */
const SERVICES = (
  "github gitlab bitbucket stripe paypal slack discord twilio sendgrid mailgun mailchimp algolia datadog sentry grafana " +
  "newrelic pagerduty cloudflare vercel netlify heroku digitalocean azure firebase supabase mongodb redis postgres mapbox " +
  "openai anthropic mistral cohere huggingface pinecone notion airtable asana jira trello figma hubspot salesforce zendesk " +
  "intercom shopify contentful auth0 okta circleci jenkins dockerhub sonarqube snyk launchdarkly segment mixpanel amplitude " +
  "etherscan coinbase binance kraken plaid adyen klarna dropbox spotify twitch youtube facebook linkedin telegram zoom"
).split(" ");

const uuid = (r: Random): string => [8, 4, 4, 4, 12].map((width) => r.hex(width)).join("-");
const service = (r: Random): string => r.pick(SERVICES);
const Service = (r: Random): string => {
  const name = service(r);
  return name.charAt(0).toUpperCase() + name.slice(1);
};
const SERVICE = (r: Random): string => service(r).toUpperCase();
const word = (r: Random): string =>
  r.pick(
    "account billing cache client deploy export filter gateway handler import invoice ledger metric notify order payload queue report session tenant upload webhook".split(
      " ",
    ),
  );
const version = (r: Random): string => [9, 30, 30].map((most) => r.between(0, most)).join(".");
const base64 = (r: Random, length: number): string => r.text(length, `${ALNUM}+/`);
/** Objects of services as they number them: shown in addresses, logs and answers. */
const objectId = (r: Random): string =>
  r.pick<() => string>([
    () => `cus_${r.text(14, ALNUM)}`,
    () => `price_1${r.text(23, ALNUM)}`,
    () => `pi_3${r.text(23, ALNUM)}`,
    () => `acct_1${r.text(15, ALNUM)}`,
    () => `evt_1${r.text(23, ALNUM)}`,
    () => `T0${r.text(9, UPPER + DIGITS)}`,
    () => `C0${r.text(9, UPPER + DIGITS)}`,
    () => `prj_${r.text(28, ALNUM)}`,
    () => `team_${r.text(24, ALNUM)}`,
    () => `dpl_${r.text(28, ALNUM)}`,
    () => `tbl${r.text(14, ALNUM)}`,
    () => `rec${r.text(14, ALNUM)}`,
    () => r.hex(24),
    () => r.hex(32),
    () => uuid(r),
    () => r.digits(r.between(6, 18)),
    () => `G-${r.text(10, UPPER + DIGITS)}`,
    () => `UA-${r.digits(8)}-1`,
    () => `1:${r.digits(12)}:web:${r.hex(22)}`,
    () => `SM${r.hex(32)}`,
    () => `msg_01${r.text(22, ALNUM)}`,
    () => `chatcmpl-${r.text(29, ALNUM)}`,
    () => `asst_${r.text(24, ALNUM)}`,
    () => `file-${r.text(24, ALNUM)}`,
  ])();

const LINES: readonly ((r: Random) => string)[] = [
  // Code
  (r) => `const ${service(r)} = new ${Service(r)}Client(process.env.${SERVICE(r)}_API_KEY);`,
  (r) => `import { ${Service(r)}Provider } from "@${service(r)}/${word(r)}-sdk"; // v${version(r)}`,
  (r) => `${service(r)}_api_key = os.environ["${SERVICE(r)}_API_KEY"]`,
  (r) => `${service(r)}.api_key = settings.${SERVICE(r)}_TOKEN_V2`,
  (r) => `String ${service(r)}Token = System.getenv("${SERVICE(r)}_TOKEN");`,
  (r) => `public sealed class ${Service(r)}TokenProvider : I${Service(r)}CredentialSource2 { }`,
  (r) => `let ${service(r)}Key = keychain.read(account: "com.acme.${service(r)}.${word(r)}2")`,
  (r) => `fn ${service(r)}_auth(token: &str) -> Result<${Service(r)}Session, ${Service(r)}Error2> {`,
  (r) => `func New${Service(r)}Client(token string, opts ...Option) (*${Service(r)}Client, error) {`,
  (r) => `$${service(r)}Secret = config('services.${service(r)}.secret_v2');`,
  (r) => `${service(r)} = ${Service(r)}.configure { |c| c.token = ENV.fetch("${SERVICE(r)}_TOKEN") }`,
  (r) => `if (${service(r)}Token.expiresAt < now) await refresh${Service(r)}TokenWithBackoff(retry2);`,
  (r) => `expect(${service(r)}.lastRequest.id).toBe("${objectId(r)}");`,
  (r) => `const ${service(r)}CustomerId = "${objectId(r)}";`,
  (r) => `await ${service(r)}.${word(r)}s.retrieve("${objectId(r)}");`,
  (r) => `${service(r)}.track("${word(r)}_completed", { id: "${uuid(r)}", source: "${service(r)}" });`,
  (r) => `logger.info("${Service(r)} ${word(r)} sent: %s", "${objectId(r)}")`,
  (r) => `assertEquals("${r.hex(64)}", ${service(r)}Signature.sha256(body));`,
  (r) => `export const ${SERVICE(r)}_${word(r).toUpperCase()}_ID = "${objectId(r)}";`,
  (r) => `@Value("\${${service(r)}.api.key:#{null}}") private String ${service(r)}ApiKey;`,
  (r) =>
    `<${Service(r)}Button className="${service(r)}_button__${r.text(5, ALNUM)}" data-testid="${service(r)}-key-2" />`,
  (r) =>
    `.${service(r)}-token-input-${r.digits(2)} { background: #${r.hex(6)} url(/static/${service(r)}.${r.hex(8)}.svg); }`,
  (r) => `${service(r)}_client = boto3.client("${word(r)}", endpoint_url="https://${service(r)}.acme.test/v2")`,
  (r) => `type ${Service(r)}ApiKeyOptions2 = { ${service(r)}ApiKey: string; ${service(r)}Region?: "eu-central-1" };`,
  // Settings
  (r) => `${SERVICE(r)}_API_KEY=\${${SERVICE(r)}_API_KEY}`,
  (r) => `${SERVICE(r)}_TOKEN=<your-${service(r)}-token>`,
  (r) => `${SERVICE(r)}_PROJECT_ID=${objectId(r)}`,
  (r) => `${SERVICE(r)}_SITE_ID=${uuid(r)}`,
  (r) => `${SERVICE(r)}_ACCOUNT_ID=${r.hex(32)}`,
  (r) => `${SERVICE(r)}_RELEASE=${r.hex(40)}`,
  (r) => `${service(r)}_zone_id: ${r.hex(32)}`,
  (r) => `${service(r)}_publishable_key: pk_live_${r.text(24, ALNUM)}`,
  (r) => `${service(r)}:\n  secretName: ${service(r)}-credentials-${r.text(5, LOWER)}\n  key: ${service(r)}-token-v2`,
  (r) => `${service(r)}:\n  image: images.acme.test/${service(r)}@sha256:${r.hex(64)}`,
  (r) => `"${service(r)}": "^${version(r)}",`,
  (r) => `"${service(r)}": { "version": "${version(r)}", "integrity": "sha512-${base64(r, 86)}==" },`,
  (r) => `"@${service(r)}/client@${version(r)}": "sha1-${base64(r, 27)}=",`,
  (r) => `${service(r)} = { rev = "${r.hex(40)}", branch = "main" }`,
  (r) => `uses: ${service(r)}/${word(r)}-action@${r.hex(40)} # v${version(r)}`,
  (r) => `with:\n  ${service(r)}-token: \${{ secrets.${SERVICE(r)}_TOKEN_2 }}`,
  (r) => `variable "${service(r)}_token" { type = string, sensitive = true } # ticket ${r.digits(6)}`,
  (r) => `${service(r)}_token = data.vault_kv_secret_v2.${service(r)}.data["token_v2"]`,
  (r) => `"${service(r)}.token.label2": "${Service(r)} API token", "${service(r)}.key.hint": "Paste your key"`,
  (r) => `feature.${service(r)}_token_rotation_v2=true\nfeature.${service(r)}Key2Enabled=false`,
  (r) => `webhook: https://${service(r)}.acme.test/hooks/${word(r)}?id=${objectId(r)}&page=${r.digits(2)}`,
  (r) => `${service(r)}_public_key: "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE${base64(r, 86)}=="`,
  (r) => `${service(r)} key fingerprint is SHA256:${base64(r, 43)}`,
  (r) => `${service(r)}_checksum: ${r.hex(64)}\n${service(r)}_etag: "${r.hex(32)}"`,
  (r) => `CNAME ${service(r)}-${r.hex(8)}.${service(r)}-dns.test ${r.digits(4)}`,
  (r) => `TXT "${service(r)}-site-verification=${r.text(43, ALNUM)}"`,
  // Logs and answers
  (r) => `[${service(r)}] request_id=${uuid(r)} trace=${r.hex(32)} took ${r.digits(3)}ms`,
  (r) => `${Service(r)} deployment ${objectId(r)} ready (${r.hex(7)})`,
  (r) => `{"provider":"${service(r)}","id":"${objectId(r)}","etag":"${r.hex(32)}","cursor":"${base64(r, 32)}"}`,
  (r) => `{"${service(r)}":{"installation_id":${r.digits(8)},"node_id":"${base64(r, 32)}","sha":"${r.hex(40)}"}}`,
  (r) => `${service(r)}: pushed ${r.hex(40)} to main`,
  (r) => `${service(r)}: ${objectId(r)}`,
  (r) => `x-${service(r)}-request-id: ${r.text(32, UPPER + DIGITS)}`,
  (r) => `x-${service(r)}-trace-key: ${uuid(r)}`,
  (r) => `${service(r)} key rotation finished for ${objectId(r)}`,
  (r) => `GET https://api.${service(r)}.com/v1/${word(r)}s/${objectId(r)}?expand=${word(r)}&limit=${r.digits(2)} 200`,
  (r) => `https://${service(r)}.com/acme/${word(r)}/blob/${r.hex(40)}/src/${word(r)}.ts#L${r.digits(3)}`,
  (r) => `https://cdn.${service(r)}.com/${r.hex(32)}/${r.text(22, ALNUM)}.jpg?w=1200&v=${r.digits(10)}`,
  (r) => `https://docs.google.com/document/d/${r.text(44, `${ALNUM}-_`)}/edit`,
  (r) => `https://www.${service(r)}.com/watch?v=${r.text(11, ALNUM)}&list=PL${r.text(32, ALNUM)}`,
  (r) => `https://open.${service(r)}.com/track/${r.text(22, ALNUM)}?si=${r.hex(16)}`,
  (r) => `https://${service(r)}.com/?utm_source=${service(r)}&utm_id=${r.digits(12)}&gclid=${r.text(60, ALNUM)}`,
  (r) => `${service(r)} commit ${r.hex(40)} by ${word(r)}-bot`,
  // Prose
  (r) => `How do I rotate the ${Service(r)} API key for workspace ${objectId(r)}?`,
  (r) => `The ${Service(r)} token is stored in the vault under ${service(r)}/${word(r)}/token_v2.`,
  (r) => `Our ${Service(r)} key expired on 2026-0${r.between(1, 9)}-12; order ${r.digits(10)} waits for it.`,
  (r) => `Set ${SERVICE(r)}_API_KEY in your shell, then run \`${service(r)} ${word(r)} --id ${objectId(r)}\`.`,
  (r) => `Ask the ${service(r)} team for an access token, see ticket ${SERVICE(r)}-${r.digits(4)}.`,
  (r) => `${Service(r)} said the key is invalid (error ${r.digits(5)}, request ${r.hex(32)}).`,
];

const make = (r: Random): string => Array.from({ length: r.between(1, 5) }, () => r.pick(LINES)(r)).join("\n");

/** Code, settings, logs and prose that name services beside what looks drawn and is no secret. */
export function vendorTexts(random: Random, count: number): HonestText[] {
  return Array.from({ length: count }, () => ({
    kind: "vendor",
    origin: random.pick(["user", "tool_result", "output", "tool_args"] as const),
    text: make(random),
  }));
}
