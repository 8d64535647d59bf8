import { readFileSync } from "node:fs";
import { CLI_ACTOR } from "#core/change";
import { DEFAULT_PRIORITY, keyPurpose } from "#modules/providers/service";
import type { ProviderRow } from "#store/port";
import { askForModels } from "#upstream/provider-check";
import { EXIT, Stop, usage } from "./exit";
import { card, table } from "./output";
import { changing, reading } from "./session";
import { readStdin } from "./stdin";
import type { Invocation, Run } from "./verb";

/** Never the key, nor its sealed form. */
const shown = ({ name, base_url, models, priority, sealed_key }: ProviderRow) => ({
  name,
  base_url,
  models,
  priority,
  has_key: sealed_key !== null,
});

const cardOf = ({ name, base_url, models, priority, sealed_key }: ProviderRow): string =>
  card({
    name,
    base_url,
    models: models.join(","),
    priority: String(priority),
    key: sealed_key === null ? "none" : "sealed",
  });

const readKey = async ({ args, environment, out }: Invocation): Promise<string | null> => {
  const file = args.text("api-key-file");
  const variable = args.text("api-key-env");
  if (file !== undefined && variable !== undefined) throw usage("--api-key-file or --api-key-env, not both");
  if (file !== undefined) return file === "-" ? readStdin(out, "the API key") : readFileSync(file, "utf8");
  if (variable === undefined) return null;
  const key = environment[variable];
  if (key === undefined || key === "") throw usage(`--api-key-env: there is no variable ${variable}, or it is empty`);
  return key;
};

export const addProvider: Run = async (invocation) => {
  const { args, out } = invocation;
  const name = args.needOperand(0);
  const wanted = {
    name,
    baseUrl: args.need("base-url"),
    models: args.need("models").split(","),
    apiKey: await readKey(invocation),
    priority: Number(args.text("priority") ?? DEFAULT_PRIORITY),
  };
  const provider = await changing(invocation, ({ providers }) => providers.add(CLI_ACTOR, wanted));
  if (!provider) throw new Stop(EXIT.failure, `There is a provider ${name} already; remove it first`);
  await out.result(shown(provider), cardOf(provider));
  return EXIT.ok;
};

export const listProviders: Run = async (invocation) => {
  const providers = await reading(invocation, ({ store }) => store.providers.list());
  const rows = providers.map((row) => [
    row.name,
    row.base_url,
    row.models.join(","),
    String(row.priority),
    row.sealed_key === null ? "none" : "sealed",
  ]);
  await invocation.out.result(providers.map(shown), table(["NAME", "BASE URL", "MODELS", "PRIORITY", "KEY"], rows));
  return EXIT.ok;
};

export const removeProvider: Run = async (invocation) => {
  const name = invocation.args.needOperand(0);
  const provider = await changing(invocation, ({ providers }) => providers.remove(CLI_ACTOR, name));
  await invocation.out.result({ ...shown(provider), removed: true }, `${name} is removed, its key with it.`);
  return EXIT.ok;
};

export const testProvider: Run = async (invocation) => {
  const { provider, key } = await reading(invocation, async ({ providers, unseal }) => {
    const row = await providers.byName(invocation.args.needOperand(0));
    return { provider: row, key: row.sealed_key === null ? null : unseal(keyPurpose(row.id), row.sealed_key) };
  });
  const check = await askForModels(provider.base_url, key, invocation.config().upstream.answer_bytes);
  const { ok, status, models, problem, ms } = check;
  const served = models.filter((model) => provider.models.some((glob) => globMatches(glob, model)));
  const lines = [
    `${ok ? "ok" : "failed"}: ${provider.base_url}/models answered ${status ?? "nothing"} in ${ms} ms`,
    ...(problem === null ? [] : [problem]),
    ...(ok ? [`${models.length} models listed, ${served.length} of them match ${provider.models.join(",")}`] : []),
    ...served.slice(0, 50).map((model) => `  ${model}`),
  ];
  await invocation.out.result(
    { name: provider.name, base_url: provider.base_url, ok, status, ms, models, served, problem },
    lines.join("\n"),
  );
  return ok ? EXIT.ok : EXIT.failure;
};

const globMatches = (glob: string, model: string): boolean =>
  new Bun.Glob(glob.replaceAll("/", ":")).match(model.replaceAll("/", ":"));
