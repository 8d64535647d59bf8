import { expect } from "bun:test";
import type { Page } from "playwright-core";

type Locator = ReturnType<Page["locator"]>;

/**
 * What a page is worked with, counted: clicks, keys that act, fields that are typed into. A choice of a list is two
 * actions, opening it and choosing; typing itself is not counted.
 */
export class CountedHands {
  #clicks = 0;
  #keys = 0;
  #fields = 0;
  #choices = 0;

  constructor(readonly page: Page) {}

  get clicks(): number {
    return this.#clicks;
  }
  get keys(): number {
    return this.#keys;
  }
  get count(): number {
    return this.#clicks + this.#keys + this.#fields + 2 * this.#choices;
  }

  async click(locator: Locator): Promise<void> {
    this.#clicks += 1;
    await locator.click();
  }
  async check(locator: Locator): Promise<void> {
    this.#clicks += 1;
    await locator.check();
  }
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      this.#keys += 1;
      await this.page.keyboard.press(key);
    }
  }
  async select(label: string, choice: string): Promise<void> {
    this.#choices += 1;
    await this.page.getByLabel(label, { exact: true }).selectOption({ label: choice });
  }
  async fill(locator: Locator, text: string): Promise<void> {
    this.#fields += 1;
    await locator.fill(text);
  }
  async type(text: string): Promise<void> {
    this.#fields += 1;
    await this.page.keyboard.type(text);
  }
}

/** Clicks and actions of several people, who hand a matter on. */
export const together = (all: readonly CountedHands[]) => ({
  clicks: all.reduce((sum, { clicks }) => sum + clicks, 0),
  count: all.reduce((sum, { count }) => sum + count, 0),
});

type Row = { readonly name: string; readonly before: number | null; readonly clicks: number; readonly count: number };

const DOCUMENT = new URL("../../docs/dashboard.md", import.meta.url);

/** The rows of the table below a heading of docs/dashboard.md; numbers are its last columns, as many as are asked for. */
const rowsBelow = async (heading: string, numbers: number): Promise<(readonly string[])[]> => {
  const [, section = ""] = (await Bun.file(DOCUMENT).text()).split(`\n## ${heading}\n`);
  const [body = ""] = section.split("\n## ");
  return body
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| ---"))
    .slice(1)
    .map((line) => {
      const cells = line.split("|").map((cell) => cell.trim());
      return [cells[1] ?? "", ...cells.slice(-1 - numbers, -1)];
    });
};

/** What the documentation says a question takes, by question. */
export const documentedQuestions = async (): Promise<ReadonlyMap<string, number>> =>
  new Map((await rowsBelow("Questions", 1)).map(([name = "", count]) => [name, Number(count)]));

/** What the documentation says each journey takes, and took before. */
export const documentedJourneys = async (): Promise<readonly Row[]> =>
  (await rowsBelow("Journeys", 3)).map(([name = "", before, clicks, count]) => ({
    name,
    before: before === "–" ? null : Number(before),
    clicks: Number(clicks),
    count: Number(count),
  }));

/** A question takes as many actions as the documentation says. */
export const expectQuestion = async (question: string, { count }: CountedHands): Promise<void> => {
  expect({ question, count }).toEqual({ question, count: (await documentedQuestions()).get(question) ?? 0 });
};

/** A journey takes what the documentation says, and no more clicks than before. */
export const expectJourney = async (name: string, ...hands: readonly CountedHands[]): Promise<void> => {
  const row = (await documentedJourneys()).find((one) => one.name === name);
  const { clicks, count } = together(hands);
  console.info(`${name}: ${row?.before ?? "–"} clicks before, now ${clicks}; ${count} actions`);
  expect({ name, clicks, count }).toEqual({ name, clicks: row?.clicks ?? 0, count: row?.count ?? 0 });
  if (row && row.before !== null) expect(clicks).toBeLessThanOrEqual(row.before);
};
