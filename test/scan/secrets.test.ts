import { describe, expect, test } from "bun:test";
import { actions, chars, found, SECRETS, UPPER } from "./samples";

const { pem } = SECRETS;

describe("secrets are found, whole and no further", () => {
  test.each([
    ["secret.aws_access_key", SECRETS.awsAccessKey],
    ["secret.gcp_api_key", SECRETS.gcpApiKey],
    ["secret.github_token", SECRETS.github],
    ["secret.github_token", SECRETS.githubFine],
    ["secret.gitlab_token", SECRETS.gitlab],
    ["secret.slack_token", SECRETS.slack],
    ["secret.stripe_key", SECRETS.stripe],
    ["secret.stripe_key", `whsec_${chars(32)}`],
    ["secret.openai_key", SECRETS.openai],
    ["secret.openai_key", SECRETS.openaiOld],
    ["secret.anthropic_key", SECRETS.anthropic],
    ["secret.guardhouse_token", SECRETS.guardhouse],
    ["secret.guardhouse_token", SECRETS.guardhouseOld],
    ["secret.jwt", SECRETS.jwt],
    ["secret.private_key", pem],
    ["secret.private_key", pem.replaceAll("PRIVATE KEY", "OPENSSH PRIVATE KEY")],
    ["secret.private_key", pem.replaceAll("PRIVATE KEY", "PGP PRIVATE KEY BLOCK").replace("\n", "\nVersion: 1\n\n")],
    ["secret.private_key", pem.replaceAll("\n", "\\n")],
    [
      "secret.private_key",
      `-----BEGIN RSA PRIVATE KEY-----\n${`${chars(64)}\n`.repeat(60)}-----END RSA PRIVATE KEY-----`,
    ],
  ])("%s", (type, secret) => {
    expect(found(`before ${secret} after`)).toEqual([`${type}=${secret}`]);
    expect(found(secret)).toEqual([`${type}=${secret}`]);
    expect(actions(`x "${secret}", y`)).toEqual([`${type}:block`]);
    expect(actions(`x "${secret}", y`, "output")).toEqual([`${type}:redact`]);
  });

  test.each([
    ["secret.slack_token", SECRETS.slackHook.slice("https://".length), SECRETS.slackHook],
    ["secret.aws_secret_key", SECRETS.awsSecret, `aws_secret_access_key = "${SECRETS.awsSecret}"`],
    ["secret.aws_secret_key", SECRETS.awsSecret, `"SecretAccessKey": "${SECRETS.awsSecret}"`],
    ["secret.gcp_service_account", pem, `"private_key": "${pem}"`],
    ["secret.connection_string", `postgres://svc:${chars(14)}@db-7.internal`, SECRETS.url],
    [
      "secret.connection_string",
      `mongodb+srv://a:${chars(12)}@c0.x1.mongodb.net`,
      `mongodb+srv://a:${chars(12)}@c0.x1.mongodb.net/db`,
    ],
    ["secret.connection_string", `redis://:${chars(20)}@cache`, `redis://:${chars(20)}@cache:6379/0`],
    [
      "secret.connection_string",
      `https://bot:${chars(20)}@git.corp.net`,
      `git clone https://bot:${chars(20)}@git.corp.net/a.git`,
    ],
    ["secret.generic", `${chars(10)}!Q`, `db_password: "${chars(10)}!Q"`],
    ["secret.generic", chars(32), `API_KEY=${chars(32)}`],
  ])("%s in its place", (type, secret, text) => {
    expect(found(`see ${text} here`)).toContain(`${type}=${secret}`);
  });
});

describe("secret look-alikes do not block", () => {
  test.each([
    ["a Stripe test key", `sk_test_${chars(24)}`],
    ["a gateway token with a wrong checksum", `gw-live-${chars(32)}000000`],
    ["a generic password", `password=${chars(10)}!`],
  ])("%s", (_name, text) => {
    expect(found(text).length).toBeGreaterThan(0);
    expect(actions(text).filter((action) => !action.endsWith(":flag"))).toEqual([]);
  });
});

describe("look-alikes are left alone", () => {
  test.each([
    ["AWS's documented id", `AKIA${"IOSFODNN7"}EXAMPLE`],
    ["AWS's documented key", `aws_secret_access_key=wJalrXUtnFEMI/${"K7MDENG/bPxRfiCYEXAMPLEKEY"}`],
    ["a masked token", `ghp_${"x".repeat(36)}`],
    ["a stand-in", `sk-proj-${"your-api-key-goes-here-please"}`],
    [
      "the token of jwt.io",
      `${SECRETS.jwt.split(".")[0]}.${btoa('{"sub":"1234567890","name":"John Doe"}').replace(/=+$/, "")}.${chars(43)}`,
    ],
    ["a word with the prefix in it", `task-${chars(40)} xAKIA${chars(16, UPPER)}`],
    ["an id that is too short", `AKIA${chars(12, UPPER)} ghp_${chars(20)}`],
    ["a class name", "sk-fading-circle sk-cube-grid-element-nine"],
    ["a mentioned key header", "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----"],
    ["a public key", pem.replaceAll("PRIVATE", "PUBLIC")],
    ["a certificate", pem.replaceAll("PRIVATE KEY", "CERTIFICATE")],
    ["base64 without an algorithm", `${btoa('{"a":"some value"}').replace(/=+$/, "")}.${chars(30)}.${chars(43)}`],
    ["a teaching connection string", "postgres://user:password@localhost:5432/db"],
    [
      "variables in a connection string",
      ["postgres://$", "{USER}:$", "{PASSWORD}@db/app mysql://u:<password>@h redis://:$", "REDIS_PW@h"].join(""),
    ],
    ["an address without credentials", "https://example.com:8443/path?x=1@2 postgres://db.internal:5432/app"],
    ["a looked-up value", "password = os.environ['DB_PASSWORD']; token = get_token(user); secret: process.env.SECRET"],
    ["a described value", "password: required, token = null, api_key: string, secret: changeme123"],
    ["a digest", `token_hash = ${chars(40, "0123456789abcdef")} integrity=sha512-${chars(86)}==`],
    ["prose", "The password is the same as before, and the token was revoked: see secret agents."],
  ])("%s", (_name, text) => {
    expect(found(text)).toEqual([]);
  });
});

test("a value written with look-alike or invisible characters is found", () => {
  const { github } = SECRETS;
  const split = `${github.slice(0, 2)}\u200b${github.slice(2, 20)}\u00ad${github.slice(20)}`;
  expect(found(`a ${split} b`)).toEqual([`secret.github_token=${split}`]);
  const wide = Array.from(github, (c) =>
    /[A-Za-z0-9]/.test(c) ? String.fromCharCode(c.charCodeAt(0) + 0xfee0) : c,
  ).join("");
  expect(found(wide)).toEqual([`secret.github_token=${wide}`]);
});
