import { expect, test } from "bun:test";
import { verifies } from "#test/support/verifies";
import { signedHeaders } from "#upstream/credentials/aws-signature";

/*
 * The test suite that AWS publishes for Signature Version 4 (aws-sig-v4-test-suite, in the guide "Signing AWS API
 * requests", docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html): its requests and the
 * signatures it gives for them, all of one key, one moment, region `us-east-1` and service `service`. Left out are those
 * whose request line no URL can be: spaces, text outside ASCII, repeated headers.
 */
const KEYS = {
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  sessionToken: null,
};
const AT = Date.UTC(2015, 7, 30, 12, 36);
const SCOPE = { region: "us-east-1", service: "service" };
const SESSION_TOKEN =
  "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==";

type Vector = {
  readonly name: string;
  readonly method: "GET" | "POST";
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly sessionToken?: string;
  readonly signed: string;
  readonly signature: string;
};

const PLAIN = "host;x-amz-date";
const VECTORS: readonly Vector[] = [
  {
    ...{ name: "get-vanilla", method: "GET", target: "/", signed: PLAIN },
    signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
  },
  {
    ...{ name: "post-vanilla", method: "POST", target: "/", signed: PLAIN },
    signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
  },
  {
    ...{ name: "get-vanilla-query-order-key-case", method: "GET", target: "/?Param2=value2&Param1=value1" },
    ...{ signed: PLAIN, signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500" },
  },
  {
    ...{ name: "get-unreserved", method: "GET", signed: PLAIN },
    target: "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
    signature: "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f",
  },
  {
    ...{ name: "post-header-value-case", method: "POST", target: "/", headers: { "My-Header1": "VALUE1" } },
    signed: "host;my-header1;x-amz-date",
    signature: "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d",
  },
  {
    ...{ name: "get-header-value-trim", method: "GET", target: "/" },
    headers: { "My-Header1": " value1", "My-Header2": ' "a   b   c"' },
    signed: "host;my-header1;my-header2;x-amz-date",
    signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736",
  },
  {
    ...{ name: "post-x-www-form-urlencoded", method: "POST", target: "/" },
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    ...{ body: "Param1=value1", signed: "content-type;host;x-amz-date" },
    signature: "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
  },
  {
    ...{ name: "post-sts-header-before", method: "POST", target: "/", sessionToken: SESSION_TOKEN },
    signed: "host;x-amz-date;x-amz-security-token",
    signature: "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead",
  },
];

test.each([...VECTORS])("a request is signed as AWS's test suite has it: $name", async (vector) => {
  verifies("provider.sigv4");
  const { method, target, headers = {}, body = "", sessionToken = null, signed, signature } = vector;
  const request = { method, url: `https://example.amazonaws.com${target}`, headers: new Headers(headers), body };
  const sent = await signedHeaders(request, { ...KEYS, sessionToken }, SCOPE, AT);
  const credential = "AKIDEXAMPLE/20150830/us-east-1/service/aws4_request";
  expect(sent.get("authorization")).toBe(
    `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${signed}, Signature=${signature}`,
  );
  expect([sent.get("x-amz-date"), sent.get("x-amz-security-token")]).toEqual(["20150830T123600Z", sessionToken]);
});
