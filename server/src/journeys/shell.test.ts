import { expect, test } from "vitest";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { until } from "#kernel/testing/world.ts";
import {
  expectSound,
  expectSoundInEveryLook,
  useConsole,
  type Visitor,
  moveTo,
} from "./testing.ts";

const GREETING = {
  name: "Greet a customer",
  trigger: { type: "manual" },
  nodes: [{ id: "say", type: "set", config: { values: { text: "Hello" } } }],
  edges: [],
};
const SCREENS = ["/", "/workflows", "/notifications", "/settings/notifications", "/no/such/place"];

describeInBrowser("the shell", () => {
  const at = useConsole();

  const open = async (visitor: Visitor, path: string) => {
    await visitor.page.goto(`${at.origin}${path}`);
    await visitor.page.getByText("Live", { exact: true }).waitFor({ state: "attached" });
  };

  const listNamed = async (name: string): Promise<readonly object[]> => {
    const owner = await at.world.member(["owner"]);
    return (await owner(`GET /api/v1/workflows?q=${encodeURIComponent(name)}`)).body.data;
  };

  test("every screen is accessible in light and dark, wide and narrow", async () => {
    const owner = await at.world.member(["owner"]);
    await owner("POST /api/v1/workflows", GREETING);
    await owner("POST /api/v1/itsm/incidents", {
      title: `A ticket with a long title: ${"Überlänge ".repeat(20)}`,
      assigneeId: owner.userId,
    });
    await owner("POST /api/v1/notifications", {
      userIds: [owner.userId],
      title: `The printer works again. ${"It was the fuse. ".repeat(8)}`,
      body: "Nobody had looked.",
    });
    const visitor = await at.visitAs(owner.token);
    for (const path of [...SCREENS, "/tickets/INC0000001", "/workflows?new=example"]) {
      await open(visitor, path);
      await visitor.page.getByRole("heading", { level: 1 }).waitFor({ state: "attached" });
      await expectSoundInEveryLook(visitor, async () => {
        const isWider = await visitor.page.evaluate(
          () => document.documentElement.scrollWidth > innerWidth,
        );
        expect([path, isWider]).toEqual([path, false]);
      });
    }
  });

  test("the palette finds actions, pages, objects and people, with the keyboard only", async () => {
    const { page, ...visitor } = await at.visit(["owner"]);
    const owner = await at.world.member(["owner"]);
    const made = await owner("POST /api/v1/workflows", { ...GREETING, name: "Zebra crossing" });
    await open({ page, ...visitor }, "/");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("zebra");
    await page.getByRole("option", { name: /Zebra crossing/ }).waitFor();
    await expectSound({ page, ...visitor });
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/workflows/${made.body.data.id}`);
    await page.keyboard.press("Control+k");
    await page.keyboard.type("appr");
    await page.getByRole("option", { name: /Approvals/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/approvals**");
    await page.keyboard.press("Control+k");
    await page.keyboard.type(owner.userId);
    await page.getByRole("option", { name: /Person.*@/ }).waitFor();
    await page.keyboard.press("Escape");
    const problem = await owner("POST /api/v1/itsm/problems", { title: "Zebras on the line" });
    const { number } = problem.body.data;
    await owner("POST /api/v1/tables", { name: "Zebra herd", slug: "herd", columns: [] });
    await page.keyboard.press("Control+k");
    await page.keyboard.type("zebr");
    await page.getByRole("option", { name: /Zebra herd.*Table/ }).waitFor();
    await page.getByRole("option", { name: /Zebra crossing.*Workflow/ }).waitFor();
    await page.keyboard.press("Control+a");
    // Users press Enter without waiting for the response.
    await page.keyboard.type(`prb${Number(number.slice(3))}`);
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/desk/problems/${number}`);
    await page.keyboard.press("Control+k");
    await page.keyboard.type("xyzzyx");
    await page.getByText("No results.").waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("No results.").waitFor({ state: "hidden" });
    await page.keyboard.press("g");
    await page.keyboard.press("w");
    await page.getByRole("heading", { name: "Workflows" }).waitFor();
    expect(await page.title()).toBe("Workflows · Millrace");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await page.keyboard.press("Escape");
    // Records are found too.
    const herd = { name: "Zonkeys", slug: "zonkeys", columns: [{ name: "name", type: "text" }] };
    await owner("POST /api/v1/tables", herd);
    await owner("POST /api/v1/tables/zonkeys/records", { name: "Half a zebra" });
    await page.keyboard.press("Control+k");
    await page.keyboard.type("half a zeb");
    await page.getByRole("option", { name: /Half a zebra.*Record/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("complementary", { name: "Record Half a zebra" }).waitFor();
    // Keys pressed while a screen loads are handled when its data has arrived.
    const slow = Promise.withResolvers<void>();
    await page.route("**/api/v1/events/topics?*", async (route) => {
      await slow.promise;
      await route.continue();
    });
    await moveTo(page, `${at.origin}/events/topics`);
    await page.getByRole("status", { name: "Loading" }).first().waitFor();
    await page.keyboard.press("j");
    slow.resolve();
    await page.waitForURL(/topics.*topic=/);
  });

  test("the environment is shown, and the switch keeps the URL if it exists there", async () => {
    const visitor = await at.visit(["builder"]);
    const { page } = visitor;
    await open(visitor, "/workflows");
    await page.getByRole("button", { name: "Environment: Production" }).click();
    await expectSound(visitor);
    await page.getByRole("button", { name: /^Staging/ }).click();
    await page.getByRole("button", { name: "Environment: Staging" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/workflows");
    expect(await page.title()).toBe("Staging · Workflows · Millrace");
    await open(visitor, "/runs/run_01jd0000000000000000000000");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("switch to prod");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Environment: Production" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/runs");
  });

  test("a notification is counted live, read by opening it, and links to its subject", async () => {
    const visitor = await at.visit(["agent"]);
    const { page } = visitor;
    const owner = await at.world.member(["owner"]);
    await open(visitor, "/");
    await page.getByRole("link", { name: "Notifications", exact: true }).waitFor();
    const send = (title: string) =>
      owner("POST /api/v1/notifications", { userIds: [visitor.userId], title, body: "" });
    await send("The first");
    await send("The second");
    await page.getByRole("link", { name: "2 new notifications" }).click();
    await page.getByRole("link", { name: /The second/ }).waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("u");
    await page.getByRole("link", { name: "1 new notification", exact: true }).waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("link", { name: "2 new notifications" }).waitFor();
    await page.getByRole("link", { name: /The first/ }).click();
    await page.getByRole("heading", { name: "The first" }).waitFor();
    // One tab listens for all; when it is closed, the next one takes over without losing events.
    const next = await visitor.context.newPage();
    await open({ ...visitor, page: next }, "/");
    await next.getByRole("link", { name: "1 new notification", exact: true }).waitFor();
    await page.close();
    await send("The third");
    await next.getByRole("link", { name: "2 new notifications" }).waitFor();
    await send("The fourth");
    await next.getByRole("link", { name: "3 new notifications" }).waitFor();
  });

  test("an e-mail links to its ticket in its workspace and environment", async () => {
    const { token, ...owner } = await at.world.member(["owner"]);
    const ask = Object.assign(at.world.asToken(token, "default"), owner);
    const ticket = await ask(
      "POST /api/v1/itsm/incidents",
      { title: "The lift stands still" },
      { "x-environment": "staging" },
    );
    const { number } = ticket.body.data;
    const visitor = await at.visitAs(token);
    await open(visitor, `/tickets/${number}?workspace=default&environment=staging`);
    await visitor.page.getByRole("heading", { name: "The lift stands still" }).waitFor();
    await visitor.page.getByRole("button", { name: "Environment: Staging" }).waitFor();
  });

  test("members see only what they may, and forbidden actions are disabled with the reason", async () => {
    const viewer = await at.visit(["viewer"]);
    await open(viewer, "/workflows");
    const create = viewer.page.getByRole("button", { name: "New" });
    expect(await create.isDisabled()).toBe(true);
    expect(await create.getAttribute("title")).toContain("edit workflows");
    const member = await at.visit(["member"]);
    await member.page.goto(`${at.origin}/`);
    await member.page.getByRole("heading", { name: "Waiting for you", exact: true }).waitFor();
    expect(await member.page.getByRole("link", { name: "Workflows" }).count()).toBe(0);
    await expectSound(member);
    const requester = await at.visit(["requester"]);
    await requester.page.goto(`${at.origin}/`);
    await requester.page.waitForURL("**/portal/**");
  });

  test("offline, a write waits and is sent once, even if its response was lost", async () => {
    const visitor = await at.visit(["builder"], { isNew: true });
    const { page, context } = visitor;
    // Pressed before the page knows the user.
    await page.goto(`${at.origin}/`);
    await page.keyboard.press("g");
    await page.keyboard.press("w");
    await page.getByRole("button", { name: /^New/ }).first().click();
    await page.getByRole("button", { name: "From JSON" }).click();
    const text = JSON.stringify({ ...GREETING, name: "Sent once" });
    await page.getByRole("textbox", { name: "Definition" }).fill(text);
    await context.setOffline(true);
    await page.getByText("You are offline.").waitFor();
    await page.getByRole("button", { name: "Create workflow" }).click();
    await page.getByText("1 change will be saved when you are online again.").waitFor();
    await expectSound({ ...visitor, faults: [] });
    // The server performs it, and the network fails before the response.
    await page.route(
      "**/api/v1/workflows",
      async (route) => {
        await route.fetch();
        await context.setOffline(true);
        await route.abort();
      },
      { times: 1 },
    );
    await context.setOffline(false);
    await until(async () => (await listNamed("Sent once")).length === 1);
    await page.getByText("1 change will be saved when you are online again.").waitFor();
    await context.setOffline(false);
    await page.waitForURL(/\/workflows\/wf_/);
    await page.getByText("You are offline.").waitFor({ state: "detached" });
    expect(await listNamed("Sent once")).toHaveLength(1);
  });

  test("a new version reloads at the next navigation, asks if there are unsaved changes, and a failed screen does not affect the others", async () => {
    const owner = await at.world.member(["owner"]);
    const made = await owner("POST /api/v1/workflows", { ...GREETING, name: "Written" });
    const visitor = await at.visitAs(owner.token);
    const { page } = visitor;
    await open(visitor, "/");
    // The files of the old version are missing until the page is reloaded.
    let isOld = true;
    page.on("request", (request) => (isOld &&= !request.isNavigationRequest()));
    await page.route(/\/assets\/(approvals|versions-panel)-.*\.js/, (route) =>
      isOld ? route.fulfill({ status: 404 }) : route.continue(),
    );
    await page.getByRole("link", { name: "Approvals" }).click();
    await page.getByRole("heading", { name: "Approvals" }).waitFor();
    expect(isOld).toBe(false);
    await moveTo(page, `${at.origin}/workflows/${made.body.data.id}`);
    isOld = true;
    const name = page.getByRole("textbox", { name: "Workflow name" });
    await name.fill("Written and kept");
    await page.getByRole("button", { name: "Versions" }).click();
    await page.getByText("A new version of Millrace is available.").waitFor();
    expect(await name.inputValue()).toBe("Written and kept");
    await page.getByRole("button", { name: "Reload" }).click();
    await page
      .getByRole("complementary", { name: "Versions" })
      .getByRole("button")
      .nth(1)
      .waitFor();
    expect(await name.inputValue()).toBe("Written and kept");
    await page.route(/\/assets\/runs-.*\.js/, (route) => route.fulfill({ status: 404 }));
    await page.getByRole("link", { name: "Runs" }).click();
    await page.getByRole("heading", { name: "This page could not be loaded" }).waitFor();
    await page.getByRole("link", { name: "Home" }).click();
    await page.getByRole("heading", { name: "Waiting for you", exact: true }).waitFor();
  });
});
