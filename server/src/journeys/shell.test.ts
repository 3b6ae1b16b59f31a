import { expect, test } from "vitest";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { expectSound, expectSoundInEveryLook, useConsole, type Visitor } from "./testing.ts";

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

  test("every screen is sound in light and dark, wide and narrow", async () => {
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

  test("the palette finds acts, places, things and people, by keyboard alone", async () => {
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
    await page.getByRole("option", { name: /Zebra herd.*Table.*Copy its id/ }).waitFor();
    await page.getByRole("option", { name: /Zebra crossing.*Workflow/ }).waitFor();
    await page.keyboard.press("Control+a");
    // Nobody waits for the answer before they press Enter.
    await page.keyboard.type(`prb${Number(number.slice(3))}`);
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/desk/problems/${number}`);
    await page.keyboard.press("Control+k");
    await page.keyboard.type("xyzzyx");
    await page.getByText("Nothing is called that.").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("g");
    await page.keyboard.press("w");
    await page.getByRole("heading", { name: "Workflows" }).waitFor();
    expect(await page.title()).toBe("Workflows · Millrace");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys of this screen" }).waitFor();
  });

  test("the environment is said, and the switch keeps the address where it exists there", async () => {
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
    await page.keyboard.type("work in prod");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Environment: Production" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/runs");
  });

  test("a notification is counted as it comes, read by opening it, and leads to what it is about", async () => {
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
    await page.getByRole("link", { name: "1 new notification", exact: true }).waitFor();
  });

  test("a mail leads to its ticket in its workspace and environment", async () => {
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

  test("somebody sees only what they may: a viewer's acts are disabled with the reason", async () => {
    const viewer = await at.visit(["viewer"]);
    await open(viewer, "/workflows");
    const create = viewer.page.getByRole("button", { name: "New" });
    expect(await create.isDisabled()).toBe(true);
    expect(await create.getAttribute("title")).toContain("not change them");
    const requester = await at.visit(["requester"]);
    await requester.page.goto(`${at.origin}/`);
    await requester.page.getByRole("heading", { name: "Waits for you", exact: true }).waitFor();
    expect(await requester.page.getByRole("link", { name: "Workflows" }).count()).toBe(0);
    await expectSound(requester);
  });

  test("a lost server is said, a missing chunk reloads, and a screen that fails leaves the rest", async () => {
    const visitor = await at.visit(["builder"]);
    const { page, context } = visitor;
    await open(visitor, "/");
    await context.setOffline(true);
    await page.getByText("You are offline.").waitFor();
    await context.setOffline(false);
    await page.getByText("You are offline.").waitFor({ state: "detached" });
    await page.route(/\/assets\/approvals-.*\.js/, (route) => route.fulfill({ status: 404 }));
    await page.getByRole("link", { name: "Approvals" }).click();
    await page.getByRole("heading", { name: "This part failed" }).waitFor();
    await page.getByRole("link", { name: "Home" }).click();
    await page.getByRole("heading", { name: "Waits for you", exact: true }).waitFor();
  });
});
