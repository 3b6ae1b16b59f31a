import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeInBrowser, sharedBrowser } from "#kernel/testing/browser.ts";
import { TEST_PASSWORD } from "#kernel/testing/database.ts";
import { startWorld, type World } from "#kernel/testing/world.ts";
import {
  newPkce,
  queryFor,
  register,
  type TestApplication,
} from "../testing/authorization-flow.ts";

/** An optional directory for screenshots of the pages. */
const pictures = process.env["MILLRACE_SCREENSHOTS"];

describeInBrowser("in a browser without JavaScript", () => {
  let world: World;
  let chrome: Browser;
  let desk: Server;
  let issuer: string;
  let callback: string;
  let application: TestApplication;
  const arrivals: URL[] = [];

  beforeAll(async () => {
    world = await startWorld({ env: { MILLRACE_LOGIN_RATE_LIMIT: "0" } });
    issuer = await world.app.listen({ port: 0, host: "127.0.0.1" });
    // An application that redirects to another of its hosts, as many do.
    desk = createServer((request, response) => {
      const url = new URL(request.url ?? "", "http://desk");
      if (url.pathname === "/callback") {
        arrivals.push(url);
        const { port } = desk.address() as AddressInfo;
        response.writeHead(302, { location: `http://localhost:${port}/done` }).end();
        return;
      }
      response.writeHead(200, { "content-type": "text/html" }).end("<title>Done</title>Done");
    });
    await new Promise<void>((resolve) => desk.listen(0, "127.0.0.1", resolve));
    callback = `http://127.0.0.1:${(desk.address() as AddressInfo).port}/callback`;
    const owner = await world.member(["owner"]);
    application = await register(owner, {
      name: "Desk companion",
      redirectUris: [callback],
      allowedScopes: ["profile", "workspaces:read", "audit:read"],
    });
    chrome = await sharedBrowser();
  }, 120_000);

  afterAll(async () => {
    await new Promise((resolve) => desk.close(resolve));
    await world[Symbol.asyncDispose]();
  });

  const address = (more: Record<string, string> = {}): string => {
    const query = queryFor(application, newPkce(), {
      redirect_uri: callback,
      scope: "profile workspaces:read audit:read",
      ...more,
    });
    return `${issuer}/oauth/authorize?${new URLSearchParams(query).toString()}`;
  };

  async function open(run: (page: Page) => Promise<void>): Promise<void> {
    const context = await chrome.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    const complaints: string[] = [];
    // The browser logs the 401 of a failed login; the test looks for violations of the content security policy.
    page.on("console", (message) => {
      if (/security policy|refused to|blocked/i.test(message.text()))
        complaints.push(message.text());
    });
    try {
      await run(page);
      expect(complaints).toEqual([]);
    } finally {
      await context.close();
    }
  }

  async function picture(page: Page, name: string): Promise<void> {
    for (const width of [360, 1280]) {
      for (const colorScheme of ["light", "dark"] as const) {
        await page.setViewportSize({ width, height: 800 });
        await page.emulateMedia({ colorScheme });
        expect(await overflow(page)).toBe(0);
        if (pictures === undefined) continue;
        await page.screenshot({ path: join(pictures, `${name}-${width}-${colorScheme}.png`) });
      }
    }
  }

  test("a person logs in, allows, and returns with a code", async () => {
    await open(async (page) => {
      await page.goto(address({ state: "from the browser" }));
      await picture(page, "login");
      await page.getByLabel("E-mail address").fill("admin@example.com");
      await page.getByLabel("Password").fill("not the password");
      await page.getByRole("button", { name: "Log in" }).click();
      expect(await page.getByRole("alert").textContent()).toContain("wrong");
      await picture(page, "login-failed");
      await page.getByLabel("Password").fill(TEST_PASSWORD);
      await page.getByRole("button", { name: "Log in" }).click();
      await page.getByRole("button", { name: "Allow" }).waitFor();
      expect(await page.getByRole("listitem").count()).toBe(3);
      await picture(page, "consent");
      await page.getByRole("button", { name: "Allow" }).click();
      await page.waitForURL(/^http:\/\/localhost:\d+\/done$/);
      const arrived = arrivals.at(-1)?.searchParams;
      expect(arrived?.get("code")).toMatch(/^mrc_/);
      expect(arrived?.get("state")).toBe("from the browser");
      expect(arrived?.get("iss")).toBe(issuer);
    });
  });

  test("a user can switch accounts and then deny consent", async () => {
    await open(async (page) => {
      const member = await world.member(["viewer"]);
      await page
        .context()
        .addCookies([{ name: "millrace_session", value: member.token, url: issuer }]);
      await page.goto(address());
      await picture(page, "consent-of-a-viewer");
      await page.getByRole("link", { name: "Not you?" }).click();
      await page.getByLabel("E-mail address").fill("admin@example.com");
      await page.getByLabel("Password").fill(TEST_PASSWORD);
      await page.getByRole("button", { name: "Log in" }).click();
      await page.getByText("admin@example.com").waitFor();
      await page.getByRole("button", { name: "Deny" }).click();
      await page.waitForURL(/\/done$/);
      expect(arrivals.at(-1)?.searchParams.get("error")).toBe("access_denied");
    });
  });

  test("an invalid redirect URI shows an error page of this server", async () => {
    await open(async (page) => {
      await page.goto(address({ redirect_uri: "https://evil.example/" }));
      expect(new URL(page.url()).origin).toBe(issuer);
      expect(await page.getByRole("main").textContent()).toContain("not registered");
      await picture(page, "error");
    });
  });

  test("another site's page cannot answer for the person", async () => {
    await open(async (page) => {
      const owner = await world.member(["owner"]);
      await page
        .context()
        .addCookies([{ name: "millrace_session", value: owner.token, url: issuer }]);
      await page.goto(`${new URL(callback).origin}/done`);
      await page.setContent(
        `<form method="post" action="${issuer}/oauth/authorize"><input name="decision" value="allow"><input name="request" value="x"><button>Win</button></form>`,
      );
      await page.getByRole("button", { name: "Win" }).click();
      await page.waitForURL(`${issuer}/oauth/authorize`);
      expect(await page.getByRole("main").textContent()).toContain("must come from this site");
    });
  });
});

/** By how many pixels a page is wider than its window. */
async function overflow(page: Page): Promise<number> {
  const box = await page.locator("main").boundingBox();
  const width = page.viewportSize()?.width ?? 0;
  return box ? Math.max(0, Math.ceil(box.x + box.width - width)) : width;
}
