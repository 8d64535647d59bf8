/*
 * A strict reader of Prometheus' text format 0.0.4, by its specification: a metric is told of once, in one piece, after
 * its HELP and TYPE; names, labels and numbers have their exact form; counters and histograms keep their promises.
 */

export type Sample = { readonly labels: Readonly<Record<string, string>>; readonly value: number };
export type Family = { readonly help: string; readonly type: string; readonly samples: ReadonlyMap<string, Sample[]> };

const NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const HELP = new RegExp(`^# HELP (${NAME}) ([^\n]*)$`);
const TYPE = new RegExp(`^# TYPE (${NAME}) (counter|gauge|histogram|summary|untyped)$`);
const SAMPLE = new RegExp(`^(${NAME})(?:\\{([^\n]*)\\})? (\\S+)$`);
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(,|$)/y;
const NUMBER = /^(?:[+-]?(?:\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|Inf)|NaN)$/;
const SUFFIXES: Readonly<Record<string, readonly string[]>> = { histogram: ["_bucket", "_sum", "_count"] };

const unescaped = (text: string): string => text.replaceAll(/\\(.)/g, (_, it: string) => (it === "n" ? "\n" : it));

const numberOf = (text: string): number => {
  if (!NUMBER.test(text)) throw new Error(`not a number: ${text}`);
  return Number(text.replace("Inf", "Infinity"));
};

const labelsOf = (text: string): Record<string, string> => {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < text.length) {
    const at = LABEL.lastIndex;
    const [, name, value] = LABEL.exec(text) ?? [];
    if (name === undefined || value === undefined) throw new Error(`not a label at ${at}: ${text}`);
    if (Object.hasOwn(labels, name)) throw new Error(`the label ${name} twice: ${text}`);
    labels[name] = unescaped(value);
  }
  return labels;
};

/** What is read line by line; throws at the first that breaks a rule. */
class Reader {
  readonly families = new Map<string, Family & { readonly samples: Map<string, Sample[]> }>();
  #help: { readonly name: string; readonly help: string } | null = null;
  #open: { readonly name: string; readonly type: string } | null = null;
  readonly #seen = new Set<string>();

  read(line: string): void {
    if (line.startsWith("# HELP")) this.#takeHelp(HELP.exec(line));
    else if (line.startsWith("# TYPE")) this.#takeType(TYPE.exec(line));
    else if (line !== "" && !line.startsWith("#")) this.#takeSample(SAMPLE.exec(line), line);
  }

  #takeHelp(found: RegExpExecArray | null): void {
    const [line, name, help] = found ?? [];
    if (line === undefined || name === undefined || !help) throw new Error("a HELP line of another form");
    if (this.families.has(name)) throw new Error(`${name} is told of twice`);
    this.#help = { name, help: unescaped(help) };
  }

  #takeType(found: RegExpExecArray | null): void {
    const [, name, type] = found ?? [];
    if (name === undefined || type === undefined || this.#help?.name !== name)
      throw new Error(`TYPE without HELP: ${name}`);
    if (type === "counter" && !name.endsWith("_total"))
      throw new Error(`a counter that does not end in _total: ${name}`);
    this.families.set(name, { help: this.#help.help, type, samples: new Map() });
    this.#open = { name, type };
  }

  #takeSample(found: RegExpExecArray | null, line: string): void {
    const [, name, labelText = "", text] = found ?? [];
    if (name === undefined || text === undefined || this.#open === null) throw new Error(`not a sample: ${line}`);
    const allowed = (SUFFIXES[this.#open.type] ?? [""]).map((suffix) => `${this.#open?.name}${suffix}`);
    if (!allowed.includes(name)) throw new Error(`${name} stands below ${this.#open.name}`);
    const labels = labelsOf(labelText);
    const key = `${name} ${JSON.stringify(Object.entries(labels).sort())}`;
    if (this.#seen.has(key)) throw new Error(`the same sample twice: ${line}`);
    this.#seen.add(key);
    const samples = this.families.get(this.#open.name)?.samples;
    samples?.set(name, [...(samples.get(name) ?? []), { labels, value: numberOf(text) }]);
  }
}

const checkCounter = (name: string, { samples }: Family): void => {
  for (const { value } of samples.get(name) ?? []) {
    if (!(value >= 0)) throw new Error(`${name} is ${value}`);
  }
};

const checkHistogram = (name: string, { samples }: Family): void => {
  const buckets = samples.get(`${name}_bucket`) ?? [];
  const bounds = buckets.map(({ labels }) => numberOf(labels["le"] ?? "none"));
  if (bounds.some((bound, at) => at > 0 && bound <= (bounds[at - 1] ?? bound))) throw new Error(`${name}: bounds fall`);
  if (buckets.some(({ value }, at) => at > 0 && value < (buckets[at - 1]?.value ?? 0)))
    throw new Error(`${name}: counts fall`);
  const [count] = samples.get(`${name}_count`) ?? [];
  if (bounds.at(-1) !== Number.POSITIVE_INFINITY) throw new Error(`${name} has no last bucket`);
  if (count === undefined || count.value !== buckets.at(-1)?.value)
    throw new Error(`${name}: count and last bucket differ`);
  if (samples.get(`${name}_sum`)?.length !== 1) throw new Error(`${name} has no sum`);
};

/** By name. Throws where the text is not what the format wants. */
export const parseMetrics = (text: string): ReadonlyMap<string, Family> => {
  if (!text.endsWith("\n")) throw new Error("the last line has no end");
  const reader = new Reader();
  for (const line of text.slice(0, -1).split("\n")) reader.read(line);
  for (const [name, family] of reader.families) {
    if (family.type === "counter") checkCounter(name, family);
    if (family.type === "histogram") checkHistogram(name, family);
  }
  return reader.families;
};

/** The value of one sample; undefined where there is none with these labels. */
export const figureOf = (
  families: ReadonlyMap<string, Family>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined => {
  const samples = [...families.values()].flatMap((family) => family.samples.get(name) ?? []);
  return samples.find((sample) => Bun.deepEquals(sample.labels, labels))?.value;
};
