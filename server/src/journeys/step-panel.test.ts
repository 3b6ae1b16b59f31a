import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { useConsole } from "./testing.ts";
import { leaveFields, pick } from "./workflow-editor.ts";

const set = (id: string) => ({ id, type: "set", name: id, config: { values: {} } });

describeInBrowser("the panel of a step", () => {
  const at = useConsole();
  const makeWorkflow = async (nodes: readonly object[], edges: readonly object[] = []) => {
    const ask = await at.world.member(["owner"]);
    const body = { name: "Orders", trigger: { type: "manual" }, nodes, edges };
    const { status, body: made } = await ask("POST /api/v1/workflows", body);
    expect(status).toBe(201);
    const id = made.data.id as string;
    const read = async () => (await ask(`GET /api/v1/workflows/${id}`)).body.data;
    return { id, ask, read };
  };
  const open = async (page: Page, id: string, step = ""): Promise<void> => {
    await page.goto(`${at.origin}/workflows/${id}${step === "" ? "" : `?step=${step}`}`);
    await page.getByRole("application", { name: /^Canvas/ }).waitFor();
  };
  const save = async (page: Page): Promise<void> => {
    await page.keyboard.press("ControlOrMeta+s");
    await page.getByText("Saved", { exact: true }).first().waitFor();
  };

  test("a step without connections does not run and shows this, and undo connects it again", async () => {
    const { id, ask, read } = await makeWorkflow(
      [set("first"), set("last")],
      [{ from: "first", to: "last" }],
    );
    const { page } = await at.visit(["owner"]);
    await open(page, id, "first");
    await page.getByRole("application", { name: /^Canvas/ }).focus();
    await page.keyboard.press("c");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.locator(".step", { hasText: "Not connected: does not run" }).waitFor();
    await page.getByRole("button", { name: /problem|warning/ }).waitFor();
    await save(page);
    expect((await read()).nodes).toEqual([set("first"), { ...set("last"), start: false }]);
    const { body } = await ask(`POST /api/v1/workflows/${id}/test`, { input: {} });
    const states = body.data.trace.steps.map(({ nodeId, status }: any) => [nodeId, status]);
    expect(Object.fromEntries(states)).toEqual({ first: "completed", last: "skipped" });
    await page.keyboard.press("ControlOrMeta+z");
    await page.getByText("Not connected: does not run").waitFor({ state: "detached" });
    await save(page);
    // "Saved" may still be shown from the previous save.
    const stored = async () => {
      const { nodes, edges } = await read();
      return [nodes, edges];
    };
    await expect
      .poll(stored)
      .toEqual([[set("first"), set("last")], [{ from: "first", to: "last" }]]);
  });

  test("finds approvers and users by name and saves ids", async () => {
    const carl = await at.world.member(["agent"]);
    await carl("PATCH /api/v1/auth/me", { name: "Carl" });
    const config = { approvers: ["owner"], message: "Ship it?" };
    const { id, read } = await makeWorkflow([{ id: "ask", type: "approval", config }]);
    const { page } = await at.visit(["owner"]);
    await open(page, id, "ask");
    await page.getByRole("button", { name: "Add another" }).first().click();
    await page.keyboard.type("Carl");
    await page.getByRole("option", { name: /^Carl/ }).waitFor();
    await page.keyboard.press("Enter");
    await save(page);
    expect((await read()).nodes[0].config.approvers).toEqual(["owner", carl.userId]);
  });

  test("a step that a test does not execute is marked", async () => {
    const call = { id: "call", type: "http", config: { url: "https://example.com" } };
    const { id } = await makeWorkflow([call]);
    const { page } = await at.visit(["owner"]);
    await open(page, id, "call");
    await page.getByRole("tab", { name: "Output" }).click();
    await page.getByRole("button", { name: /^Test step/ }).click();
    await page.getByText(/^Not executed: tests and dry runs do not call/).waitFor();
    await page.getByText("Not executed", { exact: true }).waitFor();
    const panel = page.getByRole("complementary");
    expect(await panel.getByText("Completed", { exact: true }).count()).toBe(0);
  });

  test("the output of an unsaved step is pinned, and stays while it cannot be saved", async () => {
    const { id, ask } = await makeWorkflow([set("first")]);
    const { page } = await at.visit(["owner"]);
    await open(page, id, "first");
    await pick(page, "Tab", "records");
    await page.getByRole("tab", { name: "Output" }).click();
    await page.getByRole("button", { name: "Edit pinned data" }).click();
    const field = page.getByRole("textbox", { name: "Pinned data (JSON)" });
    await field.focus();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText('{"n":1}');
    const pin = page.getByRole("button", { name: "Pin data" });
    await pin.click();
    await page.getByText("Data not pinned. Save the workflow first.").waitFor();
    expect(await field.textContent()).toBe('{"n":1}');

    await page.getByRole("tab", { name: "Settings" }).click();
    await page.getByRole("combobox", { name: "Operation" }).waitFor();
    await leaveFields(page);
    await page.keyboard.press("Delete");
    await pick(page, "Tab", "set values");
    await page.getByRole("tab", { name: "Output" }).click();
    await page.getByRole("button", { name: "Edit pinned data" }).click();
    await field.focus();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText('{"n":2}');
    await pin.click();
    await page.getByText(/dry runs and tests use this output/).waitFor();
    const { body } = await ask(`GET /api/v1/workflows/${id}/pinned-data`);
    expect(body.data.outputs).toEqual({ set_values: { n: 2 } });
  });

  test("a problem opens its step and field from its panel, and a failed save names both", async () => {
    const { id } = await makeWorkflow([set("first")]);
    const { page } = await at.visit(["owner"]);
    await open(page, id, "first");
    await pick(page, "Tab", "records");
    await page.getByRole("button", { name: /problem/ }).click();
    const list = page.getByRole("complementary", { name: "Problems" });
    await list
      .getByRole("button", { name: /Records Table/ })
      .first()
      .click();
    await page.waitForFunction(
      () => document.activeElement?.closest("[data-at]")?.getAttribute("data-at") === "/table",
    );
    await page.keyboard.press("ControlOrMeta+s");
    await page
      .getByText(/^Step “Records”, Table: /)
      .first()
      .waitFor();
  });
});
