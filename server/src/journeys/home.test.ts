import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Route } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { TEST_PASSWORD } from "#kernel/testing/database.ts";
import { until } from "#kernel/testing/world.ts";
import { expectSound, useConsole, type Visitor, moveTo } from "./testing.ts";

const ASKING = {
  name: "Approve a refund",
  trigger: { type: "manual" },
  nodes: [
    { id: "ask", type: "approval", config: { approvers: ["owner"], message: "Refund Ada?" } },
  ],
  edges: [],
};
const FAILING = {
  name: "Break",
  trigger: { type: "manual" },
  nodes: [{ id: "say", type: "set", config: { values: { x: '{{ $error("It broke.") }}' } } }],
  edges: [],
};
const NEW_PASSWORD = "one that nobody printed";
const EXAMPLES = ["Automate work", "Run a service desk", "Tables and apps", "Connect systems"];

describeInBrowser("coming home", () => {
  const at = useConsole({ env: { MILLRACE_LOGIN_RATE_LIMIT: "0" } });

  const start = async (ask: Awaited<ReturnType<typeof at.world.member>>, definition: object) => {
    const made = await ask("POST /api/v1/workflows", definition);
    const { id } = made.body.data;
    expect(await ask(`POST /api/v1/workflows/${id}/publish`)).toMatchObject({ status: 200 });
    expect((await ask(`POST /api/v1/workflows/${id}/trigger`, {})).status).toBeLessThan(300);
  };
  const signIn = async ({ page }: Visitor, password = TEST_PASSWORD) => {
    await page.goto(`${at.origin}/`);
    await page.getByLabel("E-mail").fill("admin@example.com");
    await page.getByLabel("Password").fill(password);
    await page.keyboard.press("Enter");
  };

  /** A step is completed when its task is done, not when it is clicked. */
  const decideAsTheStepsSay = async (page: Visitor["page"]) => {
    const steps = page.getByRole("complementary", { name: "Next steps" });
    const done = steps.locator(".next-step.done");
    await steps.getByRole("link", { name: "Approve the large order" }).click();
    await page.waitForURL("**/approvals*");
    await page.getByRole("button", { name: "Approve", exact: true }).waitFor();
    expect(await done.count()).toBe(0);
    await page.getByRole("button", { name: "Approve", exact: true }).click();
    await done.getByText("Approve the large order").waitFor();
    expect(await done.count()).toBe(1);
  };

  test("the first owner sets a password, selects goals and gets a running example; the questions appear only once", async () => {
    const first = await at.stranger();
    const { page } = first;
    await signIn(first);
    await page.waitForURL("**/welcome");
    await expectSound(first);
    await page.getByLabel("Your name").fill("Mara Vogel");
    await page.getByLabel("Current password").fill("not the password");
    await page.getByLabel("New password").fill(NEW_PASSWORD);
    await page.getByRole("button", { name: "Install example" }).click();
    expect(await page.getByRole("alert").textContent()).toContain("password");
    await page.getByLabel("Current password").fill(TEST_PASSWORD);
    for (const [n, example] of EXAMPLES.entries()) {
      if (n > 0) await moveTo(page, `${at.origin}/welcome`);
      await page.getByText(example, { exact: true }).click();
      await page.getByRole("button", { name: "Install example" }).click();
      const steps = page.getByRole("complementary", { name: "Next steps" });
      await steps.getByRole("listitem").nth(2).waitFor();
      if (n === 0) await decideAsTheStepsSay(page);
    }
    // Each example has run successfully.
    const owner = await at.world.member(["owner"]);
    const outcomes = await until(async () => {
      const { body } = await owner("GET /api/v1/runs?limit=100");
      const runs = body.data as { workflowName: string; status: string }[];
      const isOver = runs.every(({ status }) => !/running|queued/.test(status));
      return runs.length >= 8 && isOver && runs.map((run) => `${run.workflowName} ${run.status}`);
    });
    expect(outcomes.toSorted()).toEqual([
      "Approve an order completed",
      "Approve an order completed",
      "Approve an order completed",
      "Approve an order failed",
      "Mark low stock completed",
      "Notify about critical incidents completed",
      "Receive an order from a shop completed",
      "Receive an order from a shop completed",
    ]);
    const low = await owner(
      "GET /api/v1/tables/example_stock/records?filter=%7B%22status%22%3A%22low%22%7D",
    );
    expect(low.body.data).toHaveLength(4);
    await page.getByRole("button", { name: "Hide next steps" }).click();
    await page.goto(`${at.origin}/`);
    await page.getByRole("heading", { name: /Mara\./ }).waitFor();
    await page.getByRole("link", { name: /Stock room/ }).waitFor();
    expect(await page.getByRole("complementary", { name: "Next steps" }).count()).toBe(0);
    // They do not appear in another browser, or for another owner.
    const again = await at.stranger();
    await signIn(again, NEW_PASSWORD);
    await again.page.getByRole("heading", { name: /Mara\./ }).waitFor();
    const second = await at.visit(["owner"]);
    await second.page.goto(`${at.origin}/`);
    await second.page.getByRole("heading", { name: /Somebody\./ }).waitFor();
  });

  test("Home updates waiting, failed and changed items live without layout shifts", async () => {
    const owner = await at.world.member(["owner"]);
    const other = await at.world.member(["owner"]);
    const visitor = await at.visitAs(owner.token);
    const { page } = visitor;
    await page.addInitScript(() => {
      const shared = globalThis as unknown as { shifted: number };
      shared.shifted = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
          shared.shifted += (entry as unknown as { value: number }).value;
        }
      }).observe({ type: "layout-shift", buffered: true });
    });
    await page.goto(`${at.origin}/`);
    await page.getByText("Live", { exact: true }).waitFor();
    await page.getByRole("heading", { name: "Waiting for you", exact: true }).waitFor();
    const shifted = await page.evaluate(
      () => (globalThis as unknown as { shifted: number }).shifted,
    );
    expect(shifted).toBeLessThanOrEqual(0.02);
    await start(other, ASKING);
    await page.getByRole("link", { name: /Refund Ada\?/ }).waitFor();
    await start(other, FAILING);
    await page.getByRole("link", { name: /Break.*It broke\./ }).waitFor();
    await other("POST /api/v1/itsm/incidents", {
      title: "The gate is stuck",
      assigneeId: owner.userId,
    });
    await page.getByRole("link", { name: /Incident The gate is stuck/ }).waitFor();
    await other("POST /api/v1/itsm/problems", {
      title: "Gates get stuck",
      assigneeId: owner.userId,
    });
    await page.getByRole("link", { name: /Problem Gates get stuck/ }).waitFor();
    const mine = page.getByRole("region", { name: "Waiting for you" });
    const waiting = await mine.getByRole("listitem").count();
    await page.getByRole("heading", { name: `${waiting} items are waiting for you` }).waitFor();
    const changes = page.getByRole("region", { name: "Changes since your last visit" });
    await changes.getByText("Break").waitFor();
    await expectSound(visitor);
    await page.getByRole("link", { name: /Refund Ada\?/ }).click();
    await page.waitForURL("**/approvals**");
  });

  test("the list of workflows is searched, sorted, imported from JSON, copied and archived, with the keyboard", async () => {
    const visitor = await at.visit(["builder"]);
    const { page } = visitor;
    await page.goto(`${at.origin}/workflows`);
    await page.getByText("Live", { exact: true }).waitFor();
    await page.keyboard.press("n");
    await page.getByRole("button", { name: "From JSON" }).click();
    await page
      .getByRole("textbox", { name: "Definition" })
      .fill(JSON.stringify({ name: "Ants march", nodes: ASKING.nodes }));
    await page.getByRole("button", { name: "Create workflow" }).click();
    await page.waitForURL(/workflows\/wf_/);
    await moveTo(page, `${at.origin}/workflows`);
    await page.getByText("Live", { exact: true }).waitFor();
    // The shortcuts of a screen work as soon as its rows are shown.
    await page.getByRole("rowheader", { name: /Ants march/ }).waitFor();
    // The previous content stays while a response is slow.
    const held = Promise.withResolvers<Route>();
    await page.route(/workflows\?.*q=ants/, held.resolve, { times: 1 });
    await page.keyboard.press("f");
    await page.keyboard.type("ants");
    await page.waitForURL(/q=ants/);
    const late = await held.promise;
    await page.evaluate(() => new Promise((done) => requestIdleCallback(done)));
    expect(visitor.faults).toEqual([]);
    await late.continue();
    await page.keyboard.press("Escape");
    await page.keyboard.press("j");
    await page.keyboard.press("d");
    await page.waitForURL(/workflows\/wf_/);
    await moveTo(page, `${at.origin}/workflows?q=ants`);
    await page.getByRole("rowheader", { name: /Ants march \(copy\)/ }).waitFor();
    await page.getByRole("button", { name: "Actions for Ants march (copy)" }).click();
    await page.getByRole("menuitem", { name: "Archive" }).click();
    await page.getByRole("rowheader", { name: /copy/ }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo" }).last().click();
    await page.getByRole("rowheader", { name: /copy/ }).waitFor();
    await page.getByRole("button", { name: "Changed" }).click();
    await page.waitForURL("**sort=changed**");
    await expectSound(visitor);
  });

  test("a folder is dropped: n8n exports, one of which requires a value, and a workflow export", async () => {
    const folder = mkdtempSync(join(tmpdir(), "millrace-drop-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const manual = { name: "Start", type: "n8n-nodes-base.manualTrigger", parameters: {} };
    const n8n = (name: string, type: string, parameters: object = {}) => ({
      name,
      nodes: [manual, { name: "Next", type: `n8n-nodes-base.${type}`, parameters }],
      connections: { Start: { main: [[{ node: "Next", type: "main", index: 0 }]] } },
    });
    mkdirSync(join(folder, "deep"));
    for (const [name, value] of [
      ["whole.json", n8n("Whole", "noOp")],
      ["deep/asks.json", n8n("Asks", "splitOut")],
      ["gone.json", n8n("Gone", "executeCommand", { command: "ls" })],
      ["ours.json", { data: { ...ASKING, name: "Ours" } }],
      ["pack.json", { id: "bakery", name: "Bakery", version: "1.0.0", resources: {} }],
    ] as const) {
      writeFileSync(join(folder, name), JSON.stringify(value));
    }
    const visitor = await at.visit(["builder"]);
    const { page, context } = visitor;
    await page.goto(`${at.origin}/workflows`);
    await page.getByText("Live", { exact: true }).waitFor();
    const browser = await context.newCDPSession(page);
    const data = { items: [], files: [folder], dragOperationsMask: 1 };
    for (const type of ["dragEnter", "dragOver", "drop"] as const) {
      await browser.send("Input.dispatchDragEvent", { type, x: 700, y: 500, data });
    }
    const files = page.getByRole("list", { name: "Files" });
    const row = (name: string) => files.getByRole("listitem").filter({ hasText: name });
    const isTicked = (name: string) => row(name).getByRole("checkbox").isChecked();
    await page.getByText("5 files. 3 will be imported as drafts.").waitFor();
    await row("asks.json").getByText("1 to select below").waitFor();
    await row("ours.json").getByText("Millrace workflow, 1 step").waitFor();
    await row("pack.json").getByText("This is a pack").waitFor();
    const names = ["whole.json", "asks.json", "ours.json", "gone.json", "pack.json"];
    expect(await Promise.all(names.map(isTicked))).toEqual([true, true, true, false, false]);
    await expectSound(visitor);
    // Nothing is created without the required value.
    await page.getByRole("button", { name: "Create 3" }).click();
    const word = page.getByRole("textbox", { name: /asks\.json/ });
    expect(await word.evaluate((field) => field === document.activeElement)).toBe(true);
    await word.fill("lines");
    await page.keyboard.press("Enter");
    await page.getByText("3 drafts imported.").waitFor();
    for (const name of ["Whole", "Asks", "Ours"]) {
      await page.getByRole("rowheader", { name: new RegExp(`^${name}`) }).waitFor();
    }
    await expectSound(visitor);
  });

  test("a long list can be read to its end, and renders only visible rows", async () => {
    const owner = await at.world.member(["owner"]);
    const make = (name: string) =>
      owner("POST /api/v1/workflows", { ...ASKING, name, tags: ["flock"] });
    // The list is sorted by age, so the first is on another page than the last.
    await make("Zzz, the oldest");
    for (let n = 0; n < 210; n += 10) {
      await Promise.all(Array.from({ length: 10 }, (_, m) => make(`Bird ${n + m}`)));
    }
    const visitor = await at.visitAs(owner.token);
    const { page } = visitor;
    await page.goto(`${at.origin}/workflows?tag=flock`);
    await page.getByRole("rowheader", { name: "Bird 0" }).waitFor();
    expect(await page.getByRole("table").getAttribute("aria-rowcount")).toBe("212");
    expect(await page.getByRole("rowheader").count()).toBeLessThan(80);
    const rows = await page.getByRole("rowheader").all();
    const boxes = await Promise.all(rows.slice(0, 2).map((row) => row.boundingBox()));
    expect((boxes[1]?.y ?? 0) - (boxes[0]?.y ?? 0)).toBe(52);
    await page.locator(".workflow-scroll").evaluate((box) => box.scrollTo(0, box.scrollHeight));
    await page.getByRole("rowheader", { name: /Zzz, the oldest/ }).waitFor();
    await expectSound(visitor);
  });
});
