import { expect, setDefaultTimeout, test } from "bun:test";
import { readFile } from "node:fs/promises";
import type { Locator, Page } from "playwright-core";
import { ADA } from "#test/flow/oauth-world";
import { barriersOn, overflowOn } from "#test/support/accessibility";
import { inChromium } from "#test/support/browser";
import { eventually } from "#test/support/eventually";
import { verifies } from "#test/support/verifies";
import { button, ownedHub, worldOf } from "./hands";

setDefaultTimeout(120_000);

const KEY = `AKIA${["Q7DK3NFJ", "2LSPW5XT"].join("")}`;

inChromium("proofs and evidence", () => {
  let agentId: string;
  let blocked: string;
  const world = worldOf(async () => {
    const hub = await ownedHub();
    const agent = await hub.createAgent("helper", ADA);
    agentId = agent.id;
    const { token } = await hub.createToken(ADA, agent.id);
    const messages = [{ role: "user", content: `The key is ${KEY}` }];
    const answer = await hub.fetch("/v1/chat/completions", { token, json: { model: "guardhouse/echo", messages } });
    blocked = answer.headers.get("x-request-id") ?? "";
    // A stop signs what was recorded.
    await hub.restart();
    return hub;
  });

  const opened = async (address: string): Promise<Page> => {
    const { page } = await world.browsers.signedIn();
    await page.goto(`${world.hub.url}${address}`);
    return page;
  };
  const downloaded = async (page: Page, link: Locator): Promise<string> => {
    const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
    return readFile(await download.path(), "utf8");
  };

  test("the page of the log has the public key and says what witnesses there are", async () => {
    verifies("evidence.dashboard");
    const page = await opened("/audit");
    await page.getByRole("heading", { name: "Proofs and witnesses" }).waitFor();
    const { key } = Object((await world.hub.cli("audit", "key")).json());
    await page.getByText(key, { exact: true }).waitFor();
    await page.getByText("No witnesses.").waitFor();
    expect([await barriersOn(page), await overflowOn(page)]).toEqual([[], []]);
  });

  test("a call's page has its proof, which holds", async () => {
    verifies("evidence.dashboard");
    const page = await opened(`/calls/${blocked}`);
    const proof = await downloaded(page, page.getByRole("link", { name: "Download proof" }));
    const files = [await world.hub.writeFile(proof), "--key"];
    const { key } = Object((await world.hub.cli("audit", "key")).json());
    const { code, json } = await world.hub.cli("audit", "check", ...files, await world.hub.writeFile(key));
    expect([code, Object(json()).record.call_id]).toEqual([0, blocked]);
  });

  test("an agent's page makes a report, whose page prints", async () => {
    verifies("evidence.page", "evidence.dashboard");
    const page = await opened(`/agents/${agentId}`);
    await button(page, "Make report").click();
    const html = await downloaded(page, page.getByRole("link", { name: "Download page" }));
    expect(html).toContain(blocked);
    expect(html).not.toContain(KEY);
    const json = JSON.parse(await downloaded(page, page.getByRole("link", { name: "Download JSON" })));
    expect(json).toMatchObject({ agent: { name: "helper" }, cited: { total: 1 } });
    const { page: printed } = await world.browsers.signedIn();
    await printed.goto("about:blank");
    await printed.setContent(html);
    await eventually(() => printed.title(), "Evidence for helper");
    const pdf = await printed.pdf({ format: "A4" });
    expect(pdf.subarray(0, 5).toString()).toBe("%PDF-");
    expect(pdf.length).toBeGreaterThan(10_000);
  });
});
