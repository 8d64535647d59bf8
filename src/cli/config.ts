import type { Setting } from "#config/load";
import { EXIT } from "./exit";
import type { RunVerb } from "./verb";

const MASK = "********";

/** A value as it may be shown. */
export const visible = ({ key, value }: Setting): unknown => (key.secret && value !== null ? MASK : value);

const asText = (value: unknown): string =>
  typeof value === "string" ? value || '""' : value === null ? "not set" : JSON.stringify(value);

/** `config show`: what is in force; with `--origin` where each value comes from, with `--describe` what it is for. */
export const show: RunVerb = async ({ args, out, settings }) => {
  const all = settings().settings;
  const origin = args.on("origin");
  const describe = args.on("describe");
  const value = all.map((setting) => {
    const shown = {
      value: visible(setting),
      ...(origin && { origin: setting.origin }),
      ...(describe && {
        description: setting.key.description,
        expects: setting.key.expects,
        default: setting.key.fallback,
      }),
    };
    return [setting.key.path, origin || describe ? shown : shown.value] as const;
  });
  const headings = ["KEY", "VALUE", ...(origin ? ["ORIGIN"] : []), ...(describe ? ["WHAT FOR"] : [])];
  const rows = all.map((setting) => [
    setting.key.path,
    asText(visible(setting)),
    ...(origin ? [setting.origin] : []),
    ...(describe ? [setting.key.description] : []),
  ]);
  await out.result(Object.fromEntries(value), out.table(headings, rows));
  return EXIT.ok;
};

/** `config check`: reading the settings is the check; what is wrong with them ends in exit code 3. */
export const check: RunVerb = async ({ out, settings }) => {
  const { settings: all, ignored } = settings();
  const given = all.filter(({ origin }) => origin !== "default" && origin !== "from listen");
  const leftOut = ignored.map(({ variable, reason }) => `\n${variable} is left out: ${reason}`);
  await out.result(
    { ok: true, given: given.map(({ key }) => key.path), ...(ignored.length > 0 && { ignored }) },
    `ok: ${given.length} settings configured, the rest are defaults${leftOut.join("")}`,
  );
  return EXIT.ok;
};
