import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { BrowserWorld } from "#test/browser/browser-world";
import { ADA, PASSWORD } from "#test/flow/oauth-world";
import { KEY } from "#test/flow/report-world";
import { barriersOn } from "#test/support/accessibility";
import { inChromium } from "#test/support/browser";
import { eventually } from "#test/support/eventually";
import { FakeProvider, says } from "#test/support/fake-provider";
import { Hub } from "#test/support/hub";
import { verifies } from "#test/support/verifies";
import { button, invited } from "./hands";

const EVE = "eve@example.org";
const RITA = "rita@example.org";
const JUDGE = "judge-1";
const FINDS = JSON.stringify({ verdict: "false_positive", confidence: 0.95, reasoning: "A key of the manual." });
const TEXT = `My key is ${KEY}, keep it safe.`;

inChromium("where people decide", () => {
  let hub: Hub;
  let judges: FakeProvider;
  let browsers: BrowserWorld;
  let token: string;
  beforeAll(async () => {
    judges = await FakeProvider.start([JUDGE]);
    judges.always(says(FINDS));
    hub = await Hub.create({ env: { GUARDHOUSE_REVIEWER__MODEL: JUDGE, GUARDHOUSE_REVIEWER__PROVIDER: "judges" } });
    await hub.addProvider("judges", { baseUrl: judges.url, models: ["judge-*"] });
    const file = await hub.writeFile(`${PASSWORD}\n`);
    await hub.cli("admin", "create", ADA, "--password-file", file);
    await hub.start();
    await invited(hub, EVE, "member");
    await invited(hub, RITA, "reviewer");
    await hub.createAgent("helper", EVE);
    token = (await hub.createToken(EVE, "helper")).token;
    browsers = await BrowserWorld.open(hub);
  });
  afterEach(() => browsers.expectNoTroubles());
  afterAll(async () => {
    await browsers[Symbol.asyncDispose]();
    await hub[Symbol.asyncDispose]();
    await judges[Symbol.asyncDispose]();
  });

  const call = async () => {
    const json = { model: "guardhouse/echo", messages: [{ role: "user", content: TEXT }] };
    const answer = await hub.fetch("/v1/chat/completions", { token, json });
    return { status: answer.status, event: Object(await answer.json()).error?.event_id };
  };
  const inDialog = (page: Page, name: string) => page.getByRole("dialog").getByRole("button", { name, exact: true });

  test("a wrong block is disputed, fixed with another person's approval, and the fix rolled back", async () => {
    verifies("dashboard.decide");
    const blocked = await call();
    expect(blocked.status).toBe(400);

    const { page: eve } = await browsers.signedInAt(`/calls/${blocked.event}`, EVE);
    await button(eve, "Dispute").click();
    const dialog = eve.getByRole("dialog", { name: "Dispute this decision" });
    await dialog.getByText("5 of 5 reports an hour left.").waitFor();
    await eventually(() => dialog.getByLabel("secret.aws_access_key").isChecked(), true);
    expect(await barriersOn(eve)).toEqual([]);
    await dialog.getByLabel("Confidence").selectOption("certain");
    await dialog.getByLabel("Comment").fill("It is the key of our manual.");
    await dialog.getByLabel("Share the text with the reviewer model").check();
    await inDialog(eve, "Send dispute").click();

    await eve.waitForURL("**/reports/*");
    await eve.getByText("A key of the manual.").waitFor();
    await eve.getByText("‹SECRET").or(eve.getByText("[secret")).first().waitFor();
    expect(await eve.getByText(KEY).count()).toBe(0);
    await eve.getByRole("link", { name: "View tuning suggestion" }).click();

    await button(eve, "Request approval").click();
    await eve.getByLabel("Note").fill("It blocks our manual.");
    await inDialog(eve, "Request approval").click();
    await eve.getByText("You cannot decide:").waitFor();
    await eventually(() => button(eve, "Approve").count(), 0);

    const { page: rita } = await browsers.signedInAt("/inbox", RITA);
    await rita.getByRole("heading", { name: "Tuning suggestions (1)" }).waitFor();
    expect(await barriersOn(rita)).toEqual([]);
    await rita.getByRole("link", { name: "Loosen: value exception", exact: true }).click();
    await rita.getByText("It blocks our manual.").waitFor();
    expect(await barriersOn(rita)).toEqual([]);
    await button(rita, "Approve").click();
    await rita.getByLabel("Reason").fill("Only this value.");
    await inDialog(rita, "Approve").click();
    await rita.getByText("Approved.").waitFor();

    await eve.reload();
    await eve.getByText("Only this value.").waitFor();
    await button(eve, "Apply").click();
    await eve.getByLabel("Expires after (days)").fill("30");
    await inDialog(eve, "Apply").click();
    await eve.getByText("Rule in force.").waitFor();
    expect((await call()).status).toBe(200);

    await eve.goto(`${hub.url}/tuning/rules`);
    await button(eve, "Actions for Value exception").click();
    await eve.getByRole("menuitem", { name: "Roll back" }).click();
    expect(await inDialog(eve, "Roll back").isDisabled()).toBe(true);
    await eve.getByLabel('Type "revert" to confirm').fill("revert");
    await inDialog(eve, "Roll back").click();
    await eve.getByText("No rules in force.").waitFor();
    expect((await call()).status).toBe(400);
  });

  test("suggestion form: edit, replay on past calls, errors at their fields", async () => {
    verifies("dashboard.tuning-form");
    const { event } = await call();
    const sent = await hub.fetch("/v1/guard/disputes", { token, json: { event_id: event, share_content: true } });
    const { miss_report_id } = Object(await sent.json());
    const visitor = await browsers.signedInAt(`/reports/${miss_report_id}`, EVE);
    const { page } = visitor;
    await page.getByRole("link", { name: "View tuning suggestion" }).click();
    await button(page, "More actions").click();
    await page.getByRole("menuitem", { name: "Edit" }).click();
    const dialog = page.getByRole("dialog", { name: "Edit this change" });
    await dialog.getByText("one exact value").first().waitFor();
    expect(await barriersOn(page)).toEqual([]);

    await dialog.getByLabel("Exact value", { exact: true }).selectOption({ label: "Any value" });
    await dialog.getByLabel("Pattern").fill("AKIA(");
    await inDialog(page, "Re-evaluate past calls").click();
    await dialog.getByText("match.pattern is RE2 syntax").waitFor();
    const marked = () => dialog.getByLabel("Pattern").getAttribute("aria-invalid");
    await eventually(marked, "true");
    await dialog.getByLabel("Pattern").fill("AKIA[0-9A-Z]{16}");
    await dialog.getByText("matching AKIA[0-9A-Z]{16}").waitFor();
    await eventually(marked, null);
    await inDialog(page, "Re-evaluate past calls").click();
    await dialog.getByText("New false negatives").first().waitFor();
    await dialog.getByText("Pattern exception").waitFor();

    await dialog.getByLabel("Kind of change").selectOption({ label: "Change the threshold" });
    await dialog.getByLabel("Lowest score").fill("0.99");
    await dialog.getByText("from score 0.99").waitFor();
    await dialog.getByLabel("Kind of change").selectOption({ label: "Exception: only flag matching findings" });
    await dialog.getByLabel("Exact value", { exact: true }).selectOption({ label: "A new exact value" });
    await dialog.getByLabel("Value", { exact: true }).fill(KEY);
    await dialog.getByLabel("Pattern").fill("");
    await dialog.getByLabel("Reason").fill("Only this one.");
    await inDialog(page, "Save and request approval").click();
    await page.getByText("Only this one.").waitFor();
    await page.getByText("You cannot decide:").waitFor();
    await page.getByRole("heading", { name: "Value exception" }).waitFor();
    expect((await visitor.met(/status of 400/)).length).toBe(1);
  });

  test("reports: a person overrules the model and sees the rate of justified disputes", async () => {
    verifies("dashboard.decide");
    const { event } = await call();
    const sent = await hub.fetch("/v1/guard/disputes", { token, json: { event_id: event, share_content: true } });
    const { miss_report_id } = Object(await sent.json());
    const { page } = await browsers.signedInAt("/reports?direction=false_positive", RITA);
    await page.getByRole("heading", { name: "False positives by finding type" }).waitFor();
    expect(await barriersOn(page)).toEqual([]);
    await page.goto(`${hub.url}/reports/${miss_report_id}`);
    await page.getByText("A key of the manual.").waitFor();
    expect(await barriersOn(page)).toEqual([]);
    await button(page, "True positive overturns the model").click();
    await page.getByLabel("Comment").fill("Somebody uses it.");
    await inDialog(page, "Close report").click();
    await page.getByRole("heading", { name: "Decided" }).waitFor();
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Reports" }).click();
    await page.getByText("66.7%: 2 of 3").waitFor();
  });
});
