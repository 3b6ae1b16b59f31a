import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { expectSound, useConsole } from "./testing.ts";
import { barSays, leaveFields, pick } from "./workflow-editor.ts";

/** Longer than a busy machine needs for rendering. */
const WAIT_MS = 20_000;
const MANUAL = { type: "manual" };
const set = (id: string, name: string) => ({ id, type: "set", name, config: { values: {} } });

describeInBrowser("editing workflows", () => {
  const at = useConsole({ env: { MILLRACE_OUTBOUND_ALLOW: "127.0.0.1/32" } });
  let shop: Server;
  beforeAll(async () => {
    shop = createServer((_, answer) => answer.end('{"stock":12}'));
    await new Promise<void>((listening) => shop.listen(0, "127.0.0.1", listening));
  });
  afterAll(() => void shop.close());

  const owner = () => at.world.member(["owner"]);
  const makeWorkflow = async (nodes: readonly object[], edges: readonly object[] = []) => {
    const ask = await owner();
    const body = { name: "Orders", trigger: MANUAL, nodes, edges };
    const { status, body: made } = await ask("POST /api/v1/workflows", body);
    expect(status).toBe(201);
    return { id: made.data.id as string, ask };
  };
  const makeThree = () =>
    makeWorkflow(
      [set("a", "First"), set("b", "Second"), set("c", "Third")],
      [
        { from: "a", to: "b" },
        { from: "b", to: "c" },
      ],
    );
  const readSteps = async (id: string): Promise<string[]> => {
    const ask = await owner();
    const { nodes, edges } = (await ask(`GET /api/v1/workflows/${id}`)).body.data;
    const ends = edges.map(({ from, to, when }: any) => `${from}${when ? `[${when}]` : ""}>${to}`);
    return [...nodes.map((node: any) => node.id), ...ends].toSorted();
  };
  const openEditor = async (page: Page, id: string): Promise<void> => {
    await page.goto(`${at.origin}/workflows/${id}`);
    await page.getByRole("application", { name: /^Canvas/ }).waitFor();
  };
  test("with the keyboard only: a branching workflow is built, tested, deployed, run and watched", async () => {
    const { id, ask } = await makeWorkflow([]);
    const visitor = await at.visit(["owner"]);
    const { page } = visitor;
    await openEditor(page, id);
    await page.getByText("Add the first step").waitFor();
    await expectSound(visitor);

    await pick(page, "/", "set values");
    await pick(page, "Tab", "if");
    await pick(page, "Tab", "http");
    await page.keyboard.press("Enter");
    await page.getByLabel("URL", { exact: true }).waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type(`http://127.0.0.1:${(shop.address() as AddressInfo).port}/`);
    await leaveFields(page);
    await pick(page, "Tab", "approval");
    await pick(page, "Tab", "for each");
    // Back to the branch, and down its other way.
    for (let n = 0; n < 3; n += 1) await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Tab");
    await page.getByRole("radio", { name: "true" }).waitFor();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.type("respond");
    await page.locator(".offer[aria-selected=true]").waitFor();
    await page.keyboard.press("Enter");
    await expectSound(visitor);

    // Everything can be undone, and done again.
    await page.keyboard.press("ControlOrMeta+z");
    await page.getByText("Undone: Add Respond to webhook").waitFor();
    await page.keyboard.press("ControlOrMeta+Shift+z");
    await page.getByText("Redone: Add Respond to webhook").waitFor();

    await page.keyboard.press("Escape");
    await page.keyboard.press("t");
    await page.getByRole("dialog", { name: "Dry run" }).waitFor();
    await expectSound(visitor);
    await page.keyboard.press("Enter");
    await barSays(page, "Completed");
    await expectSound(visitor);

    await page.keyboard.press("d");
    await page.getByRole("dialog", { name: "Deploy" }).waitFor();
    await page.getByRole("heading", { name: "First deployment to production" }).waitFor();
    await expectSound(visitor);
    await page.keyboard.press("Enter");
    await page.getByText("Production v2").waitFor();
    expect((await readSteps(id)).join(" ")).toBe(
      "http_request http_request>request_approval if if[false]>respond_to_webhook if[true]>http_request loop_over_items request_approval request_approval[approved]>loop_over_items respond_to_webhook set_values set_values>if",
    );

    await page.keyboard.press("r");
    await page.getByRole("dialog", { name: "Run in Production" }).waitFor();
    await page.keyboard.press("Enter");
    await barSays(page, "Paused");
    await page.getByText("waiting for owner").waitFor();
    const [run] = (await ask("GET /api/v1/runs?status=paused")).body.data;
    await ask(`POST /api/v1/runs/${run.id}/resume`, { approved: true });
    await barSays(page, "Completed");
    expect(new URL(page.url()).searchParams.get("run")).toBe(run.id);
    await expectSound(visitor);
  });

  test("a draft survives a reload, is validated while editing, and links to its errors", async () => {
    const { id } = await makeWorkflow([set("first", "First")]);
    const visitor = await at.visit(["owner"]);
    const { page } = visitor;
    await openEditor(page, `${id}?step=first`);
    await pick(page, "Tab", "records");
    await page.getByRole("button", { name: /problem/ }).waitFor();
    // The reload also keeps a change that the browser database has not stored yet.
    await page.evaluate("IDBObjectStore.prototype.put = null");
    await page.reload();
    await page.getByText("Your unsaved changes were restored").waitFor();
    await page.getByRole("button", { name: /problem/ }).click();
    const list = page.getByRole("complementary", { name: "Problems" });
    await list
      .getByRole("button", { name: /Records/ })
      .first()
      .waitFor();
    await expectSound(visitor);
    expect(await readSteps(id)).toEqual(["first"]);
    await page.keyboard.press("ControlOrMeta+z");
    await page.getByText("Undone: Add Records").waitFor();
    await page.getByText("Saved", { exact: true }).waitFor();
  });

  test("two users edit at the same time: the second to save merges, and no change is lost", async () => {
    const { id } = await makeThree();
    const [one, other] = [await at.visit(["owner"]), await at.visit(["owner"])];
    await Promise.all([
      openEditor(one.page, `${id}?step=a`),
      openEditor(other.page, `${id}?step=c`),
    ]);
    await one.page.getByRole("group", { name: "Active users" }).waitFor();

    const rename = async (page: Page, name: string): Promise<void> => {
      await page.getByLabel("Step name").fill(name);
      await leaveFields(page);
    };
    await rename(one.page, "First, by one");
    await rename(other.page, "Third, by other");
    await pick(other.page, "Tab", "respond");
    await one.page.keyboard.press("ControlOrMeta+s");
    await one.page.getByText("Saved", { exact: true }).first().waitFor();

    // The other user is notified, keeps their draft, and sees both versions.
    await other.page.getByText("while you were editing. Your changes are kept.").waitFor();
    await other.page.getByText("Third, by other").first().waitFor();
    await other.page.keyboard.press("ControlOrMeta+s");
    const merge = other.page.getByRole("dialog", { name: "Merge" });
    await merge.getByRole("heading", { name: "Your changes" }).waitFor();
    await expectSound(other);
    await other.page.keyboard.press("Enter");
    await merge.waitFor({ state: "hidden" });
    await other.page.getByText("Saved", { exact: true }).first().waitFor();

    const ask = await owner();
    const saved = (await ask(`GET /api/v1/workflows/${id}`)).body.data;
    expect(saved.nodes.map(({ name }: any) => name)).toEqual([
      "First, by one",
      "Second",
      "Third, by other",
      "Respond to webhook",
    ]);
    // A user without unsaved changes sees it immediately.
    await one.page.getByText("Third, by other").first().waitFor();
    // Undo reverts the user's own changes, not those of the other user.
    await other.page.keyboard.press("ControlOrMeta+z");
    await other.page.getByText("Undone: Add Respond to webhook").waitFor();
    await other.page.getByText("First, by one").first().waitFor();
  });

  test("a viewer sees the same screen, without enabled buttons that would fail", async () => {
    const { id, ask } = await makeWorkflow([set("a", "First")]);
    await ask(`POST /api/v1/workflows/${id}/publish`, {});
    const visitor = await at.visit(["viewer"], { width: 400, dark: true });
    const { page } = visitor;
    const refused: string[] = [];
    page.on("response", (answer) => {
      if (answer.status() === 403) refused.push(answer.url());
    });
    await openEditor(page, `${id}?step=a`);
    await page.getByText("Read only").waitFor();
    for (const name of [/^Save/, /^Dry run/, /^Deploy/, /^Run/]) {
      expect(await page.getByRole("button", { name }).first().isDisabled()).toBe(true);
    }
    await page.keyboard.press("/");
    await page.keyboard.press("Delete");
    await page.keyboard.press("ControlOrMeta+s");
    expect(await page.getByRole("dialog").count()).toBe(0);
    await expectSound(visitor);
    await page.goto(`${at.origin}/workflows/${id}?panel=versions`);
    await page.getByRole("button", { name: /v1/ }).click();
    const compare = page.getByRole("dialog", { name: "Compare versions" });
    await compare.getByText("No changes").waitFor();
    expect(await compare.getByRole("button", { name: /Roll/ }).isDisabled()).toBe(true);
    await expectSound(visitor);
    expect(refused).toEqual([]);
  });

  test("a step moves by drag and drop, two are copied as JSON, and undo reverts both", async () => {
    const { id } = await makeThree();
    const visitor = await at.visit(["owner"]);
    const { page } = visitor;
    await visitor.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await openEditor(page, id);
    const card = (name: string) => page.locator(".step", { hasText: name });
    const boxOf = async (name: string) => (await card(name).boundingBox())!;
    const isAbove = (one: string, other: string) =>
      expect
        .poll(async () => (await boxOf(one)).y < (await boxOf(other)).y, { timeout: WAIT_MS })
        .toBe(true);

    const [first, second, third] = [
      await boxOf("First"),
      await boxOf("Second"),
      await boxOf("Third"),
    ];
    const line = { x: first.x + first.width / 2, y: (first.y + first.height + second.y) / 2 };
    await page.mouse.move(third.x + 60, third.y + 12);
    await page.mouse.down();
    await page.mouse.move(third.x + 60, third.y - 20, { steps: 3 });
    await page.mouse.move(line.x, line.y, { steps: 3 });
    await page.getByText("release to move here").waitFor();
    await page.mouse.up();
    await isAbove("Third", "Second");
    await page.keyboard.press("ControlOrMeta+z");
    await page.getByText("Undone: Move Third").waitFor();
    await isAbove("Second", "Third");

    await card("First").click();
    await card("Second").click({ modifiers: ["Shift"] });
    await page.keyboard.press("ControlOrMeta+c");
    await page.getByText("2 steps copied as JSON").waitFor();
    const copied = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()));
    expect(copied.nodes.map((node: any) => node.name)).toEqual(["First", "Second"]);
    expect(copied.edges).toEqual([{ from: "a", to: "b" }]);
    await card("Third").click();
    await page.keyboard.press("ControlOrMeta+v");
    await page.locator(".step").nth(4).waitFor();
    await expectSound(visitor);
    await page.keyboard.press("ControlOrMeta+s");
    await page.getByText("Saved", { exact: true }).first().waitFor();
    expect((await readSteps(id)).join(" ")).toBe("a a>b a_2 a_2>b_2 b b>c b_2 c c>a_2");
    await page.keyboard.press("ControlOrMeta+z");
    await page.getByText("Undone: Paste 2 steps").waitFor();
    await page.locator(".step").nth(3).waitFor({ state: "detached" });
  });

  test("an older version is restored, the archive restores, and each can be undone", async () => {
    const { id, ask } = await makeWorkflow([set("a", "First")]);
    await ask(`POST /api/v1/workflows/${id}/publish`, {});
    await ask(`PATCH /api/v1/workflows/${id}`, { nodes: [set("a", "Renamed")] });
    await ask(`POST /api/v1/workflows/${id}/publish`, {});
    const read = async () => (await ask(`GET /api/v1/workflows/${id}`)).body.data;
    const visitor = await at.visit(["owner"]);
    const { page } = visitor;
    const undo = () => page.locator(".toast").getByRole("button", { name: "Undo" }).last().click();
    await page.goto(`${at.origin}/workflows/${id}?panel=versions`);
    await page.getByRole("button", { name: /v1/ }).click();
    await page.getByRole("button", { name: "Roll production back to v1" }).click();
    await page.getByText("Version 1 deployed to production again").waitFor();
    await page.getByText("Production v1").waitFor();
    await expectSound(visitor);
    await undo();
    await page.getByText("Version 2 deployed to production again").waitFor();
    expect((await read()).environments.production.version).toBe(2);

    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Archive" }).click();
    await page.getByText("Read only").waitFor();
    expect((await read()).status).toBe("archived");
    await expectSound(visitor);
    await undo();
    await page.getByText("Workflow restored").waitFor();
    await page.getByText("Read only").waitFor({ state: "hidden" });
    expect((await read()).status).not.toBe("archived");
  });

  test("a run requests and remembers the inputs used by steps; a test requests the event", async () => {
    const values = {
      greeting: "Hello {{ trigger.input.name }}",
      twice: "{{ trigger.input.n * 2 }}",
    };
    const step = { ...set("a", "Greet"), config: { values } };
    const { id, ask } = await makeWorkflow([step]);
    const visitor = await at.visit(["owner"]);
    const { page } = visitor;
    const triggerOf = async () => {
      await barSays(page, "Completed");
      const runId = new URL(page.url()).searchParams.get("run");
      return (await ask(`GET /api/v1/runs/${runId}`)).body.data.trigger;
    };
    await openEditor(page, id);
    await page.keyboard.press("t");
    await page.getByRole("dialog", { name: "Dry run" }).waitFor();
    await page.getByLabel("name", { exact: true }).fill("Ada");
    await page.getByLabel("n", { exact: true }).fill("21");
    await expectSound(visitor);
    await page.keyboard.press("Enter");
    expect((await triggerOf()).input).toEqual({ name: "Ada", n: 21 });

    await page.keyboard.press("t");
    expect(await page.getByLabel("name", { exact: true }).inputValue()).toBe("Ada");
    await page.getByRole("tab", { name: "JSON" }).click();
    await page.getByRole("textbox", { name: "Input (JSON)" }).waitFor();
    await expectSound(visitor);
    await page.keyboard.press("Escape");

    const trigger = { type: "event_bus", topic: "shop", eventType: "order.placed" };
    const heard = {
      ...set("a", "Keep"),
      config: { values: { sku: "{{ trigger.event.data.sku }}" } },
    };
    await ask(`PATCH /api/v1/workflows/${id}`, { trigger, nodes: [heard] });
    await openEditor(page, id);
    await page.keyboard.press("t");
    await page.getByLabel("sku", { exact: true }).fill("AB-1");
    await page.keyboard.press("Enter");
    const { event } = await triggerOf();
    expect(event).toEqual({ type: "order.placed", data: { sku: "AB-1" } });
  });

  test("two tabs of one user keep two drafts, and a reopened tab restores its own", async () => {
    const { id } = await makeWorkflow([set("a", "First")]);
    const { page: one, context } = await at.visit(["owner"]);
    await openEditor(one, `${id}?step=a`);
    await pick(one, "Tab", "respond");
    await one.reload();
    await one.getByText("Your unsaved changes were restored").waitFor();
    const other = await context.newPage();
    await openEditor(other, `${id}?step=a`);
    await other.getByText("You have unsaved changes of this workflow in another tab").waitFor();
    expect(await other.locator(".step").count()).toBe(1);
    await pick(other, "Tab", "if");
    await other.reload();
    await other.locator(".step").getByText("If").first().waitFor();
    await one.reload();
    await one.locator(".step").getByText("Respond").first().waitFor();
    expect(await one.locator(".step").count()).toBe(2);
  });

  test("the definition can be edited as text next to the canvas, and each updates the other", async () => {
    const { id } = await makeWorkflow([set("a", "First")]);
    const visitor = await at.visit(["owner"]);
    const { page } = visitor;
    await openEditor(page, id);
    await page.keyboard.press("j");
    const text = page.getByRole("textbox", { name: "Definition" });
    await text.waitFor();
    const definition = { name: "Orders", trigger: MANUAL, nodes: [set("a", "Renamed")], edges: [] };
    const write = async (next: string): Promise<void> => {
      await text.focus();
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.insertText(next);
    };
    await write(JSON.stringify(definition));
    await page.locator(".step").getByText("Renamed").waitFor();
    // Invalid JSON is marked at its line, and the cursor stays in place while the error appears and disappears.
    await write(`${JSON.stringify(definition)}\nnothing`);
    await page.getByText("Line 2: Remove this text. The JSON value ends before it.").waitFor();
    await expectSound(visitor);
    await page.locator(".step").getByText("Renamed").waitFor();
    for (const _ of "nothing") await page.keyboard.press("Backspace");
    await page.getByRole("alert").waitFor({ state: "hidden" });
    await expectSound(visitor);
    await leaveFields(page);
    await page.keyboard.press("ControlOrMeta+z");
    await page.locator(".step").getByText("First").waitFor();
    expect(await text.textContent()).toContain("First");
  });
});
