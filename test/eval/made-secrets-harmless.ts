import { ALNUM, LOWER, type Random, UPPER } from "./random";

const BASE64 = `${ALNUM}+/`;
const uuid = (random: Random): string => [8, 4, 4, 4, 12].map((length) => random.hex(length)).join("-");
const word = (random: Random): string =>
  random.pick(["user", "account", "session", "billing", "deploy", "region", "worker", "index", "report", "client"]);

/** Text as random as a secret, or with a secret's name, that holds none: of code, settings, lock files and documents. */
export const NO_SECRETS: readonly ((random: Random) => string)[] = [
  (random) => `commit ${random.hex(40)}\nparent ${random.hex(40)}\ntree ${random.hex(40)}`,
  (random) => `index ${random.hex(7)}..${random.hex(7)} 100644`,
  (random) => `ETag: "${random.hex(32)}"\nIf-None-Match: W/"${random.hex(16)}"`,
  (random) => `main.${random.hex(8)}.js chunk-${random.text(8, UPPER)}.mjs styles.${random.hex(20)}.css`,
  (random) => `.Button_${random.text(5, ALNUM)} { color: #${random.hex(6)} } ._${random.hex(6)}_${random.digits(2)} {}`,
  (random) => `//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJmaWxl${random.text(80, ALNUM)}`,
  (random) => `ids: [${uuid(random)}, ${uuid(random)}, ${uuid(random)}]`,
  (random) => `image: registry.corp/${word(random)}@sha256:${random.hex(64)}`,
  (random) => `resolved "https://packages.corp/a/-/a-1.0.${random.digits(1)}.tgz#${random.hex(40)}"`,
  (random) => `checksum = "${random.hex(64)}"\ndependencies = ["${word(random)}"]`,
  (random) => `    --hash=sha256:${random.hex(64)} \\\n    --hash=sha256:${random.hex(64)}`,
  (random) => `arn:aws:iam::${random.digits(12)}:role/${word(random)}-${random.hex(8)}`,
  (random) => `arn:aws:secretsmanager:eu-west-1:${random.digits(12)}:secret:${word(random)}-password-a1B2c3`,
  (random) =>
    `-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEF${random.text(40, BASE64)}\n-----END PUBLIC KEY-----`,
  (random) => `-----BEGIN CERTIFICATE-----\nMIID${random.text(60, BASE64)}\n${random.text(64, BASE64)}\n`,
  (random) => `host.corp ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ${random.text(80, BASE64)}`,
  (random) => `SHA256:${random.text(43, BASE64)} ${word(random)}@host (ED25519)`,
  (random) => `pod/${word(random)}-${random.text(10, LOWER)}-${random.text(5, LOWER)} 1/1 Running`,
  (random) =>
    `password = var.${word(random)}_password\ntoken = data.vault_generic_secret.${word(random)}.data["token"]`,
  (random) => `${word(random)}_password: string; token?: string | null; secret: Secret<"${word(random)}">`,
  (random) => `password: "{{ ${word(random)}_password_v2 }}" token: \${{ secrets.${word(random).toUpperCase()}_2 }}`,
  (random) => `"${word(random)}.password.label": "Password", "login.token.expired": "Your token has expired"`,
  (random) =>
    `<input type="password" name="${word(random)}-password-2" id="new-password-1" autocomplete="new-password">`,
  (random) => `secretKeyRef:\n  name: ${word(random)}-credentials-v2\n  key: database-password-2`,
  (random) => `const TOKEN_KEY = "${word(random)}.auth_token.v2"; const storageKey = "${word(random)}-token-3"`,
  (random) => `api_key=os.environ["${word(random).toUpperCase()}_API_KEY_2"], token=get_token("${word(random)}_2")`,
  (random) => `func NewClient(apiKey string, password *uint${random.pick(["8", "16"])}, token []byte) error`,
  (random) => `private_key: ed25519.Ed25519PrivateKey, public_key: x25519.X25519PublicKey, ${word(random)}: int`,
  (random) => `if key == "ssh-ed25519" || auth == "scram-sha-${random.pick(["256", "512"])}" { return }`,
  (random) => `"AWS::${word(random)}::AccessKey": "${random.hex(16)}"`,
  (random) => `nextToken: "${random.text(40, ALNUM)}", cursor: "${btoa(random.hex(12))}"`,
  (random) => `cache_key = "${random.hex(32)}" idempotency-key: ${uuid(random)} primary_key=${random.digits(8)}`,
  (random) => `csrf_token: ${random.text(40, ALNUM)} nonce="${btoa(random.hex(9))}"`,
  (random) => `data: [DONE] event: ${word(random)} id: ${random.digits(12)}\ndata:\n  name: ${btoa(random.hex(9))}`,
  (random) => `Authorization: Bearer <${word(random)}-token> and Authorization: Basic ${btoa("user:password")}`,
  (random) => `curl -u "$USER:$${word(random).toUpperCase()}_TOKEN" https://x.dev -H "Authorization: Bearer $TOKEN"`,
  (random) =>
    `mysql -u root -p ${word(random)}; docker run -p ${random.between(1000, 9999)}:80 image; ssh -p 2222 host`,
  (random) => `postgres://user:password@localhost:5432/${word(random)} redis://:\${REDIS_PASSWORD}@cache:6379`,
  (random) => `The ${word(random)} password must have at least ${random.between(8, 16)} characters and a digit.`,
  (random) =>
    `Pass ${word(random)}_${random.digits(2)} to reset the token; see the secret ${word(random)} for details.`,
];
