import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { seeded } from "#kernel/testing/random.ts";
import { tries } from "#kernel/testing/thorough.ts";
import { moveTo, useConsole } from "./testing.ts";
import {
  changedPaths,
  expectUnmoved,
  numberFields,
  randomKeys,
  typeInto,
  watchStarts,
} from "./field-fuzz.ts";
import { leaveFields } from "./workflow-editor.ts";

/** `TYPING_SEED=…` tries other keys in other fields. */
const SEED = Number(process.env["TYPING_SEED"] ?? 39);

/** The step types are divided among several tests, so that none takes long. */
const PARTS = [0, 1, 2];

const MANUAL = { type: "manual" };
const set = (id: string, config: object = { values: {} }) => ({ id, type: "set", config });

describeInBrowser("typing in the workflow editor", () => {
  const at = useConsole();
  const makeWorkflow = async (nodes: readonly object[], trigger: object = MANUAL) => {
    const ask = await at.world.member(["owner"]);
    const body = { name: "Orders", trigger, nodes, edges: [] };
    const { body: made } = await ask("POST /api/v1/workflows", body);
    const id = made.data.id as string;
    const read = async () => (await ask(`GET /api/v1/workflows/${id}`)).body.data;
    return { id, ask, read };
  };
  const openStep = async (page: Page, id: string, step: string): Promise<void> => {
    await page.goto(`${at.origin}/workflows/${id}?step=${encodeURIComponent(step)}`);
    await page.getByRole("complementary").waitFor();
  };
  const textbox = (page: Page, name: string) => page.getByRole("textbox", { name, exact: true });
  const save = async (page: Page): Promise<void> => {
    await page.keyboard.press("ControlOrMeta+s");
    await page.getByText("Saved", { exact: true }).first().waitFor();
  };

  test("a value is what was typed, quickly or slowly, and starts empty", async () => {
    const { id, read } = await makeWorkflow([set("first")]);
    const { page } = await at.visit(["owner"]);
    await openStep(page, id, "first");
    const texts = {
      slow: 'Set up "VPN" access (it\'s {urgent})',
      fast: '{{ trigger.input.to }} and "more"',
      json: '{"sku":"","tags":["a"]}',
      1: "7",
    };
    for (const [name, text] of Object.entries(texts)) {
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await page.keyboard.type(name);
      await page.keyboard.press("Tab");
      const field = textbox(page, `Value of ${name}`);
      await field.waitFor();
      expect(await field.locator(".cm-placeholder").count()).toBe(1);
      await page.keyboard.type(text, { delay: name === "slow" ? 120 : 0 });
    }
    // A cleared value keeps its row and the cursor.
    await textbox(page, "Value of fast").focus();
    for (const key of ["ControlOrMeta+a", "Backspace", "t", "r", "d"])
      await page.keyboard.press(key);
    await save(page);
    expect((await read()).nodes[0].config.values).toEqual({
      slow: texts.slow,
      fast: "trd",
      json: { sku: "", tags: ["a"] },
      1: 7,
    });
  });

  test("the items of a step are typed and cleared letter by letter, including Escape", async () => {
    const { id, read } = await makeWorkflow([set("first")]);
    const { page } = await at.visit(["owner"]);
    await openStep(page, id, "first");
    await page.getByText("Loop over items").click();
    await textbox(page, "Items").focus();
    await page.keyboard.type("[1, 2]");
    for (const _ of "[1, 2]") await page.keyboard.press("Backspace");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.keyboard.type("{{ trigger.input.orders }}");
    await save(page);
    expect((await read()).nodes[0].forEach.items).toBe("{{ trigger.input.orders }}");
    expect(await page.getByRole("dialog").count()).toBe(0);
  });

  test("a cleared expression stays an expression, and fx keeps both values", async () => {
    const body = { nodes: [set("inner")], edges: [] };
    const loop = { id: "each", type: "loop", config: { items: "{{ trigger.input.a }}", body } };
    const { id, read } = await makeWorkflow([loop]);
    const { page } = await at.visit(["owner"]);
    await openStep(page, id, "each");
    const items = textbox(page, "Items");
    await items.focus();
    for (const key of ["ControlOrMeta+a", "Backspace"]) await page.keyboard.press(key);
    await page.keyboard.type("{{ trigger.input.b }}");
    const fx = page.getByRole("button", { name: "fx: expression for Items" });
    await fx.click();
    await page.getByRole("button", { name: /^Add an? item/ }).waitFor();
    await fx.click();
    await items.waitFor();
    expect(await items.textContent()).toBe("{{ trigger.input.b }}");
    await save(page);
    expect((await read()).nodes[0].config.items).toBe("{{ trigger.input.b }}");
  });

  test("a filter value without quotes is kept as text", async () => {
    const trigger = { type: "event_bus", topic: "shop", eventType: "order.placed" };
    const { id, read } = await makeWorkflow([set("first")], trigger);
    const { page } = await at.visit(["owner"]);
    await openStep(page, id, "*");
    const filter = page.getByRole("group", { name: "Filter" });
    await filter.getByRole("button", { name: "Add", exact: true }).click();
    await page.keyboard.type("data.table");
    await page.keyboard.press("Tab");
    await page.keyboard.type("vacation_requests");
    await leaveFields(page);
    await save(page);
    expect((await read()).trigger.filter).toEqual({ "data.table": "vacation_requests" });
  });

  test.each(PARTS)(
    "random keys in every field of every type of step change that field alone, part %i",
    async (part) => {
      const { id, ask } = await makeWorkflow([set("first")]);
      const { nodeTypes } = (await ask("GET /api/v1/workflows/node-types")).body.data;
      const types = nodeTypes as readonly { readonly type: string; readonly firstConfig: object }[];
      const nodes = types.map(({ type, firstConfig }) => ({
        id: type.replaceAll(/\W/g, "_"),
        type,
        name: type,
        config: firstConfig,
      }));
      const chosen = shuffle(nodes, SEED).slice(0, tries(PARTS.length, nodes.length));
      const own = chosen.filter((_, n) => n % PARTS.length === part);
      const { page } = await at.visit(["owner"]);
      await page.goto(`${at.origin}/workflows/${id}?panel=json`);
      await textbox(page, "Definition").focus();
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.insertText(
        JSON.stringify({ name: "Orders", trigger: MANUAL, nodes, edges: [] }),
      );
      await page.getByText(nodes.at(-1)!.name, { exact: true }).first().waitFor();
      const started = watchStarts(
        page,
        /\/(test|trigger|publish|deployments|pinned-data)|PATCH|DELETE/,
      );
      const draftAfter = watchDraft(page);
      const keysOf = randomKeys(SEED + part);
      for (const { id: step } of own) {
        await moveTo(page, `${at.origin}/workflows/${id}?step=${step}`);
        await textbox(page, "Step name").waitFor();
        await page.locator(".editor-side .inspector-more").first().waitFor();
        const fields = await numberFields(page, ".editor-side .inspector-body");
        let before = await draftAfter(`${step} begin`);
        for (let n = 0; n < fields; n += 1) {
          const keys = keysOf();
          const name = await typeInto(page, n, keys);
          if (name === undefined) continue;
          await expectUnmoved(page, `${at.origin}/workflows/${id}?step=${step}`);
          const after = await draftAfter(`${step} ${n}`);
          const changed = changedPaths(before, after).filter(
            (path) => !/\/nodes\/\d+\/name$/.test(path),
          );
          const places = new Set(
            changed.map((path) => /^\/nodes\/\d+\/(config\/)?[^/]+/.exec(path)?.[0] ?? path),
          );
          expect([...places].slice(1), `${step}, ${name}: ${keys.join(" ")}`).toEqual([]);
          before = after;
        }
      }
      expect(started).toEqual([]);
    },
  );
});

/** Names the open step, and reads the draft that the console sends to the server for validation. */
function watchDraft(page: Page): (name: string) => Promise<unknown> {
  const seen = new Map<string, unknown>();
  page.on("request", (request) => {
    if (!request.url().endsWith("/workflows/validate")) return;
    const draft = request.postDataJSON() as { nodes: readonly { name?: string }[] };
    for (const { name } of draft.nodes) if (name !== undefined) seen.set(name, draft);
  });
  return async (name) => {
    await page.getByRole("textbox", { name: "Step name" }).fill(name);
    await page.keyboard.press("Enter");
    await expect.poll(() => seen.has(name), { timeout: 30_000 }).toBe(true);
    return seen.get(name);
  };
}

function shuffle<T>(list: readonly T[], seed: number): readonly T[] {
  const next = seeded(seed);
  return list
    .map((item) => ({ item, at: next() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
