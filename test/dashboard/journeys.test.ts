/*
 * What people come to the dashboard for, done in Chromium from the first screen, with what each took.
 * docs/dashboard.md has the table, which holds the counts; those before are of a review of an early build.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { BrowserWorld } from "#test/browser/browser-world";
import { ADA, PASSWORD } from "#test/flow/oauth-world";
import { KEY } from "#test/flow/report-world";
import { barriersOn, overflowOn } from "#test/support/accessibility";
import { inChromium } from "#test/support/browser";
import { FakeProvider } from "#test/support/fake-provider";
import { Hub } from "#test/support/hub";
import { McpFixture, text, tool } from "#test/support/mcp-fixture";
import { verifies } from "#test/support/verifies";
import { WebhookReceiver } from "#test/support/webhook-receiver";
import { CountedHands, documentedJourneys, expectJourney } from "./counted-hands";
import { button, invited, ownedHub, secretOn } from "./hands";

const EVE = "eve@example.org";
const MIA = "mia@example.org";
const RITA = "rita@example.org";
const ECHO = "guardhouse/echo";

const nav = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Main" }).getByRole("link", { name, exact: true });
const tab = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Tabs" }).getByRole("link", { name, exact: true });
const link = (page: Page, name: string) => page.getByRole("link", { name, exact: true });
const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
const inDialog = (page: Page, name: string) => page.getByRole("dialog").getByRole("button", { name, exact: true });
const waitingLongest = (page: Page) => page.getByRole("list", { name: "Waiting longest" }).getByRole("link");

const isClean = async (page: Page): Promise<void> => {
  expect([...(await barriersOn(page)), ...(await overflowOn(page))]).toEqual([]);
};

inChromium("journeys", () => {
  const done: string[] = [];
  const ended = async (name: string, ...hands: readonly CountedHands[]): Promise<void> => {
    await expectJourney(name, ...hands);
    done.push(name);
  };

  describe("of who begins", () => {
    let hub: Hub;
    let browsers: BrowserWorld;
    beforeAll(async () => {
      hub = await Hub.started();
      browsers = await BrowserWorld.open(hub);
    });
    afterEach(() => browsers.expectNoTroubles());
    afterAll(async () => {
      await browsers[Symbol.asyncDispose]();
      await hub[Symbol.asyncDispose]();
    });

    /** What a program does with the command that the page shows. */
    const sent = async (page: Page): Promise<number> => {
      const line = (await page.getByLabel("Example: curl").last().textContent()) ?? "";
      const [, token] = /Bearer ([\w-]+)/.exec(line) ?? [];
      const [, body = ""] = /-d '(.*)'$/.exec(line) ?? [];
      if (token === undefined) throw new Error(`no key in ${line}`);
      const answer = await hub.fetch("/v1/chat/completions", { token, json: JSON.parse(body) });
      return answer.status;
    };

    test("from the printed link to a disputed block", async () => {
      verifies("dashboard.journeys");
      const [address] = await hub.said(/http\S+\/setup#[\w-]{43}/);
      const visitor = await browsers.visitor();
      const { page } = visitor;
      await page.goto(address);
      const owner = new CountedHands(page);
      await owner.fill(field(page, "E-mail"), ADA);
      await owner.fill(page.getByRole("textbox", { name: "Password" }), PASSWORD);
      await owner.click(button(page, "Create"));
      await page.waitForURL(`${hub.url}/`);
      await ended("Set up the administrator", owner);

      const caller = new CountedHands(page);
      await caller.click(button(page, "New key"));
      await caller.click(button(page, "Create key"));
      await secretOn(page);
      await caller.click(button(page, "Done"));
      const copy = page.locator("main li").getByRole("button", { name: "Copy", exact: true }).last();
      await page.getByText("Waiting for the first call…").waitFor();
      await caller.click(copy);
      expect(await sent(page)).toBe(200);
      await page.getByText("Waiting for the first blocked call…").waitFor();
      await caller.click(copy);
      expect(await sent(page)).toBe(400);
      await page.getByText("First call blocked").waitFor();
      await ended("First key, first call, first block", caller);

      const reader = new CountedHands(page);
      await reader.click(page.getByRole("link", { name: "View call" }).last());
      await reader.click(button(page, "Show content"));
      await page.getByText("Deploy with the access key").waitFor();
      await reader.click(button(page, "Dispute"));
      await reader.click(inDialog(page, "Send dispute"));
      await page.waitForURL("**/reports/*");
      await ended("See a block, read its text, dispute it", reader);
    });
  });

  describe("of who runs a hub", () => {
    let hub: Hub;
    let browsers: BrowserWorld;
    let provider: FakeProvider;
    let receiver: WebhookReceiver;
    let books: McpFixture;
    beforeAll(async () => {
      provider = await FakeProvider.start(["gpt-test"]);
      receiver = new WebhookReceiver();
      books = McpFixture.start({ tools: [tool("look_up", () => text("found"))] });
      const own = "127.0.0.0/8";
      hub = await ownedHub({
        env: {
          GUARDHOUSE_UPSTREAM__ALLOW_PRIVATE: own,
          GUARDHOUSE_WEBHOOKS__ALLOW_PRIVATE: own,
          GUARDHOUSE_TOOL_GATEWAY__ALLOW_PRIVATE: own,
        },
      });
      await invited(hub, EVE, "member");
      await invited(hub, MIA, "member");
      await invited(hub, RITA, "reviewer");
      browsers = await BrowserWorld.open(hub);
    });
    afterEach(() => browsers.expectNoTroubles());
    afterAll(async () => {
      await browsers[Symbol.asyncDispose]();
      await hub[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
      await receiver[Symbol.asyncDispose]();
      await books[Symbol.asyncDispose]();
    });

    const call = (token: string, content = "Hello", model = ECHO) =>
      hub.fetch("/v1/chat/completions", { token, json: { model, messages: [{ role: "user", content }] } });
    const handsOf = async (email = ADA, path = "/"): Promise<CountedHands> =>
      new CountedHands((await browsers.signedInAt(path, email)).page);
    const toSettings = async (hands: CountedHands, part: string): Promise<void> => {
      await hands.click(nav(hands.page, "Settings"));
      await hands.click(tab(hands.page, part));
    };

    test("a provider is added, and answers", async () => {
      verifies("dashboard.journeys");
      const hands = await handsOf();
      const { page } = hands;
      await toSettings(hands, "Providers");
      await hands.click(button(page, "Add provider"));
      await hands.fill(field(page, "Name"), "own");
      await hands.fill(page.getByLabel("Base URL"), provider.url);
      await hands.fill(field(page, "Models"), "gpt-test");
      await hands.fill(page.getByLabel("API key"), "key-for-tests-only");
      await hands.click(inDialog(page, "Add"));
      await page.getByText("own added.").waitFor();
      const { token } = await hub.createToken(ADA);
      expect((await call(token, "Hello", "gpt-test")).status).toBe(200);
      await ended("Add a provider", hands);
    });

    test("a user is invited and accepts", async () => {
      verifies("dashboard.journeys");
      const hands = await handsOf(ADA, "/settings/users");
      const { page } = hands;
      await hands.click(button(page, "Invite user"));
      await hands.fill(field(page, "E-mail"), "bea@example.org");
      await hands.click(button(page, "Invite"));
      const address = await secretOn(page);
      await hands.click(button(page, "Done"));
      const visitor = await browsers.visitor();
      await visitor.page.goto(address);
      const guest = new CountedHands(visitor.page);
      await guest.fill(visitor.page.getByRole("textbox", { name: "Password" }), "quite a long password");
      await guest.click(button(visitor.page, "Set password"));
      await visitor.page.waitForURL(`${hub.url}/`);
      await ended("Invite a user, who accepts (from Users)", hands, guest);
    });

    test("an agent is registered, gets a key, makes a call and is reviewed", async () => {
      verifies("dashboard.journeys");
      const owner = await handsOf(MIA);
      const { page } = owner;
      await owner.click(nav(page, "Agents"));
      await owner.click(button(page, "New agent").first());
      await owner.fill(field(page, "Name"), "mail-sorter");
      await owner.click(button(page, "Register"));
      await page.getByRole("heading", { name: "Next step: Create a key" }).waitFor();
      await ended("Register an agent", owner);

      const next = new CountedHands(page);
      await next.click(page.locator("main").getByRole("button", { name: "New key" }).first());
      await next.click(button(page, "Create key"));
      const token = await secretOn(page);
      await next.click(button(page, "Done"));
      await link(page, "Assign tools").waitFor();
      await page.getByRole("heading", { name: "Next step: Make a call" }).waitFor();
      expect((await call(token)).status).toBe(200);
      await page.getByRole("heading", { name: "Next step: Have it reviewed" }).waitFor();
      await next.click(button(page, "Start review"));
      await page.waitForURL(/\/reviews\//);
      await ended("From a new agent to its key and its review", next);

      const writer = new CountedHands(page);
      const onward = async (section: string): Promise<void> => {
        await writer.click(button(page, "Next"));
        await page.getByRole("heading", { name: new RegExp(`^\\d\\. ${section}`) }).waitFor();
      };
      await writer.fill(page.getByLabel("Sponsor"), ADA);
      await onward("Purpose and users");
      await writer.fill(page.getByLabel("Intended use *"), "Sorts mail.");
      await writer.select("Audience *", "organisation");
      await onward("Data and privacy");
      await writer.check(page.getByLabel("internal", { exact: true }));
      await onward("Models and prompts");
      await writer.fill(page.getByLabel("Models *"), ECHO);
      await onward("Tools and permissions");
      await writer.click(button(page, "Add tool"));
      await writer.fill(page.getByLabel("Server of tool 1"), "mail");
      await writer.fill(page.getByLabel("Name of tool 1"), "move");
      await writer.select("Impact of tool 1", "write");
      await onward("Untrusted input");
      await writer.check(page.getByLabel("e-mail", { exact: true }));
      await onward("Secrets and security");
      await onward("Oversight and limits");
      await writer.select("Autonomy *", "suggests only");
      await onward("Monitoring and incidents");
      await page.getByText(/^Missing: /).waitFor({ state: "detached" });
      await writer.click(button(page, "Submit for review"));
      await page.getByText("Waiting for a reviewer.").waitFor();
      await ended("Answer the questionnaire and submit it", writer);

      const rita = await handsOf(RITA);
      await isClean(rita.page);
      await rita.click(waitingLongest(rita.page).first());
      // What is approved is on the page that decides it.
      await rita.page.getByText("The agent has no profile in force: all of it is new.").waitFor();
      await rita.page.locator("main").getByText("Whole profile").waitFor();
      await rita.click(button(rita.page, "Approve"));
      await rita.check(rita.page.getByLabel("I have read the answers"));
      await rita.click(inDialog(rita.page, "Approve"));
      await rita.page.getByText("Approved: the answers are the agent's profile.").waitFor();
      await isClean(rita.page);
      await ended("Read a review with its compiled profile, approve it", rita);
      await link(rita.page, "View profile").click();
      await rita.page.getByRole("heading", { name: "In force: version 1" }).waitFor();
    });

    test("a report is decided, becomes a change that another person approves, and the call passes", async () => {
      verifies("dashboard.journeys");
      const { token } = await hub.createToken(EVE);
      const content = `My key is ${KEY}, keep it safe.`;
      const blocked = await call(token, content);
      expect(blocked.status).toBe(400);
      const { error } = Object(await blocked.json());
      const dispute = { token, json: { event_id: error.event_id, share_content: true } };
      expect((await hub.fetch("/v1/guard/disputes", dispute)).status).toBeLessThan(300);

      const rita = await handsOf(RITA);
      await rita.click(waitingLongest(rita.page).first());
      await rita.click(button(rita.page, "False positive"));
      await rita.click(inDialog(rita.page, "Close report"));
      await rita.click(link(rita.page, "View tuning suggestion").first());
      await rita.click(button(rita.page, "Request approval"));
      await rita.click(inDialog(rita.page, "Request approval"));
      await rita.page.getByText("You cannot decide:").waitFor();
      const ada = await handsOf(ADA);
      await ada.click(waitingLongest(ada.page).first());
      await ada.click(button(ada.page, "Approve"));
      await ada.click(inDialog(ada.page, "Approve"));
      await ada.page.getByText("Approved.").waitFor();
      await ada.click(button(ada.page, "Apply"));
      await ada.click(inDialog(ada.page, "Apply"));
      await ada.page.getByText("Rule in force.").waitFor();
      expect((await call(token, content)).status).toBe(200);
      await ended("Report decided, change approved by another, applied, call repeated", rita, ada);
    });

    test("a tool server is added and given to an agent", async () => {
      verifies("dashboard.journeys");
      await hub.createAgent("librarian", ADA);
      const { token } = await hub.createToken(ADA, "librarian");
      const hands = await handsOf();
      const { page } = hands;
      await hands.click(nav(page, "Tool servers"));
      await hands.click(button(page, "Add tool server").first());
      await hands.fill(field(page, "Slug"), "books");
      await hands.fill(field(page, "URL"), books.url);
      await hands.click(inDialog(page, "Add"));
      await hands.click(button(page, "Assign to agent"));
      await hands.check(page.getByLabel(/^All tools of this server/));
      await hands.click(inDialog(page, "Assign"));
      await link(page, "librarian").waitFor();
      const json = { method: "tools/call", params: { name: "books__look_up", arguments: {} } };
      const answer = await hub.fetch("/mcp/gateway", { token, json });
      expect(await answer.text()).toContain("found");
      await ended("Add a tool server, assign its tools", hands);
    });

    test("everything is stopped, and goes on", async () => {
      verifies("dashboard.journeys");
      const { token } = await hub.createToken(ADA);
      const hands = await handsOf();
      const { page } = hands;
      await toSettings(hands, "Kill switch");
      await hands.click(button(page, "Activate…"));
      await hands.select("Scope", "Everything");
      await hands.fill(page.getByLabel("Reason"), "A drill");
      await hands.fill(page.getByLabel('Type "stop" to confirm'), "stop");
      await hands.click(button(page, "Activate"));
      await page.getByText("Enforced").waitFor();
      expect((await call(token)).status).toBe(403);
      await ended("Stop everything by the kill switch", hands);

      const again = await handsOf();
      await again.click(link(again.page, "Kill switches"));
      await again.click(button(again.page, "Deactivate…"));
      await again.fill(again.page.getByLabel("Reason"), "It was one");
      await again.click(button(again.page, "Deactivate"));
      await again.page.getByText("No active kill switch.").waitFor();
      expect((await call(token)).status).toBe(200);
      await ended("Deactivate the kill switch", again);
    });

    test("a webhook is added and tried", async () => {
      verifies("dashboard.journeys");
      const hands = await handsOf();
      const { page } = hands;
      await toSettings(hands, "Webhooks");
      await hands.click(button(page, "Add webhook").first());
      await hands.fill(page.getByLabel("URL"), receiver.url);
      await hands.click(inDialog(page, "Add"));
      await secretOn(page);
      await hands.click(button(page, "Done"));
      await hands.click(link(page, receiver.url));
      await hands.click(button(page, "Send test event"));
      await page.getByText("delivered", { exact: true }).waitFor();
      expect(receiver.received).toHaveLength(1);
      await ended("Add a webhook, send a test event", hands);
    });

    test("the audit log is verified, a backup made", async () => {
      verifies("dashboard.journeys");
      const auditor = await handsOf();
      await auditor.click(nav(auditor.page, "Audit"));
      await auditor.click(button(auditor.page, "Verify"));
      await auditor.page.getByText("Intact", { exact: true }).waitFor();
      await ended("Verify the audit log", auditor);

      const keeper = await handsOf();
      await nav(keeper.page, "Audit").waitFor();
      await keeper.press("Control+k");
      await keeper.page.getByRole("combobox", { name: "Search" }).and(keeper.page.locator(":focus")).waitFor();
      await keeper.type("backups");
      await keeper.press("Enter");
      await keeper.click(button(keeper.page, "Back up now"));
      await keeper.page.getByText("Last backup completed.").waitFor();
      await ended("Make a backup", keeper);
    });
  });

  test("the documentation has these journeys and no others", async () => {
    verifies("dashboard.journeys");
    expect(done.toSorted()).toEqual((await documentedJourneys()).map(({ name }) => name).toSorted());
  });
});
