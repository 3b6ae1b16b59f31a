import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { expectSound, useConsole } from "./testing.ts";

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
  const pick = async (page: Page, key: string, text: string): Promise<void> => {
    await page.keyboard.press(key);
    await page.getByRole("dialog", { name: "Add a step" }).waitFor();
    await page.keyboard.type(text);
    await page.locator(".offer[aria-selected=true]").waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Add a step" }).waitFor({ state: "hidden" });
  };
  /** Escape closes what a field has open first, and then leads back to the canvas. */
  const leaveFields = async (page: Page): Promise<void> => {
    const isThere = () => page.evaluate(() => document.activeElement?.className.includes("canvas"));
    while (!(await isThere())) await page.keyboard.press("Escape");
  };
  const barSays = (page: Page, words: string) =>
    page.getByRole("group", { name: "Run" }).getByText(words, { exact: true }).waitFor();

  test("by keyboard alone: a branching workflow is built, tested, deployed, run and watched", async () => {
    const { id, ask } = await makeWorkflow([]);
    const visitor = await at.visit(["owner"]);
    const { page } = visitor;
    await openEditor(page, id);
    await page.getByText("What happens first?").waitFor();
    await expectSound(visitor);

    await pick(page, "/", "set values");
    await pick(page, "Tab", "if");
    await pick(page, "Tab", "http");
    await page.keyboard.press("Enter");
    await page.getByLabel("Address", { exact: true }).waitFor();
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
    await page.getByText("Undone: Add Respond").waitFor();
    await page.keyboard.press("ControlOrMeta+Shift+z");
    await page.getByText("Done again: Add Respond").waitFor();

    await page.keyboard.press("Escape");
    await page.keyboard.press("t");
    await page.getByRole("dialog", { name: "Test the draft" }).waitFor();
    await expectSound(visitor);
    await page.keyboard.press("Enter");
    await barSays(page, "Completed");
    await expectSound(visitor);

    await page.keyboard.press("d");
    await page.getByRole("dialog", { name: "Deploy" }).waitFor();
    await page.getByRole("heading", { name: "First time in production" }).waitFor();
    await expectSound(visitor);
    await page.keyboard.press("Enter");
    await page.getByText("Production v2").waitFor();
    expect(await readSteps(id)).toEqual([
      "ask_for_approval",
      "ask_for_approval[approved]>for_each",
      "for_each",
      "http_request",
      "http_request>ask_for_approval",
      "if",
      "if[false]>respond",
      "if[true]>http_request",
      "respond",
      "set_values",
      "set_values>if",
    ]);

    await page.keyboard.press("r");
    await page.getByRole("dialog", { name: "Run in Production" }).waitFor();
    await page.keyboard.press("Enter");
    await barSays(page, "Paused");
    await page.getByText("waits for owner").waitFor();
    const [run] = (await ask("GET /api/v1/runs?status=paused")).body.data;
    await ask(`POST /api/v1/runs/${run.id}/resume`, { approved: true });
    await barSays(page, "Completed");
    expect(new URL(page.url()).searchParams.get("run")).toBe(run.id);
    await expectSound(visitor);
  });

  test("a draft outlives a reload, is checked as it is written, and leads to what is wrong", async () => {
    const { id } = await makeWorkflow([set("first", "First")]);
    const visitor = await at.visit(["owner"]);
    const { page } = visitor;
    await openEditor(page, `${id}?step=first`);
    await pick(page, "Tab", "records");
    await page.getByRole("button", { name: /problem/ }).waitFor();
    await page.reload();
    await page.getByText("Your unsaved changes are still here").waitFor();
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

  test("two people edit at once: the second to save merges, and nothing of either is lost", async () => {
    const steps = [set("a", "First"), set("b", "Second"), set("c", "Third")];
    const ends = [
      { from: "a", to: "b" },
      { from: "b", to: "c" },
    ];
    const { id } = await makeWorkflow(steps, ends);
    const [one, other] = [await at.visit(["owner"]), await at.visit(["owner"])];
    await Promise.all([
      openEditor(one.page, `${id}?step=a`),
      openEditor(other.page, `${id}?step=c`),
    ]);
    await one.page.getByRole("group", { name: "Who is here" }).waitFor();

    const rename = async (page: Page, name: string): Promise<void> => {
      await page.getByLabel("Name of the step").fill(name);
      await leaveFields(page);
    };
    await rename(one.page, "First, by one");
    await rename(other.page, "Third, by other");
    await pick(other.page, "Tab", "respond");
    await one.page.keyboard.press("ControlOrMeta+s");
    await one.page.getByText("Saved", { exact: true }).first().waitFor();

    // The other is told, keeps their draft, and sees both.
    await other.page.getByText("while you were editing. Your changes are kept.").waitFor();
    await other.page.getByText("Third, by other").first().waitFor();
    await other.page.keyboard.press("ControlOrMeta+s");
    const merge = other.page.getByRole("dialog", { name: "Merge" });
    await merge.getByRole("heading", { name: "What you did" }).waitFor();
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
      "Respond",
    ]);
    // Who had nothing unsaved sees it at once.
    await one.page.getByText("Third, by other").first().waitFor();
    // Undo takes back one's own, and never what came from the other.
    await other.page.keyboard.press("ControlOrMeta+z");
    await other.page.getByText("Undone: Add Respond").waitFor();
    await other.page.getByText("First, by one").first().waitFor();
  });

  test("a viewer sees the same screen, and no enabled button that would be refused", async () => {
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
    for (const name of [/^Save/, /^Test/, /^Deploy/, /^Run/]) {
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
    await compare.getByText("Nothing differs").waitFor();
    expect(await compare.getByRole("button", { name: /Roll/ }).isDisabled()).toBe(true);
    await expectSound(visitor);
    expect(refused).toEqual([]);
  });

  test("the definition is text beside the canvas, and each follows the other", async () => {
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
      await page.keyboard.press("Delete");
      await page.keyboard.insertText(next);
    };
    await write(JSON.stringify(definition));
    await page.locator(".step").getByText("Renamed").waitFor();
    await write("nothing");
    await page.getByRole("alert").waitFor();
    await page.locator(".step").getByText("Renamed").waitFor();
    await write(JSON.stringify(definition));
    await expectSound(visitor);
    await leaveFields(page);
    await page.keyboard.press("ControlOrMeta+z");
    await page.locator(".step").getByText("First").waitFor();
    expect(await text.textContent()).toContain("First");
  });
});
