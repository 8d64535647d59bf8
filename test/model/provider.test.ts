import { expect, test } from "bun:test";
import fc from "fast-check";
import { MODEL_APIS } from "#model/model-api";
import {
  CREDENTIAL_SOURCES,
  credentialProblem,
  DEFAULT_APIS,
  defaultSource,
  POSSIBLE_APIS,
  PROVIDER_KINDS,
  regionOf,
  signingServiceOf,
} from "#model/provider";
import { verifies } from "#test/support/verifies";

test.each([
  ["https://bedrock-runtime.eu-west-1.amazonaws.com", "eu-west-1", "bedrock"],
  ["https://bedrock-runtime.us-gov-west-1.amazonaws.com/openai/v1", "us-gov-west-1", "bedrock"],
  ["https://bedrock-runtime.cn-north-1.amazonaws.com.cn", "cn-north-1", "bedrock"],
  ["https://bedrock-runtime.eusc-de-east-1.amazonaws.eu", "eusc-de-east-1", "bedrock"],
  ["https://bedrock-mantle.us-east-2.api.aws/v1", "us-east-2", "bedrock-mantle"],
  ["https://aws-external-anthropic.us-east-1.api.aws", "us-east-1", "aws-external-anthropic"],
  ["https://gateway.example.com", null, "bedrock"],
  ["https://eu-west-1.example.com/amazonaws.com", null, "bedrock"],
])("%s is of region %p and signed for %s", (url, region, service) => {
  verifies("provider.sigv4");
  expect([regionOf(url), signingServiceOf(url)]).toEqual([region, service]);
});

test("every kind has a source of its own, and is asked by APIs it can have", () => {
  for (const kind of PROVIDER_KINDS) {
    expect(DEFAULT_APIS[kind].filter((api) => !POSSIBLE_APIS[kind].includes(api))).toEqual([]);
    expect(MODEL_APIS.filter((api) => POSSIBLE_APIS[kind].includes(api))).toEqual([...POSSIBLE_APIS[kind]]);
    expect(credentialProblem(kind, { source: defaultSource(kind) }, true)).toBeNull();
  }
});

test("whatever is said of a credential is right, or one thing of it is named", () => {
  const fields = fc.record(
    {
      ...{ tenant_id: fc.string(), client_id: fc.string(), access_key_id: fc.string() },
      ...{ region: fc.constantFrom("eu-west-1", "x\r\ny"), profile: fc.string() },
    },
    { requiredKeys: [], noNullPrototype: true },
  );
  const kinds = fc.constantFrom(...PROVIDER_KINDS);
  fc.assert(
    fc.property(kinds, fc.constantFrom(...CREDENTIAL_SOURCES), fields, fc.boolean(), (kind, source, said, hasKey) => {
      const problem = credentialProblem(kind, { source, ...said }, hasKey);
      if (problem === null) expect(Object.values(said).filter((text) => !/^[\w.@+-]{1,128}$/.test(text))).toEqual([]);
      else expect(["credential", "api_key", ...Object.keys(said), ...NEEDED]).toContain(problem.param);
    }),
  );
});

const NEEDED = ["tenant_id", "client_id", "access_key_id", "region"];
