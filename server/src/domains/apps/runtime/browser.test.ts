import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deployWorkflow } from "#domains/runs/testing/workflows.ts";
import { describeInBrowser, sharedBrowser } from "#kernel/testing/browser.ts";
import { TEST_PASSWORD } from "#kernel/testing/database.ts";
import { type Ask, startWorld, until, type World } from "#kernel/testing/world.ts";
import { deployedApp, tableOf, type TestApp } from "../testing/apps.ts";
import { COLUMNS, ORDERS, ordersApp } from "../testing/orders.ts";

/** An optional directory for screenshots of the pages. */
const pictures = process.env["MILLRACE_SCREENSHOTS"];
describeInBrowser("in a browser", () => {
  let world: World;
  let owner: Ask;
  let chrome: Browser;
  let intranet: Server;
  let origin: string;
  let table: string;
  let workflowId: string;
  let app: TestApp;
  let framed = "";

  beforeAll(async () => {
    const launched = sharedBrowser();
    world = await startWorld({ work: true, env: { MILLRACE_LOGIN_RATE_LIMIT: "0" } });
    origin = await world.app.listen({ port: 0, host: "127.0.0.1" });
    owner = await world.member(["owner"]);
    intranet = createServer((_request, response) => {
      response
        .writeHead(200, { "content-type": "text/html" })
        .end(
          `<title>Intranet</title><h1>Intranet</h1><iframe title="Orders" width="900" height="700" src="${framed}"></iframe>`,
        );
    });
    await new Promise<void>((resolve) => intranet.listen(0, "127.0.0.1", resolve));
    table = await tableOf(owner, COLUMNS, ORDERS);
    workflowId = await deployWorkflow(owner, [
      {
        id: "make",
        type: "set",
        config: { values: { said: "{{ 'Counted for ' & trigger.input.who }}" } },
      },
    ]);
    app = await deployedApp(owner, ordersApp(table, workflowId));
    chrome = await launched;
  }, 120_000);

  afterAll(async () => {
    await new Promise((resolve) => intranet.close(resolve));
    await world[Symbol.asyncDispose]();
  });

  /** Opens a new browser context; console errors fail the test. */
  async function open(options: object, run: (page: Page) => Promise<void>): Promise<void> {
    const context = await chrome.newContext(options);
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error" && !/status of 401/.test(message.text()))
        complaints.push(message.text());
    });
    try {
      await run(page);
      expect(complaints).toEqual([]);
    } finally {
      await context.close();
    }
  }

  /** Checks that a narrow page does not scroll horizontally; takes an optional screenshot. */
  async function picture(page: Page, name: string): Promise<void> {
    await page.setViewportSize({ width: 400, height: 900 });
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    for (const width of pictures === undefined ? [] : [1280, 400]) {
      for (const colorScheme of ["light", "dark"] as const) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme });
        const path = join(pictures ?? "", `${name}-${width}-${colorScheme}.png`);
        await page.screenshot({ path, fullPage: true });
      }
    }
    await page.setViewportSize({ width: 1280, height: 900 });
  }

  test("a user logs in, returns, and works with records, a chart and a workflow", async () => {
    const person = await world.member(["agent"]);
    await world.sql(
      "update users set name = 'Ada Byron', email = 'ada@example.com', password_hash = (select password_hash from users where email = 'admin@example.com') where id = $1",
      [person.userId],
    );
    await open({}, async (page) => {
      await page.goto(`${origin}/apps/default/${app.slug}?tone=warm`);
      await picture(page, "login");
      await page.getByLabel("E-mail address").fill("ada@example.com");
      await page.getByLabel("Password").fill(TEST_PASSWORD);
      await page.getByRole("button", { name: "Log in" }).click();
      await page.waitForURL(/tone=warm$/);
      expect(await page.title()).toBe("Open orders · Order desk");
      await page.getByText("Good day, Ada Byron (warm)").waitFor();
      expect(await page.getByRole("row").count()).toBe(1 + 5);
      const chart = page.getByRole("img", { name: /Worth by customer/ });
      expect(await chart.getAttribute("aria-label")).toContain("Alan Turing: 241, ");

      await page.getByRole("button", { name: "Next" }).click();
      await page.getByRole("cell", { name: "A-1006" }).waitFor();
      await page.getByRole("button", { name: "Previous" }).click();
      await page.getByRole("cell", { name: "A-1001" }).waitFor();
      const search = page.getByRole("searchbox");
      await search.fill("lovelace");
      await page.getByRole("cell", { name: "A-1003" }).waitFor();
      await until(async () => (await page.getByRole("row").count()) === 2);
      // The response arrived while the user was still typing.
      expect(await search.evaluate((box) => box === document.activeElement)).toBe(true);
      await search.fill("");
      await until(async () => (await page.getByRole("row").count()) === 6);
      await picture(page, "orders");

      await page.getByRole("button", { name: "New order" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("button", { name: "Add" }).click();
      await dialog.getByText("This field is required.").waitFor();
      expect(
        await dialog.getByLabel("Number").evaluate((box) => box === document.activeElement),
      ).toBe(true);
      if (pictures !== undefined) await page.screenshot({ path: join(pictures, "dialog.png") });
      await dialog.getByLabel("Customer").fill("Grace <b>Hopper</b>");
      await dialog.getByLabel("Total").fill("12.5");
      await dialog.getByLabel("Status").selectOption("open");
      await dialog.getByLabel("Number").fill("A-2000");
      await dialog.getByRole("button", { name: "Add" }).click();
      await page.getByRole("status").getByText("A-2000 was added").waitFor();
      await until(async () => (await dialog.count()) === 0);
      await page.getByText("9 orders").waitFor();

      const first = page.getByRole("row").filter({ hasText: "A-1001" });
      await first.getByRole("button", { name: "Pay" }).click();
      await page.getByText("Is it paid?").waitFor();
      await page.keyboard.press("Escape");
      expect(await first.getByText("open").count()).toBe(1);
      await first.getByRole("button", { name: "Pay" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Pay" }).click();
      await first.getByText("paid").waitFor();

      await page.getByRole("button", { name: "Count them" }).click();
      await page.getByRole("status").getByText("Counted for Ada Byron").waitFor();

      await page.getByRole("tab", { name: "Share" }).focus();
      await page.keyboard.press("ArrowRight");
      expect(await page.getByRole("tab", { name: "Trend" }).getAttribute("aria-selected")).toBe(
        "true",
      );
      if (pictures !== undefined) await picture(page, "trend");
      await page.getByRole("combobox", { name: "Show" }).selectOption("paid");
      await page.getByText("Looking at paid").waitFor();

      await page.getByRole("link", { name: "About" }).click();
      await page.getByRole("heading", { name: "How it works" }).waitFor();
      if (pictures !== undefined) await picture(page, "about");
    });
    const { body } = await owner(`GET /api/v1/tables/${table}/records?filter={"number":"A-2000"}`);
    expect(body.data).toMatchObject([
      { customer: "Grace <b>Hopper</b>", total: 12.5, createdBy: person.userId },
    ]);
  }, 60_000);

  test("a page of another origin embeds it with a token, and only allowed origins can", async () => {
    const host = `http://127.0.0.1:${(intranet.address() as AddressInfo).port}`;
    const issue = async (allowedOrigins: string[]): Promise<string> => {
      const { body } = await owner(
        `POST /api/v1/apps/${app.id}/embed-token`,
        { expiresIn: "5m", context: { note: "From the intranet" }, allowedOrigins },
        { host: new URL(origin).host },
      );
      return body.data.url;
    };
    await open({}, async (page) => {
      framed = await issue([host]);
      await page.goto(host);
      const frame = page.frameLocator("iframe");
      await frame.getByText("From the intranet").waitFor();
      await frame.getByRole("searchbox").fill("A-1004");
      await until(async () => (await frame.getByRole("row").count()) === 2);
      if (pictures !== undefined) await page.screenshot({ path: join(pictures, "embedded.png") });
    });
    framed = await issue(["https://elsewhere.example"]);
    const context = await chrome.newContext();
    const page = await context.newPage();
    const refusal = page.waitForEvent("console", (message) =>
      /frame-ancestors/.test(message.text()),
    );
    await page.goto(host);
    await refusal;
    expect(await page.frameLocator("iframe").getByRole("searchbox").count()).toBe(0);
    await context.close();
  });
});
