import { COMMANDS, commandLine } from "#core/command-line";
import { CLIENT_VARIABLES } from "#model/client-variables";
import type { Client, Contents, Places, Target } from "./client";
import { CONNECTED } from "./clients";
import { textOf } from "./example";
import { type Language, PROGRAMS, type Program, type Use } from "./programs";

/** One text that is pasted, and where. */
export type Snippet = {
  /** Null where it is a program that is nowhere yet. */
  readonly place: string | null;
  /** On which systems it is there, and where on others; null where it is the same on all. */
  readonly systems: string | null;
  readonly language: Language;
  readonly text: string;
};

/** How a client is used with a key: what the page shows beside one, and docs/clients.md (`bun .ci/reference.ts --write`). */
export type Example = {
  readonly id: string;
  readonly label: string;
  /** What is to be known of it, a sentence or more each. */
  readonly facts: readonly string[];
  readonly uses: "models" | "tools";
  readonly snippets: (use: Use) => readonly Snippet[];
};

/** What stands for a key that is not shown any more. */
export const NO_TOKEN = "gw-live-…";
/** Built in, so that every example answers at once. */
export const ECHO_MODEL = "guardhouse/echo";

const HOME = "~";
const SYSTEMS: Readonly<Record<Places["platform"], { readonly label: string; readonly places: Places }>> = {
  linux: { label: "Linux", places: { platform: "linux", home: HOME, variable: () => undefined } },
  darwin: { label: "macOS", places: { platform: "darwin", home: HOME, variable: () => undefined } },
  win32: {
    label: "Windows",
    places: { platform: "win32", home: HOME, variable: (name) => (name === "APPDATA" ? `%${name}%` : undefined) },
  },
};
const SHOWN = SYSTEMS.linux.places;

/** Systems by where they have a client's file, that of the first of them in `place`. */
const systemsOf = (client: Client, target: Target, file: number): string | null => {
  const byPlace = new Map<string, string[]>();
  for (const { label, places } of Object.values(SYSTEMS)) {
    const place =
      client.files(target, places)[file]?.paths[0].replace(/^~.*/, (path) => path.replaceAll("\\", "/")) ?? "";
    byPlace.set(place, [...(byPlace.get(place) ?? []), label]);
  }
  const [[, first] = ["", []], ...others] = byPlace;
  if (others.length === 0) return null;
  return [first.join(", "), ...others.map(([place, labels]) => `${labels.join(", ")}: ${place}`)].join("; ");
};

const languageOf = ({ format }: Contents): Language => (format === "env" ? "text" : format);

const ofClient = (client: Client): Example => ({
  id: client.id,
  label: client.label,
  facts: [
    `Seen: ${client.seen}.`,
    `Not seen: ${client.unseen}.`,
    `Token: ${client.token}.`,
    ...(client.use === undefined ? [] : [`${client.use}.`]),
  ],
  uses: "models",
  snippets: ({ hub, token, model }) => {
    const target: Target = { hub, token, model, models: [model], guardhouse: "guardhouse" };
    const hand = client.byHand?.(target);
    return [
      {
        place: "a terminal",
        systems: null,
        language: "sh",
        text: [
          `export ${CLIENT_VARIABLES.url}=${hub} ${CLIENT_VARIABLES.token}=${token}`,
          commandLine(COMMANDS.connectClient(client.id, model)),
        ].join("\n"),
      },
      ...client.files(target, SHOWN).map(
        ({ paths: [place], contents }, index): Snippet => ({
          place,
          systems: systemsOf(client, target, index),
          language: languageOf(contents),
          text: textOf(contents),
        }),
      ),
      ...(hand ? [{ place: hand.place, systems: null, language: "text" as const, text: hand.text }] : []),
    ];
  },
});

const ofProgram = ({ id, label, hint, uses, language, text }: Program): Example => ({
  ...{ id, label, facts: [hint], uses },
  snippets: (use) => [{ place: null, systems: null, language, text: text(use) }],
});

const [curl, ...others] = PROGRAMS.map(ofProgram);

/** What is simplest first. */
export const EXAMPLES: readonly Example[] = [...(curl ? [curl] : []), ...CONNECTED.map(ofClient), ...others];
