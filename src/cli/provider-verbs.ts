import { MODEL_APIS } from "#model/model-api";
import { CREDENTIAL_SOURCES, PROVIDER_KINDS } from "#model/provider";
import type { CliFlag, CliFlags } from "./arguments";
import type { Verb } from "./verb";

const BASE_URL: CliFlag = { value: "URL", about: "URL before /chat/completions, or of the cloud's endpoint" };
const MODELS: CliFlag = { value: "GLOB[,GLOB]", about: "models the provider serves; * matches any text" };
const APIS: CliFlag = { value: "API[,API]", about: "APIs the provider speaks", values: MODEL_APIS };
const CREDENTIAL: CliFlag = { value: "SOURCE", about: "where the credential comes from", values: CREDENTIAL_SOURCES };
const PRIORITY: CliFlag = { value: "N", about: "priority; the lowest is tried first" };
const SETTINGS: CliFlags = {
  "base-url": BASE_URL,
  models: MODELS,
  apis: APIS,
  alias: { value: "NAME=UPSTREAM_NAME", about: "model name of the provider; may be repeated" },
  "api-key-file": { value: "FILE", about: "API key in a file; - reads stdin" },
  "api-key-env": { value: "VAR", about: "API key in a variable" },
  "follow-key-file": { about: "store the path, not the key: the hub reads the file again when it changes" },
  credential: CREDENTIAL,
  "tenant-id": { value: "ID", about: "Entra tenant" },
  "client-id": { value: "ID", about: "Entra application" },
  "access-key-id": { value: "ID", about: "AWS access key; its secret is the API key" },
  region: { value: "REGION", about: "AWS region, if the base URL does not name it" },
  profile: { value: "NAME", about: "section of the AWS shared credentials file" },
  priority: PRIORITY,
};

/** Model providers. */
export const PROVIDER_VERBS: readonly Verb[] = [
  {
    name: "provider add",
    summary: "Add a model provider",
    operands: ["NAME"],
    form: "NAME [--kind KIND] --base-url URL --models GLOB[,GLOB] [--apis API[,API]] [--alias NAME=UPSTREAM_NAME]… [--api-key-file FILE [--follow-key-file] | --api-key-env VAR] [--credential SOURCE [--tenant-id ID] [--client-id ID] [--access-key-id ID] [--region REGION] [--profile NAME]] [--priority N]",
    flags: {
      kind: { value: "KIND", about: "kind of provider", values: PROVIDER_KINDS, fallback: "openai" },
      ...SETTINGS,
      "base-url": { ...BASE_URL, required: true },
      models: { ...MODELS, required: true },
      apis: { ...APIS, fallback: "those of the kind" },
      credential: { ...CREDENTIAL, fallback: "key" },
      priority: { ...PRIORITY, fallback: "100" },
    },
    load: () => import("./providers").then((module) => module.addProvider),
  },
  {
    name: "provider set",
    summary: "Change a provider; what is not given stays",
    operands: ["NAME"],
    form: "NAME [--name NEW_NAME] [--base-url URL] [--models GLOB[,GLOB]] [--apis API[,API]] [--alias NAME=UPSTREAM_NAME]… [--api-key-file FILE [--follow-key-file] | --api-key-env VAR | --remove-api-key] [--credential SOURCE [--tenant-id ID] [--client-id ID] [--access-key-id ID] [--region REGION] [--profile NAME]] [--priority N]",
    flags: {
      name: { value: "NEW_NAME", about: "new name" },
      ...SETTINGS,
      alias: { value: "NAME=UPSTREAM_NAME", about: "takes the place of all aliases; may be repeated" },
      "remove-api-key": { about: "remove the stored API key" },
    },
    load: () => import("./providers").then((module) => module.setProvider),
  },
  {
    name: "provider list",
    summary: "List providers in the order they are tried",
    load: () => import("./providers").then((module) => module.listProviders),
  },
  {
    name: "provider test",
    summary: "Test a provider: credential, model list and each API",
    operands: ["NAME"],
    load: () => import("./providers").then((module) => module.testProvider),
  },
  {
    name: "provider remove",
    summary: "Remove a provider and its key",
    operands: ["NAME"],
    load: () => import("./providers").then((module) => module.removeProvider),
  },
];
