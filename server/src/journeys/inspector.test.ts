import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { expectSound, expectSoundInEveryLook, useConsole } from "./testing.ts";

const READ = {
  id: "read",
  type: "set",
  name: "Read the order",
  config: { values: { total: 40, lines: ["a", "b"] } },
};
const PRICE = { id: "price", type: "transform", name: "Price", config: { expression: "1" } };
const BY_KIND = {
  id: "kind",
  type: "switch",
  name: "By kind",
  config: { expression: "steps.price.output", cases: ["small", "large"] },
};
const SAY = { id: "say", type: "set", name: "Say so", config: { values: {} } };

describeInBrowser("the inspector", () => {
  const at = useConsole();
  const makeWorkflow = async (trigger: object = { type: "manual" }) => {
    const ask = await at.world.member(["owner"]);
    const { body } = await ask("POST /api/v1/workflows", {
      name: "Orders",
      trigger,
      nodes: [READ, PRICE, BY_KIND, SAY],
      edges: [
        { from: "read", to: "price" },
        { from: "price", to: "kind" },
        { from: "kind", to: "say", when: "small" },
      ],
    });
    const id = body.data.id as string;
    await ask(`POST /api/v1/workflows/${id}/publish`, {});
    return { id, ask };
  };
  const openStep = async (page: Page, id: string, step: string): Promise<void> => {
    await page.goto(`${at.origin}/workflows/${id}?step=${encodeURIComponent(step)}`);
    await page.getByRole("complementary").waitFor();
  };
  const savedNode = async (id: string, node: string): Promise<any> => {
    const ask = await at.world.member(["owner"]);
    const { body } = await ask(`GET /api/v1/workflows/${id}`);
    return body.data.nodes.find((one: { id: string }) => one.id === node);
  };

  test("an expression completes from the last run, shows its result, accepts a value, is tested and pinned", async () => {
    const { id, ask } = await makeWorkflow();
    const { body: run } = await ask(`POST /api/v1/workflows/${id}/trigger`, {
      input: { who: "Ada" },
    });
    await expect
      .poll(async () => (await ask(`GET /api/v1/runs/${run.data.id}`)).body.data.status)
      .toBe("completed");
    const visitor = await at.visit(["owner"]);
    const { page } = visitor;
    await openStep(page, id, "price");
    const field = page.getByRole("textbox", { name: "Expression", exact: true });
    await page
      .getByRole("button", { name: /Read the order/ })
      .filter({ hasText: "total" })
      .waitFor();
    await field.focus();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("steps.read.output");
    await page.keyboard.type(".");
    await page.getByRole("option", { name: /^total/ }).waitFor();
    await page.keyboard.type("total * 2");
    await page.getByText("= 80", { exact: true }).waitFor();

    await page.keyboard.type(" + $count(");
    await page.getByRole("button", { name: /Read the order/ }).click();
    await page.getByRole("tree", { name: "Read the order" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("= 82", { exact: true }).waitFor();
    expect(await field.textContent()).toContain("$count(steps.read.output.lines)");
    await expectSound(visitor);

    await page.getByRole("tab", { name: "Settings" }).focus();
    await page.keyboard.press("t");
    await page.getByRole("tab", { name: "Output", selected: true }).waitFor();
    await page.getByRole("tabpanel").getByText("82", { exact: true }).waitFor();
    await page.keyboard.press("p");
    await page.getByText("dry runs and tests use this output").waitFor();
    const { body } = await ask(`GET /api/v1/workflows/${id}/pinned-data`);
    expect(body.data.outputs).toEqual({ price: 82 });

    await page.getByLabel("Simulate an error in tests").check();
    await page.getByRole("button", { name: /^Unpin/ }).click();
    await page.getByRole("button", { name: /^Test step/ }).click();
    await page.getByRole("group", { name: "Error" }).getByText("Simulated error").waitFor();
    await expectSound(visitor);
  });

  test("renaming a case or an id updates all references", async () => {
    const { id } = await makeWorkflow();
    const { page } = await at.visit(["owner"]);
    await openStep(page, id, "kind");
    await page.getByLabel("Case small", { exact: true }).fill("tiny");
    await page.keyboard.press("Enter");
    await page.getByLabel("Case tiny", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Add case" }).click();
    await openStepByCard(page, "Price");
    await page.getByLabel("Step ID").fill("amount");
    await page.keyboard.press("Enter");
    await page.keyboard.press("ControlOrMeta+s");
    await expect
      .poll(async () => (await savedNode(id, "kind"))?.config)
      .toEqual({
        expression: "steps.amount.output",
        cases: ["tiny", "large", "case 3"],
      });
    const ask = await at.world.member(["owner"]);
    const { edges } = (await ask(`GET /api/v1/workflows/${id}`)).body.data;
    expect(edges).toContainEqual({ from: "kind", to: "say", when: "tiny" });
    expect(edges).toContainEqual({ from: "amount", to: "kind" });
  });

  const openStepByCard = (page: Page, name: string) =>
    page.getByRole("application").getByText(name, { exact: true }).click();

  test("a script completes its inputs, and an incomplete field prevents saving", async () => {
    const ask = await at.world.member(["owner"]);
    const source = { id: "run", type: "script", name: "Reckon", config: { source: "return 1" } };
    const call = { id: "call", type: "http", name: "Call", config: { url: "https://example.com" } };
    const { body } = await ask("POST /api/v1/workflows", {
      name: "Scripted",
      trigger: { type: "manual" },
      nodes: [source, call],
      edges: [{ from: "run", to: "call" }],
    });
    const { id } = body.data;
    const { page } = await at.visit(["owner"], { isNew: true });
    await openStep(page, id, "run");
    const field = page.getByRole("textbox", { name: "Source", exact: true });
    await field.focus();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("const found = await context.tables");
    await page.keyboard.type(".");
    await page.getByRole("option", { name: /^list/ }).waitFor();
    await page.keyboard.type("list('orders');\nreturn found");
    await page.keyboard.type(".");
    await page.getByRole("option", { name: /^filter/ }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.type("length");
    await openStepByCard(page, "Call");
    await page.getByText("More settings").click();
    await page.getByRole("group", { name: "Headers as" }).getByText("JSON").click();
    const headers = page.getByRole("textbox", { name: "Headers", exact: true });
    await headers.focus();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type('{ "Accept": ');
    await page.keyboard.press("ControlOrMeta+s");
    await page.getByText("Headers is not valid JSON. Correct it or undo the change.").waitFor();
    await headers.focus();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type('{ "Accept": "text/plain" }');
    await page.keyboard.press("ControlOrMeta+s");
    await expect
      .poll(async () => (await savedNode(id, "call"))?.config.headers)
      .toEqual({ Accept: "text/plain" });
    expect((await savedNode(id, "run")).config.source).toContain("return found.length");
  });

  test("triggers show URL, next run times, and enabled environments", async () => {
    const { id } = await makeWorkflow({ type: "webhook" });
    const visitor = await at.visit(["owner"]);
    const { page } = visitor;
    await openStep(page, id, "*");
    await page
      .getByRole("group", { name: "URL in production" })
      .getByText(/\/hooks\//)
      .waitFor();
    await page
      .getByRole("group", { name: "Example request" })
      .getByText(/^curl -X POST/)
      .waitFor();
    await page.getByLabel(/^Schedule/).check({ force: true });
    await page.getByLabel("Times", { exact: true }).fill("0 9 * * MON-FRI");
    await expect
      .poll(() => page.getByRole("region", { name: "Next runs" }).locator("li").count())
      .toBe(5);
    await page.getByRole("row", { name: /^Production Version 1/ }).waitFor();
    await expectSound(visitor);
  });

  test("a test can start from a past event", async () => {
    const trigger = { type: "event_bus", topic: "shop", eventType: "order.placed" };
    const { id, ask } = await makeWorkflow(trigger);
    for (const sku of ["AB-1", "CD-2", "EF-3"]) {
      const message = { type: "order.placed", payload: { sku } };
      await ask("POST /api/v1/events/topics/shop/publish", message);
    }
    const visitor = await at.visit(["owner"]);
    const { page } = visitor;
    await page.goto(`${at.origin}/workflows/${id}`);
    await page.getByRole("application", { name: /^Canvas/ }).waitFor();
    await page.keyboard.press("t");
    const past = page.getByRole("group", { name: "Event" }).getByRole("radio");
    // The newest first, after the custom example.
    await past.nth(3).waitFor();
    await expectSound(visitor);
    await past.first().focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ControlOrMeta+Enter");
    await page
      .getByRole("group", { name: "Run" })
      .getByText("Completed", { exact: true })
      .waitFor();
    const run = new URL(page.url()).searchParams.get("run");
    const { event } = (await ask(`GET /api/v1/runs/${run}`)).body.data.trigger;
    expect(event).toMatchObject({ type: "order.placed", data: { sku: "CD-2" } });
  });

  test("a form is designed with the keyboard: after removing a field the focus is on the next one, and after Escape on the panel", async () => {
    const fields = ["name", "mail", "more"].map((name) => ({ name }));
    const { id } = await makeWorkflow({ type: "form", title: "Survey", pages: [{ fields }] });
    const { page } = await at.visit(["owner"]);
    await openStep(page, id, "*");
    const design = page.getByRole("button", { name: "Design the form, 1 page" });
    await design.click();
    const dialog = page.getByRole("dialog", { name: "Form" });
    const row = (name: string) => dialog.getByRole("button", { name: new RegExp(`^${name}`) });
    await row("mail").press("Delete");
    await row("mail").waitFor({ state: "detached" });
    expect(await row("more").evaluate((it) => it === document.activeElement)).toBe(true);
    await dialog.getByLabel(/^Default value/).fill("Nothing");
    await dialog.getByRole("region", { name: "Preview" }).getByLabel("more").waitFor();
    expect(
      await dialog.getByRole("region", { name: "Preview" }).getByLabel("more").inputValue(),
    ).toBe("Nothing");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(await design.evaluate((it) => it === document.activeElement)).toBe(true);
  });

  test("a read-only member sees everything and changes nothing", async () => {
    const { id } = await makeWorkflow();
    const { page } = await at.visit(["viewer"]);
    await openStep(page, id, "price");
    const field = page.getByRole("textbox", { name: "Expression", exact: true });
    await field.waitFor();
    expect(await field.getAttribute("aria-readonly")).toBe("true");
    expect(await page.getByLabel("Step name").isEditable()).toBe(false);
    await page.getByRole("tab", { name: "Output" }).click();
    expect(await page.getByRole("button", { name: /^Test step/ }).isDisabled()).toBe(true);
  });

  test("every component is accessible, light and dark, wide and narrow", async () => {
    const visitor = await at.visit(["owner"]);
    for (const section of ["basics", "overlays", "fields", "form", "code", "display"]) {
      await visitor.page.goto(`${at.origin}/components?section=${section}`);
      await visitor.page.locator(".sample").first().waitFor();
      await expectSoundInEveryLook(visitor);
    }
  });
});
