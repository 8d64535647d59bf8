import { describe, expect, test } from "bun:test";
import { costRatio } from "#test/support/cost";
import { chars, found } from "./samples";

const drawn = chars(24);
const weak = `${chars(7)}!b`;
/** Of both cases and without a digit. */
const letters = chars(26, "aKdZqXwRtLmBvNcJsHgFpQyTzGx");
const HEX = "0123456789abcdef7";

describe("a secret is found by the name it is given to", () => {
  test.each([
    [drawn, `api_token: ${drawn}`],
    [drawn, `"clientSecret" : "${drawn}"`],
    [drawn, `export SERVICE_SECRET='${drawn}'`],
    [drawn, `$accessToken .= "${drawn}"`],
    [drawn, `auth_token ?= "${drawn}"`],
    [drawn, `setApiKey("${drawn}")`],
    [drawn, `os.environ["API_KEY"] = "${drawn}"`],
    [drawn, `<ApiKey>${drawn}</ApiKey>`],
    [drawn, `<add key="api_key" value="${drawn}" />`],
    [drawn, `X-Api-Key: ${drawn}`],
    [drawn, `https://x.dev/?access_token=${drawn}&page=2`],
    [drawn, `{\\"token\\":\\"${drawn}\\"}`],
    [drawn, `token: string = "${drawn}"`],
    [drawn, `--api-key=${drawn}`],
    [drawn, `creds = ${drawn}`],
    [drawn, `SIGNING_KEY=b"${drawn}"`],
    [chars(40, HEX), `access_token = "${chars(40, HEX)}"`],
    [weak, `password = "${weak}"`],
    [weak, `db.passwd: ${weak}`],
    [weak, `Server=db;User Id=sa;Password=${weak};Encrypt=true`],
    [weak, `<password>${weak}</password>`],
    [weak, `The password is ${weak} for now.`],
    [weak, `CREATE USER app WITH PASSWORD '${weak}'`],
    [weak, `DB_PASS=${weak}`],
    [weak, `--password ${weak}`],
    [weak, `ALTER USER app IDENTIFIED BY '${weak}';`],
    [weak, `CREATE LOGIN app WITH PASSWORD = N'${weak}'`],
    [weak, `ConvertTo-SecureString "${weak}" -AsPlainText -Force`],
    [weak, `contraseña = "${weak}"`],
    [weak, `密码：${weak}`],
    [weak, `비밀번호: ${weak}`],
    [weak, `login('bob', password, "${weak}")`],
    ["cackle!drums", 'user.password = "cackle!drums"'],
    [letters, `secret = "${letters}"`],
    [drawn, `System.setProperty("SERVICE_TOKEN", "${drawn}")`],
  ])("%s in %s", (secret, text) => {
    expect(found(`a ${text} b`)).toContain(`secret.generic=${secret}`);
  });
});

describe("a literal in parts is one value", () => {
  const [half, other] = [drawn.slice(0, 9), drawn.slice(9)];
  test.each([
    `const apiKey = "${half}" + "${other}";`,
    `const apiKey = "${half}" +\n    "${other}";`,
    `$secret = '${half}' . '${other}';`,
    `API_KEY = "${half}" \\\n  "${other}"`,
    `dim token = "${half}" & "${other}"`,
  ])("%j", (text) => {
    const quote = text.includes("'") ? "'" : '"';
    const value = text.slice(text.indexOf(quote) + 1, text.lastIndexOf(quote));
    expect(found(text)).toEqual([`secret.generic=${value}`]);
  });

  test.each([
    `token = "${drawn}" + suffix`,
    `token = "${drawn}&page=" + "2"`,
    `["api_key", "${drawn}"] + ["a", "b"]`,
    `{"token": "${drawn}", "name": "b"}`,
  ])("and goes no further than a literal does: %s", (text) => {
    expect(found(text)).toEqual([`secret.generic=${drawn}`]);
  });

  test("words in parts are none", () => {
    expect(found('password = "enter " + "your" + " password"; token = "first" + "second"')).toEqual([]);
  });
});

describe("a name that promises a secret does not make one", () => {
  test.each([
    "password: str, token: string | null, secret?: string, apiKey = undefined",
    "token = parser.nextToken(); key = event.keyCode; pass = pipeline.pass2",
    "secretKeyRef:\n  name: db-credentials\n  key: password",
    "api_key = os.getenv('SERVICE_API_KEY_2'); token = config.tokens.github_v2",
    `token: \${{ secrets.DEPLOY_TOKEN_2 }} password: "{{ vault_db_password_2 }}" pw=$DB_PASSWORD1`,
    "password_file=/run/secrets/db_password_1 key_path: ./certs/server-2024.pem token_url: https://x.dev/oauth2/v2/token",
    "primary_key=user_id_2024_v2 public_key: 9Cnzj4p4WGeKLs1Pt8QuKUpRKfFLfRYC next_page_token=CAUQAA12bdf3",
    `token_hash = ${chars(40, HEX)} csrf_token=${drawn} secret_id: ${drawn} cache_key=${drawn}`,
    "io.jsonwebtoken:jjwt-jackson:0.11.2 keyboard: dvorak-2024 monkey=bananas123456 author: j2ee_expert99",
    "password = YOUR_PASSWORD_1, api_key: <your-api-key-1>, token=xxxxxxxxxxxx1234, secret: ************1a",
    "max_tokens: 4096, tokens=128000, secretSize must be >= XXH3_SECRET_SIZE_MIN, KeySize.Key128Bit",
    "PASS test_archive_2, pass `asn1Spec` on, pass SCTE-35 signals; color(red=Fail, green=Pass, blue=Flaky2)",
    "def sign(self, signer, sign_password, keystore2=None): pwd, require_uid_0 = grp, master_user_password2",
    "private_key: ed25519.Ed25519PrivateKey, pkcs12_key_as_pem = _bad_pkcs12_key_as_pem; key_type == 'ssh-ed25519'",
    "if auth == 'scram-sha-256' or node.key == 'tag:yaml.org,2002:str': token = 'ref_token_abc123'",
    "--sasl-password=projects/12345/secrets/my-sasl-secret/versions/1 secret:/my/path-2/key",
    "password *uint16, Password *uint16; const PASS_DEPTH_FAIL = 0x0B95, TOKEN = -0x3f879676",
    `"AWS::KMS::ReplicaKey": "${chars(16, HEX)}", "nextToken": "${drawn}", clientRequestToken: "${drawn}"`,
    `key: "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE${drawn}", host_key=AAAAC3NzaC1lZDI1NTE5AAAAI${drawn}`,
    "('HTTPPasswordMgr', 'urllib2'), should_pass(\"WinDLL('./_sqlite3.dll')\"), Buffer.from(password, 'base64')",
    "The token is valid for 3600s; the password is at least 12characters long; a secret is kept.",
  ])("%s", (text) => {
    expect(found(text)).toEqual([]);
  });
});

test.each(["_", "-", ":", ".", "->", "?.", "a.", "A1"])("a value of many %s costs its length", (piece) => {
  const textOf = (length: number) => `password="a${piece.repeat(length)}1!" token: x${piece.repeat(length)}9\n`;
  const long = textOf(100).repeat(200);
  const short = textOf(10).repeat(Math.ceil(long.length / textOf(10).length));
  // As much text of shorter pieces. It was seconds where the pieces of a name could be parted in many ways.
  expect(
    costRatio(
      () => found(long),
      () => found(short),
    ),
  ).toBeLessThan(10);
});
