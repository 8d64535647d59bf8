import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { BrowserWorld } from "#test/browser/browser-world";
import { Browser } from "#test/flow/browser";
import { ADA, PASSWORD } from "#test/flow/oauth-world";
import { KEY } from "#test/flow/report-world";
import { barriersOn, overflowOn } from "#test/support/accessibility";
import { inChromium } from "#test/support/browser";
import { eventually } from "#test/support/eventually";
import type { Hub } from "#test/support/hub";
import { verifies } from "#test/support/verifies";
import { CountedHands } from "./counted-hands";
import { button, invited, ownedHub } from "./hands";

const EVE = "eve@example.org";
const RITA = "rita@example.org";
const DISPUTES = 50;
/** A user reports five an hour. */
const EACH = 5;
const TEXTS = [
  (n: number) => `My key number ${n} is ${KEY}, keep it safe.`,
  (n: number) => `Write a shell script that uploads archive ${n} with ${KEY} to the bucket in Frankfurt every night.`,
];
const PHONE = { width: 375, height: 812 };

inChromium("triage", () => {
  let hub: Hub;
  let browsers: BrowserWorld;
  let rita: Browser;

  const dispute = async (token: string, text: string): Promise<string> => {
    const json = { model: "guardhouse/echo", messages: [{ role: "user", content: text }] };
    const { error } = Object(await (await hub.fetch("/v1/chat/completions", { token, json })).json());
    const sent = { token, json: { event_id: error.event_id, share_content: false } };
    const { miss_report_id } = Object(await (await hub.fetch("/v1/guard/disputes", sent)).json());
    return miss_report_id;
  };
  const waiting = async (): Promise<number> =>
    Object(await (await rita.send("/api/inbox?limit=1")).json()).counts.report;
  const waited = async (count: number): Promise<void> => {
    await eventually(waiting, count);
  };

  beforeAll(async () => {
    hub = await ownedHub();
    await invited(hub, EVE, "member");
    await invited(hub, RITA, "reviewer");
    rita = new Browser(hub);
    await rita.signIn(RITA, PASSWORD);
    browsers = await BrowserWorld.open(hub);
    for (let user = 0; user < DISPUTES / EACH; user += 1) {
      const email = user === 0 ? EVE : `member-${user}@example.org`;
      if (user > 0) await hub.createUser(email);
      const { token } = await hub.createToken(email);
      const text = TEXTS[user % TEXTS.length] ?? String;
      for (let n = 0; n < EACH; n += 1) await dispute(token, text(user * EACH + n));
    }
    await waited(DISPUTES);
  });
  afterEach(() => browsers.expectNoTroubles());
  afterAll(async () => {
    await browsers[Symbol.asyncDispose]();
    await hub[Symbol.asyncDispose]();
  });

  test("fifty disputes are decided with a few clicks and keys", async () => {
    verifies("dashboard.triage");
    const { page } = await browsers.signedInAt("/inbox", RITA);
    const hands = new CountedHands(page);
    await page.getByRole("heading", { name: `Reports (${DISPUTES})` }).waitFor();
    const groups = page.getByText("25 like reports");
    await groups.nth(1).waitFor();
    await page.getByText("and 4 others").first().waitFor();
    await eventually(() => page.locator("[data-row]").count(), 2);
    // Nobody has taken one up, and none runs out: no columns for that.
    const columns = ["Select", "Item", "Requested by", "Since", "Decide"];
    await eventually(() => page.getByRole("columnheader").allTextContents(), columns);
    expect(await barriersOn(page)).toEqual([]);

    // By keyboard: to the first group, approve, confirm.
    await hands.press("j", "a");
    const dialog = page.getByRole("dialog", { name: "False positive: 25 items" });
    await dialog.getByRole("button", { name: "False positive (25)" }).and(page.locator(":focus")).waitFor();
    expect(await barriersOn(page)).toEqual([]);
    await hands.press("Enter");
    await page.getByRole("heading", { name: `Reports (${DISPUTES / 2})` }).waitFor();
    await dialog.waitFor({ state: "detached" });

    // The rest one by one: a page of them, taken up, then decided by mouse.
    await hands.click(button(page, "Group like reports"));
    await page.locator("[data-row]").nth(24).waitFor();
    await hands.press("Shift+X");
    await page.getByRole("toolbar", { name: "Selected items" }).getByText("25 items selected").waitFor();
    expect([...(await barriersOn(page)), ...(await overflowOn(page))]).toEqual([]);
    await page.setViewportSize(PHONE);
    expect(await barriersOn(page)).toEqual([]);
    await page.setViewportSize({ width: 1_280, height: 800 });
    await hands.click(button(page, "True positive"));
    await hands.click(button(page, "True positive (25)"));
    await page.getByText("All caught up.").waitFor();
    expect(await waiting()).toBe(0);
    expect([hands.clicks, hands.keys]).toEqual([3, 4]);

    const reports: { decision: string }[] = Object(await (await rita.send("/api/reports?limit=200")).json()).data;
    const decided = (verdict: string) => reports.filter(({ decision }) => decision === verdict).length;
    expect([decided("false_positive"), decided("true_positive")]).toEqual([DISPUTES / 2, DISPUTES / 2]);
  });

  test("the reporter is told on the overview until the report was looked at", async () => {
    verifies("notices.told");
    const { page } = await browsers.signedInAt("/", EVE);
    await page.getByRole("heading", { name: "For you" }).waitFor();
    expect([...(await barriersOn(page)), ...(await overflowOn(page))]).toEqual([]);
    await page.getByText(`${EACH} notices for you`).waitFor();
    await page.getByText(`${EACH} times`).waitFor();
    await page.getByRole("link", { name: "A report was decided: false positive" }).first().click();
    await page.getByRole("heading", { name: "Decided" }).waitFor();
    await page.getByText(`${EACH - 1} notices for you`).waitFor();
    await page.getByRole("link", { name: "Overview" }).click();
    await button(page, "Mark all as seen").click();
    await page.getByRole("heading", { name: "For you" }).waitFor({ state: "detached" });
  });

  test("on a report's page: like ones with it, taken up, and on to the next", async () => {
    verifies("dashboard.triage");
    const token = (await hub.createToken(ADA)).token;
    const ids: string[] = [];
    for (const n of [1, 2, 3]) ids.push(await dispute(token, TEXTS[0]?.(n) ?? ""));
    const other = await dispute(token, TEXTS[1]?.(4) ?? "");
    await waited(4);
    const { page } = await browsers.signedInAt(`/reports/${ids[0]}`, RITA);
    const bar = page.getByRole("navigation", { name: "Inbox" });
    await bar.getByText("1 of 4").waitFor();
    await page.keyboard.press("m");
    await bar.getByText(`assigned to ${RITA}`).waitFor();
    expect([...(await barriersOn(page)), ...(await overflowOn(page))]).toEqual([]);
    await page.keyboard.press("n");
    await page.waitForURL(`**/reports/${ids[1]}`);
    await bar.getByText("2 of 4").waitFor();
    await page.keyboard.press("a");
    const dialog = page.getByRole("dialog", { name: "False positive" });
    await dialog.getByLabel("Decide 2 like reports as well").check();
    expect(await barriersOn(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Close report" }).click();
    await bar.getByText("1 left").waitFor();
    await page.keyboard.press("n");
    await page.waitForURL(`**/reports/${other}`);
    await bar.getByText("1 of 1").waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).getByText("Assign to me").waitFor();
    await page.keyboard.press("Escape");
    // The list of reports says who has taken one up, and puts like ones together.
    await page.goto(`${hub.url}/reports`);
    await page.getByRole("cell", { name: RITA }).first().waitFor();
    await page.getByRole("columnheader", { name: "Assigned to" }).waitFor();
    await button(page, "Group like reports").click();
    await page.getByRole("heading", { name: "Waiting reports (1)" }).waitFor();
    expect([...(await barriersOn(page)), ...(await overflowOn(page))]).toEqual([]);
    await button(page, "Group like reports").click();
    await page.getByRole("columnheader", { name: "Verdict" }).waitFor();
    await page.goto(`${hub.url}/reports?assignee=me`);
    await page.getByRole("button", { name: "Clear filters" }).or(page.locator("[data-row]")).first().waitFor();
    expect([...(await barriersOn(page)), ...(await overflowOn(page))]).toEqual([]);
  });
});
