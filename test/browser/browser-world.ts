import { expect } from "bun:test";
import { ADA, PASSWORD } from "#test/flow/oauth-world";
import { Chromium, type Visitor } from "#test/support/browser";
import type { Hub } from "#test/support/hub";

/** Chromium in front of a hub, and the hands of the person before it. */
export class BrowserWorld implements AsyncDisposable {
  private readonly visitors: Visitor[] = [];

  private constructor(
    private readonly chromium: Chromium,
    private readonly hub: Pick<Hub, "url">,
  ) {}

  static async open(hub: Pick<Hub, "url">): Promise<BrowserWorld> {
    return new BrowserWorld(await Chromium.launch(), hub);
  }

  async visitor(options?: Parameters<Chromium["visitor"]>[1]): Promise<Visitor> {
    const visitor = await this.chromium.visitor(this.hub.url, options);
    this.visitors.push(visitor);
    return visitor;
  }

  /** Somebody who has signed in, at a screen; by a request, not on the page for it. */
  async signedIn(email = ADA, password = PASSWORD, path = "/"): Promise<Visitor> {
    const visitor = await this.visitor();
    await visitor.signIn(email, password);
    await visitor.page.goto(`${this.hub.url}${path}`);
    return visitor;
  }

  /** The same person, at this screen first. */
  signedInAt(path: string, email = ADA): Promise<Visitor> {
    return this.signedIn(email, PASSWORD, path);
  }

  /** After each test: nothing went wrong on any page, and nothing was asked of anybody but the hub. */
  async expectNoTroubles(): Promise<void> {
    const troubles = this.visitors.flatMap((visitor) => visitor.troubles);
    await this.left();
    expect(troubles).toEqual([]);
  }

  private async left(): Promise<void> {
    await Promise.all(this.visitors.splice(0).map((visitor) => visitor.leave()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.left();
    await this.chromium[Symbol.asyncDispose]();
  }
}

/** Fills in the page that is open. */
export const signIn = async ({ page }: Pick<Visitor, "page">, email = ADA, password = PASSWORD): Promise<void> => {
  await page.getByLabel("E-mail").fill(email);
  await page.getByRole("textbox", { name: "Password" }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
};

/** Answers the consent page that is open: with these tools and no others, or with no. */
export const decide = async ({ page }: Visitor, tools: readonly string[] | "deny"): Promise<void> => {
  await page.getByRole("heading", { name: "Connect an app to your tools?" }).waitFor();
  if (tools !== "deny") {
    for (const box of await page.getByRole("checkbox").all()) {
      if (await box.isEnabled()) await box.setChecked(tools.includes((await box.getAttribute("value")) ?? ""));
    }
  }
  await page.getByRole("button", { name: tools === "deny" ? "Deny" : "Allow" }).click();
};
