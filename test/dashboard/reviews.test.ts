import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { ADA } from "#test/flow/oauth-world";
import { barriersOn } from "#test/support/accessibility";
import { inChromium } from "#test/support/browser";
import { eventually } from "#test/support/eventually";
import { verifies } from "#test/support/verifies";
import { button, invited, ownedHub, worldOf } from "./hands";

const MIA = "mia@example.com";
const RITA = "rita@example.com";

inChromium("agents and their reviews", () => {
  const world = worldOf(async () => {
    const hub = await ownedHub();
    await invited(hub, MIA, "member");
    await invited(hub, RITA, "reviewer");
    return hub;
  });

  const tab = (page: Page, name: string) => page.getByRole("navigation", { name: "Tabs" }).getByRole("link", { name });
  const dialog = (page: Page) => page.getByRole("dialog");
  const section = async (page: Page, name: string): Promise<void> => {
    await page.getByRole("navigation", { name: "Sections of the review" }).getByRole("button", { name }).click();
    await page.getByRole("heading", { name: new RegExp(`^\\d\\. ${name}`) }).waitFor();
  };
  const saved = (page: Page) => page.getByRole("status").getByText("Saved", { exact: true }).waitFor();

  const answer = async (page: Page): Promise<void> => {
    await page.getByLabel("Sponsor").fill(RITA);
    await section(page, "Purpose and users");
    await page.getByLabel("Intended use *").fill("Sorts mail.");
    await page.getByLabel("Audience *").selectOption("internal");
    await section(page, "Data and privacy");
    await page.getByLabel("internal", { exact: true }).check();
    await section(page, "Models and prompts");
    await page.getByLabel("Models *").fill("guardhouse/echo\ngpt-5*");
    await section(page, "Tools and permissions");
    await button(page, "Add tool").click();
    await page.getByLabel("Server of tool 1").fill("mail");
    await page.getByLabel("Name of tool 1").fill("move");
    await page.getByLabel("Impact of tool 1").selectOption("write");
    await section(page, "Untrusted input");
    await page.getByLabel("e-mail", { exact: true }).check();
    await section(page, "Oversight and limits");
    await page.getByLabel("Autonomy *").selectOption("suggest");
    await section(page, "Monitoring and incidents");
  };

  test("a member registers an agent and has it reviewed, a reviewer approves, and the profile shows", async () => {
    verifies("dashboard.review");
    const mia = await world.browsers.signedInAt("/agents", MIA);
    const { page } = mia;
    await button(page, "New agent").first().click();
    await page.getByLabel("Name", { exact: true }).fill("mail-sorter");
    await button(page, "Register").click();
    await tab(page, "Reviews").click();
    await button(page, "Start review").click();
    await answer(page);
    await section(page, "Tools and permissions");
    await page.getByLabel("Commands of a coding agent").fill("allow git *\ndeny git push *");
    await page.getByLabel("Hosts its commands may name").fill("github.com");
    await saved(page);
    await section(page, "Monitoring and incidents");
    await page.getByRole("img", { name: "4 of 20 points: low", exact: true }).waitFor();
    expect(await barriersOn(page)).toEqual([]);
    await page.reload();
    await section(page, "Models and prompts");
    await eventually(() => page.getByLabel("Models *").inputValue(), "guardhouse/echo\ngpt-5*");
    await section(page, "Monitoring and incidents");
    // The sponsor cannot decide, and Rita is to.
    await section(page, "Identity and ownership");
    await page.getByLabel("Sponsor").fill(ADA);
    await saved(page);
    await section(page, "Monitoring and incidents");
    await button(page, "Submit for review").click();
    await page.getByText("Waiting for a reviewer.").waitFor();

    const rita = await world.browsers.signedInAt("/reviews", RITA);
    await rita.page.getByRole("link", { name: "mail-sorter" }).click();
    await rita.page.getByText("deny git push *").first().waitFor();
    await button(rita.page, "Approve").click();
    expect(await dialog(rita.page).getByRole("button", { name: "Approve" }).isDisabled()).toBe(true);
    await rita.page.getByLabel("I have read the answers").check();
    await dialog(rita.page).getByRole("button", { name: "Approve" }).click();
    await rita.page.getByText("Approved: the answers are the agent's profile.").waitFor();
    expect(await barriersOn(rita.page)).toEqual([]);

    await page.getByRole("link", { name: "mail-sorter" }).first().click();
    await tab(page, "Profile").click();
    await page.getByRole("heading", { name: "In force: version 1" }).waitFor();
    await page.getByText("mail__move", { exact: true }).first().waitFor();
    await page.getByRole("region", { name: "Commands", exact: true }).getByText("git push *").waitFor();
    expect(await barriersOn(page)).toEqual([]);
  });

  test("questionnaire does not overwrite concurrent changes silently", async () => {
    verifies("dashboard.review");
    const mia = await world.browsers.signedIn(MIA);
    const { page } = mia;
    const agent = Object((await mia.ask("/api/agents", "POST", { name: "shared" })).json);
    const review = Object((await mia.ask(`/api/agents/${agent.id}/reviews`, "POST", {})).json);
    await page.goto(`${world.hub.url}/reviews/${review.id}`);
    await page.getByLabel("Team").fill("Post");
    await saved(page);
    // The page learns of it a moment later than it is done.
    mia.foresees(/status of 409|ERR_FAILED/);
    await page.route("**/api/reviews/*", (route) =>
      route.request().method() === "GET" ? route.abort() : route.continue(),
    );
    await mia.ask(`/api/reviews/${review.id}`, "PATCH", { answers: { purpose: { intended_use: "Theirs." } } });
    await page.getByLabel("Team").fill("Parcels");
    await page.getByText("Another user has changed this review.").waitFor();
    await page.unroute("**/api/reviews/*");
    await button(page, "Keep my version").click();
    await saved(page);
    const now = Object((await mia.ask(`/api/reviews/${review.id}`)).json);
    expect(now.answers).toMatchObject({ ownership: { team: "Parcels" }, purpose: { intended_use: "Theirs." } });
  });

  test("questionnaire saves input typed during a save after it", async () => {
    verifies("dashboard.review");
    const mia = await world.browsers.signedIn(MIA);
    const { page } = mia;
    const agent = Object((await mia.ask("/api/agents", "POST", { name: "typed" })).json);
    const review = Object((await mia.ask(`/api/agents/${agent.id}/reviews`, "POST", {})).json);
    await page.goto(`${world.hub.url}/reviews/${review.id}`);
    const first = Promise.withResolvers<void>();
    await page.route("**/api/reviews/*", async (route) => {
      if (route.request().method() === "PATCH") await first.promise;
      await route.continue();
    });
    await page.getByLabel("Team").fill("Post");
    await page.getByRole("status").getByText("Saving…", { exact: true }).waitFor();
    await page.getByLabel("Team").fill("Parcels");
    first.resolve();
    await saved(page);
    const now = Object((await mia.ask(`/api/reviews/${review.id}`)).json);
    expect(now.answers).toMatchObject({ ownership: { team: "Parcels" } });
  });

  test("agent page: the owner restricts, lifts and suspends", async () => {
    verifies("dashboard.agent");
    const mia = await world.browsers.signedIn(MIA);
    const { page } = mia;
    const agent = Object((await mia.ask("/api/agents", "POST", { name: "runner" })).json);
    await page.goto(`${world.hub.url}/agents/${agent.id}`);
    await button(page, "Restrict").click();
    await page.getByLabel("Requests per minute").fill("5");
    await page.getByLabel("Reason").fill("Too fast.");
    await dialog(page).getByRole("button", { name: "Restrict" }).click();
    await page.getByText("in force", { exact: true }).waitFor();
    expect(await barriersOn(page)).toEqual([]);
    await button(page, "Lift").click();
    await page.getByLabel("Reason").fill("Calm again.");
    await dialog(page).getByRole("button", { name: "Lift" }).click();
    await page.getByText("lifted", { exact: true }).waitFor();
    await button(page, "Suspend").click();
    await page.getByLabel("Reason").fill("Over night.");
    await dialog(page).getByRole("button", { name: "Suspend" }).click();
    await button(page, "Resume").waitFor();
    await page.goto(`${world.hub.url}/agents?state=suspended`);
    await page.getByRole("link", { name: "runner" }).waitFor();
  });
});
