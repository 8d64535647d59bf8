import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { Browser } from "#test/flow/browser";
import { ADA, PASSWORD } from "#test/flow/oauth-world";
import { KEY } from "#test/flow/report-world";
import { answers } from "#test/support/answers";
import { inChromium } from "#test/support/browser";
import { eventually } from "#test/support/eventually";
import { verifies } from "#test/support/verifies";
import { button, choose, invited, ownedHub, secretOn, worldOf } from "./hands";

const MIA = "mia@example.org";
const RITA = "rita@example.org";

inChromium("pages that stay open while things change", () => {
  /** Mia, elsewhere. */
  let elsewhere: Browser;
  const world = worldOf(async () => {
    const hub = await ownedHub();
    await invited(hub, MIA, "member");
    await invited(hub, RITA, "reviewer");
    elsewhere = new Browser(hub);
    await elsewhere.signIn(MIA, PASSWORD);
    return hub;
  });

  const send = async (method: string, path: string, json?: object) =>
    Object(await (await elsewhere.send(path, { method, ...(json ? { json } : {}) })).json());
  const dialogOf = (page: Page) => page.getByRole("dialog");

  test("an agent's facts are edited, and what somebody else changed meanwhile stays", async () => {
    verifies("dashboard.agent");
    const agent = await send("POST", "/api/agents", { name: "porter" });
    const { page } = await world.browsers.signedInAt(`/agents/${agent.id}`, MIA);
    await choose(page, /More actions for porter/, "Edit details");
    await page.getByLabel("Environment").fill("production");
    await send("PATCH", `/api/agents/${agent.id}`, { description: "Carries bags." });
    await page.getByText("Carries bags.").waitFor();
    await button(page, "Save").click();
    await page.getByText("Saved.").waitFor();
    expect(await send("GET", `/api/agents/${agent.id}`)).toMatchObject({
      environment: "production",
      description: "Carries bags.",
    });
  });

  test("agent page never shows data of another agent", async () => {
    verifies("dashboard.one-thing");
    const [one, other] = [
      await send("POST", "/api/agents", { name: "one" }),
      await send("POST", "/api/agents", { name: "other" }),
    ];
    const { page } = await world.browsers.signedInAt(`/agents/${one.id}`, MIA);
    await page.getByRole("heading", { name: "one", level: 1 }).waitFor();
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    await page.route(`**/api/agents/${other.id}`, async (route) => {
      await answered;
      await route.continue();
    });
    await button(page, "Suspend").click();
    await page.getByLabel("Reason").fill("Of the one.");
    await page.keyboard.press("Control+k");
    await page.getByLabel("Search").fill("other agent");
    await page.getByRole("option", { name: "other" }).click();
    await page.waitForURL(`**/agents/${other.id}`);
    await page.getByRole("heading", { name: "one", level: 1, includeHidden: true }).waitFor({ state: "detached" });
    await page.getByLabel("Reason").waitFor({ state: "detached" });
    answer();
    await page.getByRole("heading", { name: "other", level: 1 }).waitFor();
    expect(await send("GET", `/api/agents/${one.id}`)).toMatchObject({ lifecycle: "active" });
  });

  test("a new secret stays until it was copied, wherever the old key went, and no click beside it takes it away", async () => {
    verifies("dashboard.keys", "dashboard.typed-stays");
    const { display } = await world.hub.createToken(ADA, undefined, "--name", "ci");
    const { page } = await world.browsers.signedInAt("/settings/keys?state=active");
    await choose(page, /Actions for ci/, "Rotate…");
    await button(page, "Rotate").click();
    await page.getByRole("dialog", { name: "New key of ci" }).waitFor();
    // The old one is none of the active ones any more.
    await page.locator("table").getByText(display).waitFor({ state: "detached" });
    await page.mouse.click(3, 3);
    expect(await secretOn(page)).toStartWith("gw-live-");
    await button(page, "Done").click();
    await dialogOf(page).waitFor({ state: "detached" });
  });

  test("kept texts that were opened are read once, however long the page stays", async () => {
    verifies("dashboard.read-once");
    await send("POST", "/api/agents", { name: "leaky" });
    const { token } = await world.hub.createToken(MIA, "leaky");
    const call = (content: string) =>
      world.hub.fetch("/v1/chat/completions", {
        token,
        json: { model: "guardhouse/echo", messages: [{ role: "user", content }] },
      });
    const blocked = Object(await (await call(`My key is ${KEY}, keep it safe.`)).json()).error?.event_id;
    const visitor = await world.browsers.signedInAt(`/calls/${blocked}`, MIA);
    const { page } = visitor;
    await button(page, "Show content").click();
    await page.getByText("keep it safe").waitFor();
    const asked = (path: RegExp) => visitor.requests.filter((one) => path.test(one)).length;
    const ofCall = /^GET \/api\/calls\/[^/]+$/;
    const before = asked(ofCall);
    await (await call("Hello")).text();
    // The call is looked at again.
    await eventually(() => asked(ofCall) > before, true);
    // What was asked for together with it is noted by now.
    await visitor.ask("/api/me");
    expect(asked(/^GET \/api\/calls\/[^/]+\/content$/)).toBe(1);
  });

  test("an approval is of the answers that were on the page when it was begun", async () => {
    verifies("dashboard.review");
    const agent = await send("POST", "/api/agents", { name: "sorter" });
    const given = answers({ ownership: { sponsor: ADA } });
    const review = await send("POST", `/api/agents/${agent.id}/reviews`, { answers: given, submit: true });
    const visitor = await world.browsers.signedInAt(`/reviews/${review.id}`, RITA);
    const { page } = visitor;
    await button(page, "Approve").click();
    await page.getByLabel("I have read the answers").check();
    await send("PATCH", `/api/reviews/${review.id}`, {
      answers: { purpose: { intended_use: "Another thing.", audience: "self" } },
    });
    await page.getByText("Another thing.").first().waitFor();
    await dialogOf(page).getByRole("button", { name: "Approve" }).click();
    await dialogOf(page).getByRole("alert").waitFor();
    expect((await send("GET", `/api/reviews/${review.id}`)).status).not.toBe("approved");
    expect((await visitor.met(/status of 409/)).length).toBe(1);
  });

  test("questionnaire saves the last input when the page is left immediately", async () => {
    verifies("dashboard.review");
    const agent = await send("POST", "/api/agents", { name: "writer" });
    const { id } = await send("POST", `/api/agents/${agent.id}/reviews`, {});
    const { page } = await world.browsers.signedInAt(`/reviews/${id}`, MIA);
    await page.getByLabel("Team").fill("Parcels");
    await page.goto("about:blank");
    const team = async () => (await send("GET", `/api/reviews/${id}`)).answers.ownership?.team;
    await eventually(team, "Parcels");
  });

  test("where a session ends in the middle of a form, what was typed stays, and is sent after the next sign-in", async () => {
    verifies("dashboard.typed-stays");
    const visitor = await world.browsers.signedIn(MIA);
    visitor.foresees(/status of 401/);
    const { page } = visitor;
    await page.goto(`${world.hub.url}/agents`);
    await button(page, "New agent").click();
    await page.getByLabel("Name", { exact: true }).fill("survivor");
    await page.context().clearCookies();
    await button(page, "Register").click();
    await dialogOf(page).getByText("You are signed out.").waitFor();
    const again = dialogOf(page).getByRole("link", { name: "Sign in again" });
    await eventually(() => again.getAttribute("href"), "/login");
    const another = await page.context().newPage();
    await another.goto(`${world.hub.url}/login`);
    await another.getByLabel("E-mail").fill(MIA);
    await another.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
    await another.getByRole("button", { name: "Sign in" }).click();
    await another.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
    await page.getByText("your input stays here").waitFor({ state: "detached" });
    await button(page, "Register").click();
    await page.getByRole("heading", { name: "survivor", level: 1 }).waitFor();
  });

  test("a page in which nothing is done learns that its session has ended", async () => {
    verifies("dashboard.way-back");
    const visitor = await world.browsers.signedIn(RITA);
    visitor.foresees(/status of 401/);
    const { page } = visitor;
    await page.goto(`${world.hub.url}/live`);
    await page.getByRole("heading", { name: "Live", level: 1 }).waitFor();
    const rita = new Browser(world.hub);
    await rita.signIn(RITA, PASSWORD);
    const { data } = Object(await (await rita.send("/api/me/sessions")).json());
    for (const { id, current } of data) if (!current) await rita.send(`/api/me/sessions/${id}`, { method: "DELETE" });
    await page.waitForURL(`${world.hub.url}/login`);
  });

  test("pages follow another user's sign-in in the same browser", async () => {
    verifies("dashboard.one-person");
    const { page } = await world.browsers.signedIn(MIA);
    await page.getByText(MIA).waitFor();
    const another = await page.context().newPage();
    await another.goto(`${world.hub.url}/login`);
    await another.getByLabel("E-mail").fill(RITA);
    await another.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
    await another.getByRole("button", { name: "Sign in" }).click();
    await another.getByText(RITA).waitFor();
    await page.getByText(RITA).waitFor();
    await eventually(() => page.getByText(MIA).count(), 0);
  });

  test("a page has what its reader's new role may see, without being loaded anew", async () => {
    verifies("dashboard.role-now");
    const nora = "nora@example.org";
    await invited(world.hub, nora, "member");
    const { page } = await world.browsers.signedInAt("/settings/keys", nora);
    await page.getByRole("link", { name: "Your account" }).waitFor();
    expect(await page.getByRole("link", { name: "Baseline policy" }).count()).toBe(0);
    const ada = new Browser(world.hub);
    await ada.signIn(ADA, PASSWORD);
    const { data } = Object(await (await ada.send("/api/users")).json());
    const { id } = data.find(({ email }: { readonly email: string }) => email === nora);
    await ada.send(`/api/users/${id}`, { method: "PATCH", json: { role: "analyst" } });
    await page.getByRole("link", { name: "Baseline policy" }).waitFor();
  });

  test("an administrator can stop anybody's tool server, not only their own", async () => {
    verifies("dashboard.kill-switch");
    await world.hub.addToolServer("shelf", { owner: MIA, url: "https://shelf.example.org/mcp" });
    const { page } = await world.browsers.signedInAt("/settings/kill-switch?open=stop");
    await page.getByLabel("Scope").selectOption("One tool server");
    await page.getByLabel("Target", { exact: true }).first().click();
    await page.getByRole("option", { name: `shelf · ${MIA}` }).waitFor();
  });

  test("copy buttons work without the clipboard API", async () => {
    verifies("dashboard.keys");
    const { page } = await world.browsers.signedIn();
    await page.addInitScript({
      content: 'Object.defineProperty(Navigator.prototype, "clipboard", { value: undefined })',
    });
    await page.goto(`${world.hub.url}/clients`);
    await button(page, "Copy address").click();
    await button(page, "Copied").waitFor();
    await page.goto(`${world.hub.url}/agents`);
    await page.getByLabel("Name or owner").focus();
    await page.keyboard.press("Control+v");
    await eventually(() => page.getByLabel("Name or owner").inputValue(), `${world.hub.url}/mcp/gateway`);
  });
});
