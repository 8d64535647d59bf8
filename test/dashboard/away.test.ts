import { expect, test } from "bun:test";
import { signIn } from "#test/browser/browser-world";
import { inChromium } from "#test/support/browser";
import { verifies } from "#test/support/verifies";
import { button, ownedHub, worldOf } from "./hands";

inChromium("a hub that is away, and people who have to sign in first", () => {
  const world = worldOf(ownedHub);

  test("a link leads to its place through the sign-in, filters and all", async () => {
    verifies("dashboard.way-back");
    const visitor = await world.browsers.visitor();
    visitor.foresees(/401/);
    await visitor.page.goto(`${world.hub.url}/agents?state=retired`);
    await visitor.page.waitForURL(`${world.hub.url}/login`);
    await signIn(visitor);
    await visitor.page.waitForURL(`${world.hub.url}/agents?state=retired`);
    await visitor.page.getByRole("heading", { name: "Agents", level: 1 }).waitFor();
    // Once: whoever signs in again starts where everybody does.
    await visitor.page.goto(`${world.hub.url}/`);
    await visitor.page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
    expect(new URL(visitor.page.url()).pathname).toBe("/");
  });

  test("a page says that the hub is away, keeps its ways, and is up to date again by itself", async () => {
    verifies("dashboard.away");
    const visitor = await world.browsers.signedIn();
    const { page } = visitor;
    visitor.foresees(
      /ApiError: The hub cannot be reached|Failed to load resource|ERR_CONNECTION_REFUSED|ERR_INCOMPLETE|dynamically imported/,
    );
    await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
    await world.hub.kill("SIGTERM");
    // A screen whose file was never fetched.
    await page.getByRole("link", { name: "Playground" }).click();
    await page.getByRole("alert").filter({ hasText: "The hub cannot be reached." }).waitFor();
    await page.getByRole("link", { name: "Overview" }).click();
    await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
    await page.getByLabel("Period").selectOption("1h");
    await page.getByRole("status").filter({ hasText: "The data shown may be outdated" }).waitFor();
    await world.hub.start();
    await page.getByText("The data shown may be outdated").waitFor({ state: "detached" });
    await page.getByRole("heading", { name: "Traffic" }).waitFor();
    await page.getByRole("link", { name: "Playground" }).click();
    // Its file was refused before: it comes by itself, or says that it has to be asked for once more.
    const playground = page.getByRole("heading", { name: "Playground", level: 1 });
    const again = button(page, "Retry");
    await playground.or(again).first().waitFor();
    if (await again.isVisible()) await again.click();
    await playground.waitFor();
  });
});
