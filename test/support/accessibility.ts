import axe from "axe-core";
import type { Page } from "playwright-core";

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** The rules of these tags that read colours. The themes differ in colours and nothing else (test/dashboard/theme.test.ts). */
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

/** The rules that say something else where the layout is another one. */
const LAYOUT_RULES = [
  "aria-hidden-focus",
  "button-name",
  "color-contrast",
  "heading-order",
  "label",
  "landmark-unique",
  "link-name",
  "page-has-heading-one",
  "region",
  "scrollable-region-focusable",
  "target-size",
];
/** Phone, tablet and a wide screen, beside the usual window. */
const OTHER_WIDTHS = [375, 768, 1440];

/**
 * What axe finds wrong with the page that is open, as `rule: element`: in its light and in its dark theme, and in other
 * widths, in the dark one.
 */
export const barriersOn = async (page: Page): Promise<string[]> => {
  // A page that is still being read into has nothing to look at.
  await page.locator("h1").first().waitFor();
  const found: string[] = [];
  const themes = [
    ["light", TAGS],
    ["dark", COLOUR_RULES],
  ] as const;
  for (const [theme, rules] of themes) {
    await showIn(page, theme);
    found.push(...(await look(page, rules)).map((barrier) => `${theme}: ${barrier}`));
  }
  const usual = page.viewportSize();
  if (usual === null) return found;
  for (const width of OTHER_WIDTHS) {
    await page.setViewportSize({ width, height: usual.height });
    await atRest(page);
    found.push(...(await look(page, LAYOUT_RULES)).map((barrier) => `${width} pixels, dark: ${barrier}`));
  }
  await page.setViewportSize(usual);
  return found;
};

/** Colours that are on their way from one theme to the other are nobody's. */
const showIn = async (page: Page, theme: "light" | "dark"): Promise<void> => {
  await page.evaluate((wanted) => {
    document.documentElement.dataset["theme"] = wanted;
  }, theme);
  await atRest(page);
};

/** What moves and comes to an end has come to it, what turns for ever goes on; and the page was drawn in its new size. */
const atRest = async (page: Page): Promise<void> => {
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every(
        (one) => one.playState !== "running" || one.effect?.getComputedTiming().endTime === Number.POSITIVE_INFINITY,
      ),
  );
};

/** The narrowest window a page is to fit in without being scrolled sideways: 1280 pixels at four times the size. */
const NARROW = { width: 320, height: 640 };

/** How the page that is open fits into a narrow window (WCAG 1.4.10): nothing, or how wide it is. */
export const overflowOn = async (page: Page): Promise<string[]> => {
  const usual = page.viewportSize();
  await page.setViewportSize(NARROW);
  const fits = await page
    .waitForFunction(() => document.documentElement.scrollWidth <= window.innerWidth)
    .then(() => [])
    .catch(async () => [`${await page.evaluate(() => document.documentElement.scrollWidth)} pixels wide`]);
  if (usual) await page.setViewportSize(usual);
  return fits;
};

const look = async (page: Page, rules: readonly string[]): Promise<string[]> => {
  // By the debugger's protocol, which the page's policy does not guard: nothing of the policy is switched off for it.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source);
  const result: axe.AxeResults = await page.evaluate(
    `window.axe.run(document, { runOnly: ${JSON.stringify(rules)}, resultTypes: ["violations"] })`,
  );
  return result.violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(" ")}`));
};
